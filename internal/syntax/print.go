package syntax

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Print shows a tree, a node a line: the field of its parent that it is, its type, what it says itself, and where it begins. Fields that are
// empty are left out.
func Print(f *File, n Node) []byte {
	p := &printer{file: f}
	p.node("", reflect.ValueOf(n), 0)
	return p.out.Bytes()
}

type printer struct {
	file *File
	out  bytes.Buffer
}

// constNames are the constants without a text.
var constNames = map[ConstKind]string{ConstNone: "None", ConstTrue: "True", ConstFalse: "False", ConstEllipsis: "..."}

// node prints a struct, or what a pointer or an interface leads to.
func (p *printer) node(field string, v reflect.Value, depth int) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	words := []string{strings.Repeat("  ", depth) + field + v.Type().Name()}
	if field != "" {
		words[0] = strings.Repeat("  ", depth) + field + ": " + v.Type().Name()
	}
	for i := range v.NumField() {
		if text := said(v, i); text != "" {
			words = append(words, text)
		}
	}
	if n, ok := v.Interface().(Node); ok {
		line, col := p.file.Position(n.Range().Pos)
		words = append(words, fmt.Sprintf("%d:%d", line, col))
	}
	fmt.Fprintln(&p.out, strings.Join(words, " "))
	for i := range v.NumField() {
		p.field(v.Type().Field(i).Name, v.Field(i), depth+1)
	}
}

// said gives what a field says on its node's line: names, operators, constants.
func said(v reflect.Value, i int) string {
	switch f := v.Field(i).Interface().(type) {
	case string:
		if c, ok := v.Interface().(Constant); ok && c.Kind != ConstStr && c.Kind != ConstBytes {
			return f
		}
		if v.Type().Field(i).Name == "Text" {
			return strconv.Quote(f)
		}
		return f
	case Op:
		return f.String()
	case ConstKind:
		return constNames[f]
	case bool:
		if f {
			return strings.ToLower(v.Type().Field(i).Name)
		}
	case []Op:
		return strings.Trim(fmt.Sprint(f), "[]")
	case []string:
		return strings.Join(f, " ")
	}
	return ""
}

// field prints the nodes of a field.
func (p *printer) field(name string, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		p.node(name, v, depth)
	case reflect.Slice:
		if elem := v.Type().Elem().Kind(); elem == reflect.String || elem == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			p.node(name, v.Index(i), depth)
		}
	}
}
