package bridge

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// An env resolves the names of a kernel function: Python's closure, globals and builtins are asked. What
// is plain data has to be declared constant, as sema demands, unless it is a closure's.
//
// C compares the objects that the names are bound to before each launch, and comes to Go only when one
// changed. So an env's generation is always new: when it is asked for, there is something to look at.
type env struct {
	kernel     *Kernel
	generation atomic.Uint64

	mu      sync.Mutex
	objects map[uint64]pyval.Value // by the address of the Python object, which the Python kernel keeps alive
	reads   []attrRead
}

// An attrRead is an attribute of a module, a class or another object that a kernel read. It may change as a global may.
type attrRead struct {
	object *object
	name   string
	value  []byte // as Python gave it
}

// Lookup asks Python what a name is bound to.
func (e *env) Lookup(name string) (sema.Binding, bool, error) {
	var w writer
	w.u64(e.kernel.id)
	w.str(name)
	d, err := e.ask(askLookup, w.b)
	if err != nil {
		return sema.Binding{}, false, diag.New(diag.Compile, "host-error", "'%s' cannot be evaluated: %s", name, err)
	}
	if !d.bool() {
		return sema.Binding{}, false, d.err
	}
	b := sema.Binding{Const: d.bool()}
	if b.Value, err = d.value(0); err != nil {
		return sema.Binding{}, false, failure("'"+name+"'", err)
	}
	if t, ok := b.Value.(pyval.Tuple); ok && t.Names != nil {
		b.Const = true
	}
	return b, true, nil
}

// Generation is always another.
func (e *env) Generation() uint64 { return e.generation.Add(1) }

func (e *env) ask(question uint8, message []byte) (*decoder, error) {
	answer, err := host.Ask(question, message)
	if err != nil {
		return nil, err
	}
	return &decoder{reader: reader{b: answer}, kernel: e.kernel}, nil
}

// failure makes a diagnostic of an error that has none of its own.
func failure(what string, err error) error {
	if e, ok := err.(*diag.Error); ok {
		return e
	}
	e := diag.New(diag.Compile, "host-error", "%s cannot be evaluated: %s", what, err)
	e.Cause = err
	return e
}

// What an object offers.
const (
	objectCallable  uint8 = 1 << iota // may be called with constants
	objectModule                      // a module
	objectBoxed                       // stands for a constant, which follows
	objectAggregate                   // a class made by triton.aggregate
	objectRecord                      // a class of named tuples, whose fields and defaults follow
	objectPlain                       // a function of Python that is not for kernels; its type's name is its own
)

// An object is a Python object that is no data.
type object struct {
	env      *env
	ref      uint64
	flags    uint8
	typeName string
	repr     string
}

// object reads an object. One object of Python is one here.
func (d *decoder) object(depth int) (pyval.Value, error) {
	o := &object{env: d.kernel.env, ref: d.u64(), flags: d.u8(), typeName: d.str(), repr: d.str()}
	if d.err != nil {
		return nil, d.err
	}
	var v pyval.Value = o
	switch {
	case o.flags&objectBoxed != 0: // as in a module file, what kernels see of a member of an IntEnum is its value
		return d.value(depth + 1)
	case o.flags&objectRecord != 0:
		c, err := d.recordClass(o, depth)
		if err != nil {
			return nil, err
		}
		v = c
	case o.flags&objectAggregate != 0:
		v = &aggregate{o}
	}
	return o.env.known(o.ref, v), nil
}

// known gives the value that stands for an object of Python's already, or else v from now on.
func (e *env) known(ref uint64, v pyval.Value) pyval.Value {
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.objects[ref]; k != nil {
		return k
	}
	if e.objects == nil {
		e.objects = map[uint64]pyval.Value{}
	}
	e.objects[ref] = v
	return v
}

// TypeName gives the name of the type in messages.
func (o *object) TypeName() string {
	if o.flags&objectPlain != 0 {
		return "function"
	}
	return o.typeName
}

// Repr gives what Python's repr does.
func (o *object) Repr() string { return o.repr }

// Attr asks Python for an attribute.
func (o *object) Attr(name string) (pyval.Value, bool, error) {
	v, raw, err := o.attr(name)
	if err != nil {
		return nil, false, failure("'."+name+"'", err)
	}
	if raw == nil {
		return nil, false, nil
	}
	if len(raw) > 0 && raw[0] != 0 || isData(v) {
		o.env.noteRead(o, name, raw)
	}
	return v, true, nil
}

// isData reports whether a value is told by its bytes: an object, which is told by its address, is not.
func isData(v pyval.Value) bool {
	_, ok := v.(interface {
		Attr(string) (pyval.Value, bool, error)
	})
	return !ok
}

// attr gives an attribute, and its bytes, which are nil if there is none. They begin with whether the attribute stays the
// same object when it is asked for again.
func (o *object) attr(name string) (pyval.Value, []byte, error) {
	var w writer
	w.u64(o.env.kernel.id)
	w.u64(o.ref)
	w.str(name)
	d, err := o.env.ask(askAttr, w.b)
	if err != nil {
		return nil, nil, err
	}
	if !d.bool() {
		return nil, nil, d.err
	}
	raw := d.b
	d.bool()
	v, err := d.value(0)
	return v, raw, err
}

func (e *env) noteRead(o *object, name string, raw []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.reads, func(r attrRead) bool { return r.object == o && r.name == name })
	if i < 0 {
		e.reads = append(e.reads, attrRead{o, name, raw})
	}
}

// attrReads gives what was read of objects so far.
func (e *env) attrReads() []attrRead {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.reads)
}

// checkReads reports a GlobalChanged if an attribute of an object is not what it was.
func (e *env) checkReads() error {
	for _, r := range e.attrReads() {
		_, raw, err := r.object.attr(r.name)
		if err != nil || string(raw) != string(r.value) {
			return diag.New(diag.GlobalChanged, "global-changed",
				"'%s' of %s is not what it was when %s was compiled; make it a parameter that is tl.constexpr", r.name, r.object.repr, e.kernel.name)
		}
	}
	return nil
}

// Call calls the object in Python.
func (o *object) Call(args []pyval.Value, kwargs []pyval.Kwarg) (pyval.Value, error) {
	if o.flags&objectPlain != 0 {
		return nil, diag.New(diag.Compile, "not-a-kernel-function", "'%s' is a plain Python function, which a kernel cannot call: decorate it with @tegula.jit, "+
			"or with @tegula.constexpr_function if it computes constants at compile time", o.typeName)
	}
	if o.flags&objectCallable == 0 {
		return nil, diag.New(diag.Compile, "not-callable", "%s, of type %s, cannot be called in a kernel", o.repr, o.typeName)
	}
	var w writer
	w.u64(o.env.kernel.id)
	w.u64(o.ref)
	w.u32(uint32(len(args)))
	for _, a := range args {
		if err := w.value(a, 0); err != nil {
			return nil, err
		}
	}
	w.u32(uint32(len(kwargs)))
	for _, k := range kwargs {
		w.str(k.Name)
		if err := w.value(k.Value, 0); err != nil {
			return nil, err
		}
	}
	d, err := o.env.ask(askCall, w.b)
	if err != nil {
		return nil, failure("the call of "+o.repr, err)
	}
	v, err := d.value(0)
	if err != nil {
		return nil, failure("the result of "+o.repr, err)
	}
	return v, nil
}

// A recordClass is a class of named tuples. It holds what it is given, tensors too.
type recordClass struct {
	*object
	names    []string
	defaults []pyval.Value // of the last names
}

func (d *decoder) recordClass(o *object, depth int) (*recordClass, error) {
	names := d.names()
	defaults, err := d.values(d.count(1), depth)
	if err != nil {
		return nil, err
	}
	if len(defaults) > len(names) {
		return nil, errShort
	}
	return &recordClass{o, names, defaults}, nil
}

// TakesTensors says that it only holds them.
func (*recordClass) TakesTensors() (takes, computes bool) { return true, false }

// Call makes a named tuple.
func (c *recordClass) Call(args []pyval.Value, kwargs []pyval.Kwarg) (pyval.Value, error) {
	n := len(c.names)
	if len(args) > n {
		return nil, pyval.Errorf("TypeError", "%s takes %d values, not %d", c.repr, n, len(args))
	}
	elems := make([]pyval.Value, n)
	copy(elems, args)
	for _, k := range kwargs {
		i := slices.Index(c.names, k.Name)
		if i < 0 || elems[i] != nil {
			return nil, pyval.Errorf("TypeError", "%s cannot take '%s'", c.repr, k.Name)
		}
		elems[i] = k.Value
	}
	for i, v := range c.defaults {
		if at := n - len(c.defaults) + i; elems[at] == nil {
			elems[at] = v
		}
	}
	if i := slices.Index(elems, nil); i >= 0 {
		return nil, pyval.Errorf("TypeError", "%s misses its '%s'", c.repr, c.names[i])
	}
	return pyval.Tuple{Elems: elems, Names: c.names}, nil
}
