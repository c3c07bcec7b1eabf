package bridge

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
)

// A fakeHost plays the interpreter: it knows globals, by kernel and name, as the bytes of answers.
type fakeHost struct {
	globals map[string]func(*writer)
	attrs   map[string]func(*writer)
	calls   func(*reader, *writer) error
	asked   []string
}

func (h *fakeHost) Ask(question uint8, message []byte) ([]byte, error) {
	r, w := reader{b: message}, writer{}
	switch question {
	case askLookup:
		r.u64()
		name := r.str()
		h.asked = append(h.asked, name)
		put, ok := h.globals[name]
		w.bool(ok)
		if ok {
			w.bool(strings.ToUpper(name) == name) // constants
			put(&w)
		}
	case askAttr:
		r.u64()
		r.u64()
		put, ok := h.attrs[r.str()]
		w.bool(ok)
		if ok {
			w.bool(true)
			put(&w)
		}
	case askCall:
		r.u64()
		if err := h.calls(&r, &w); err != nil {
			return nil, err
		}
	case askPoll:
	default:
		return nil, errors.New("an exception")
	}
	return w.b, nil
}

func newHost(t testing.TB) *fakeHost {
	h := &fakeHost{
		globals: map[string]func(*writer){"tl": func(w *writer) {
			w.u8(tagLang)
			w.str("triton.language")
		}},
		attrs: map[string]func(*writer){},
	}
	before := host
	SetHost(h)
	t.Cleanup(func() { host = before })
	return h
}

// definition writes a kernel as C does.
func definition(id uint64, name, source string, line uint32, params ...said) []byte {
	var w writer
	w.u32(0) // the environment
	w.u64(id)
	w.str(name)
	w.str(source)
	w.str("kernels.py")
	w.u32(line)
	w.bool(false)
	w.u32(0)
	w.u32(0)
	w.u32(0)
	w.u32(0)
	w.u32(uint32(len(params)))
	for _, p := range params {
		w.str(p.name)
		w.str(p.annotation)
		w.u8(p.flags)
	}
	return w.b
}

const requestLoad, requestResolve, requestCompile, requestEmit, requestCheck, requestDrop = 2, 3, 7, 5, 8, 11

var nextID uint64 = 1000

func loadKernel(t testing.TB, name, source string, params ...said) uint64 {
	t.Helper()
	nextID++
	id := nextID
	if b, ok := Serve(requestLoad, definition(id, name, source, 10, params...)); !ok {
		t.Fatalf("load: %+v", failed(b))
	}
	t.Cleanup(func() { dropKernel(id) })
	return id
}

// A failure is an error as C reads it.
type described struct {
	Category, Code, Msg, File string
	Line, Col                 uint32
	Text, Detail              string
	Exception                 uint64
}

func failed(b []byte) (d described) {
	r := reader{b: b}
	if d.Category = r.str(); d.Category == "" {
		d.Exception = r.u64()
		return d
	}
	d.Exception = r.u64()
	d.Code, d.Msg, d.File, d.Line, d.Col, d.Text, d.Detail = r.str(), r.str(), r.str(), r.u32(), r.u32(), r.str(), r.str()
	return d
}

// launchOf writes a launch as C does.
func launchOf(id uint64, grid []int64, args ...func(*writer)) []byte {
	var w writer
	w.u64(id)
	w.u32(0)
	w.u32(0)
	w.u32(0)
	w.u32(0)
	w.u32(0)
	w.bool(false)
	w.bool(false)
	w.bool(false)
	w.u8(0)
	w.u32(uint32(len(grid)))
	for _, n := range grid {
		w.i64(n)
	}
	w.u32(dlCPU)
	w.u32(0)
	w.u64(1)
	w.str("")
	w.u32(uint32(len(args)))
	for _, put := range args {
		put(&w)
	}
	w.u32(0)
	return w.b
}

func array(number uint8, data []byte) func(*writer) {
	return func(w *writer) {
		w.u8(tagArray)
		w.u8(number)
		w.u32(dlCPU)
		w.u32(0)
		w.u64(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))))
		w.u64(uint64(len(data)))
	}
}

func value(v pyval.Value) func(*writer) {
	return func(w *writer) {
		if err := w.value(v, 0); err != nil {
			panic(err)
		}
	}
}

const fill = `    @jit
    def fill(out, n, K: tl.constexpr):
        tl.store(out + tl.arange(0, 4), n * K + LIMIT)
`

var i32 = numberOf(dtypes[4])

func TestLaunch(t *testing.T) {
	h := newHost(t)
	h.globals["LIMIT"] = value(int64(5))
	id := loadKernel(t, "fill", fill, said{name: "K", annotation: "constexpr", flags: paramConstexpr})
	data := make([]byte, 16)
	answer, ok := Serve(requestResolve, launchOf(id, []int64{1}, array(i32, data), value(int64(7)), value(int64(3))))
	if !ok {
		t.Fatalf("%+v", failed(answer))
	}
	r := reader{b: answer}
	compiled := r.u64()
	t.Cleanup(func() { dropCompiled(compiled) })
	if name, target := r.str(), r.str(); name != "fill" || target != "cpu" {
		t.Errorf("%s for %s", name, target)
	}
	slots := []Slot{{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(data)))), 16, 0}, {7, 0, 0}}
	for range 2 {
		if _, _, err := Submit(compiled, [3]uint32{1, 1, 1}, 1, slots); err != nil {
			t.Fatalf("%+v", failed(err))
		}
	}
	for i := range 4 {
		if got := binary.LittleEndian.Uint32(data[4*i:]); got != 26 {
			t.Errorf("element %d is %d", i, got)
		}
	}
	var w writer
	w.u64(compiled)
	if b, ok := Serve(requestCheck, w.b); !ok {
		t.Errorf("nothing changed: %+v", failed(b))
	}
	h.globals["LIMIT"] = value(5.0)
	b, ok := Serve(requestCheck, w.b)
	if d := failed(b); ok || d.Category != "GlobalChanged" || !strings.Contains(d.Msg, "5.0") {
		t.Errorf("%t %+v", ok, d)
	}
}

// Errors have the kernel's own line and column, though the library sees a piece of the file only.
func TestPlaces(t *testing.T) {
	newHost(t)
	id := loadKernel(t, "fill", fill, said{name: "K", annotation: "constexpr", flags: paramConstexpr})
	b, ok := Serve(requestResolve, launchOf(id, []int64{1}, array(i32, make([]byte, 16)), value(int64(7)), value(int64(3))))
	want := described{
		Category: "CompileError", Code: "undefined-name", Msg: "name 'LIMIT' is not defined", File: "kernels.py", Line: 12, Col: 49,
		Text: "        tl.store(out + tl.arange(0, 4), n * K + LIMIT)",
	}
	got := failed(b)
	if !strings.Contains(got.Detail, "kernels.py:12:49: ") || !strings.Contains(got.Detail, "^~~~~") {
		t.Errorf("%s", got.Detail)
	}
	got.Detail = ""
	if ok || got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestBadKernels(t *testing.T) {
	newHost(t)
	for name, test := range map[string]struct{ source, category, code string }{
		"syntax":   {"def k(:\n  pass\n", "SyntaxError", ""},
		"no def":   {"k = lambda x: x\n", "Unsupported", "not-a-def"},
		"**kwargs": {"def k(**kw):\n  pass\n", "CompileError", "keyword-parameters"},
		"async":    {"async def k(x):\n  pass\n", "CompileError", "async"},
	} {
		nextID++
		b, ok := Serve(requestLoad, definition(nextID, "k", test.source, 1))
		if d := failed(b); ok || d.Category != test.category || test.code != "" && d.Code != test.code {
			t.Errorf("%s: %t %+v", name, ok, d)
		}
		dropKernel(nextID)
	}
}

func TestRefusals(t *testing.T) {
	newHost(t)
	id := loadKernel(t, "k", "def k(x, n):\n  tl.store(x, n)\n")
	x := array(i32, make([]byte, 4))
	for code, message := range map[string][]byte{
		"missing-argument":   launchOf(id, []int64{1}, x),
		"too-many-arguments": launchOf(id, []int64{1}, x, value(int64(1)), value(int64(1))),
		"zero":               launchOf(id, []int64{0}, x, value(int64(1))),
		"empty":              launchOf(id, nil, x, value(int64(1))),
		"no-kernel":          launchOf(1<<40, []int64{1}, x),
	} {
		b, ok := Serve(requestResolve, message)
		if d := failed(b); ok || d.Code != code {
			t.Errorf("%s: %t %+v", code, ok, d)
		}
	}
}

func TestExceptionsGoBack(t *testing.T) {
	h := newHost(t)
	h.globals["f"] = func(w *writer) {
		w.u8(tagObject)
		w.u64(77)
		w.u8(objectCallable)
		w.str("function")
		w.str("<f>")
	}
	h.calls = func(*reader, *writer) error { return &Raised{Number: 42, Text: "ValueError: no"} }
	id := loadKernel(t, "k", "def k(x):\n  tl.store(x, f(1))\n")
	b, ok := Serve(requestResolve, launchOf(id, []int64{1}, array(i32, make([]byte, 4))))
	if d := failed(b); ok || d.Exception != 42 || d.Line != 11 || !strings.Contains(d.Msg, "ValueError: no") {
		t.Errorf("%t %+v", ok, d)
	}
}

// What C writes and what Go writes of a constant is the same.
func TestValues(t *testing.T) {
	newHost(t)
	k := &Kernel{id: 1}
	k.env = &env{kernel: k}
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	dict := &pyval.Dict{}
	if err := dict.Set("a", int64(1)); err != nil {
		t.Fatal(err)
	}
	for _, v := range []pyval.Value{
		pyval.None, true, false, int64(math.MinInt64), huge, 1.5, "text\x00", pyval.NewTuple(int64(1), pyval.NewTuple()), pyval.NewList("x"), dict,
		pyval.Range{Start: 1, Stop: 5, Step: 2}, pyval.Slice{Start: pyval.None, Stop: int64(2), Step: pyval.None}, pyval.Ellipsis,
	} {
		var w writer
		if err := w.value(v, 0); err != nil {
			t.Fatal(err)
		}
		d := decoder{reader: reader{b: w.b}, kernel: k}
		got, err := d.value(0)
		if err != nil || len(d.b) != 0 || pyval.Repr(got) != pyval.Repr(v) {
			t.Errorf("%s: %v, %v, %d bytes left", pyval.Repr(v), got, err, len(d.b))
		}
		for n := range w.b { // a message may end anywhere
			short := decoder{reader: reader{b: w.b[:n]}, kernel: k}
			_, _ = short.value(0)
		}
	}
}

func TestTypes(t *testing.T) {
	newHost(t)
	for text, want := range map[string]string{"fp32": "float32", "*bf16": "pointer<bfloat16>", "**i8": "pointer<pointer<int8>>"} {
		var w writer
		w.u8(tagType)
		w.str(text)
		w.u32(0)
		d := decoder{reader: reader{b: w.b}}
		v, err := d.value(0)
		got, ok := v.(sema.Type)
		if err != nil || !ok || got.String() != want || signatureOf(got) != text {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
}

// The numbers in bridge.h are those of this package.
func TestNumbers(t *testing.T) {
	text, err := os.ReadFile("../../python/src/bridge.h")
	if err != nil {
		t.Fatal(err)
	}
	header := string(text)
	for enum, want := range map[string]int{
		"enum tg_tag {":       int(tagUndefined) + 1,
		"enum tg_dtype {":     len(dtypes) + 1,
		"enum tg_request {":   len(requests) - 1,
		"enum tg_question {":  int(askPoll),
		"enum tg_device_op {": len(deviceOps),
	} {
		_, body, _ := strings.Cut(header, enum)
		body, _, _ = strings.Cut(body, "}")
		n := 0
		for _, part := range strings.Split(body, "TG_")[1:] {
			if part != "" {
				n++
			}
		}
		if n != want {
			t.Errorf("%s has %d names, not %d", enum, n, want)
		}
	}
}

func FuzzServe(f *testing.F) {
	newHost(f)
	f.Add(uint8(requestLoad), definition(1, "fill", fill, 3, said{name: "K", flags: paramConstexpr}))
	f.Add(uint8(requestResolve), launchOf(1, []int64{1}, value(int64(1)), value(pyval.NewTuple("x"))))
	f.Add(uint8(requestCompile), []byte{1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 'c', 'p', 'u'})
	f.Fuzz(func(t *testing.T, request uint8, message []byte) {
		if request == requestResolve || request == 16 || request >= 18 {
			return // they hold addresses, which are trusted
		}
		Serve(request, message)
	})
}

// TestReadsTTIR loads a kernel whose text is Triton's intermediate representation: its name, parameters and types are the text's.
func TestReadsTTIR(t *testing.T) {
	const text = "tt.func public @fill(%p: !tt.ptr<f32>, %x: f32) {\n tt.store %p, %x : !tt.ptr<f32>\n tt.return\n}\n"
	load := func(id uint64, source string) ([]byte, bool) {
		var w writer
		w.u32(0) // environment
		w.u64(id)
		w.str("kernel")
		w.str(source)
		w.str("fill.ttir")
		w.u32(1)
		w.bool(false)
		for range 5 { // options, parameters that Python knows of
			w.u32(0)
		}
		return Serve(2, w.b)
	}
	answer, ok := load(901, text)
	defer dropKernel(901)
	if r := (reader{b: answer}); !ok || r.count(1) != 2 || r.str() != "p" {
		t.Fatalf("%t %q", ok, answer)
	}
	var w writer
	w.u64(901)
	w.str("cuda:90a")
	for range 5 { // options
		w.u32(0)
	}
	w.bool(false)
	w.bool(false)
	w.u8(saysNothing)
	w.u8(saysNothing)
	answer, ok = Serve(7, w.b)
	if r := (reader{b: answer}); !ok || r.u64() == 0 || r.str() != "fill" {
		t.Errorf("%t %q", ok, answer)
	}
	answer, ok = load(902, "tt.func public @fill(")
	defer dropKernel(902)
	if ok || !strings.Contains(string(answer), "fill.ttir:1:") {
		t.Errorf("%t %q", ok, answer)
	}
}
