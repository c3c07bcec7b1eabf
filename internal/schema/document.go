package schema

import "reflect"

// A Document is a sort of JSON documents: those that have the Go type T.
type Document[T any] struct {
	options Options
	check   func(*T) error
	root    *shape
}

// Options describe a sort of documents.
type Options struct {
	ID      string // a URI that names the JSON Schema
	Title   string
	Doc     string
	Formats map[string]Format // that tags name
}

// New prepares documents of type T. It panics if T's tags are wrong. What tags cannot say is for
// check, which sees values whose fields are right; it may be nil.
func New[T any](o Options, check func(*T) error) *Document[T] {
	s := shaper{o.Formats, map[reflect.Type]*shape{}}
	return &Document[T]{o, check, s.object(reflect.TypeFor[T]())}
}

// Parse reads a text.
func (d *Document[T]) Parse(text []byte) (*T, error) {
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := d.root.decode(n, nil, reflect.ValueOf(v).Elem()); err != nil {
		return nil, err
	}
	if d.check != nil {
		if err := d.check(v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Encode gives the text of a value, which Parse reads.
func (d *Document[T]) Encode(v *T) ([]byte, error) {
	n, err := d.root.encode(reflect.ValueOf(v).Elem(), nil)
	if err != nil {
		return nil, err
	}
	text := n.print()
	if _, err := d.Parse(text); err != nil {
		return nil, err
	}
	return text, nil
}

// Schema gives the JSON Schema of the texts.
func (d *Document[T]) Schema() []byte {
	n := describeDocument(d.root, d.options)
	return n.print()
}
