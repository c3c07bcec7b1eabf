package native

import (
	"math"
	"testing"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/backend/cpu/amd64"
	"github.com/tegula-lang/tegula/internal/backend/cpu/code"
)

// caller makes code that calls a program as C would, with values in all registers that have to be kept and with floats
// that are flushed to zero. It returns what the program returns, or -1 if a register has changed.
func caller(t *testing.T, entry uintptr, mxcsr int) *code.Code {
	t.Helper()
	var a amd64.Assembler
	emit := func(op amd64.Op, r, b reg, imm int64) {
		i := ins(op)
		i.A, i.B, i.Imm = r, b, imm
		a.Emit(&i)
	}
	onFrame := func(op amd64.Op, r reg, off int) {
		i := ins(op)
		i.A, i.HasMem, i.M = r, true, amd64.At(amd64.RDI, int32(off))
		a.Emit(&i)
	}
	bad := a.NewLabel()
	jump := func(cc amd64.CC) {
		i := ins(amd64.JCC)
		i.CC, i.Target = cc, bad
		a.Emit(&i)
	}
	onFrame(amd64.LDMXCSR, none, mxcsr)
	for n, r := range kept {
		emit(amd64.MOVI, r, none, 0x1111*int64(n+1)<<32)
	}
	emit(amd64.MOVI, amd64.RAX, none, int64(entry))
	emit(amd64.CALLR, amd64.RAX, none, 0)
	for n, r := range kept {
		emit(amd64.MOVI, amd64.RCX, none, 0x1111*int64(n+1)<<32)
		emit(amd64.CMP, r, amd64.RCX, 0)
		jump(amd64.CCNE)
	}
	onFrame(amd64.MOVL, amd64.RDX, mxcsr)
	onFrame(amd64.STMXCSR, none, mxcsr+4)
	onFrame(amd64.CMPL, amd64.RDX, mxcsr+4)
	jump(amd64.CCNE)
	done := a.NewLabel()
	end := ins(amd64.JMP)
	end.Target = done
	a.Emit(&end)
	a.Bind(bad)
	emit(amd64.MOVI, amd64.RAX, none, -1)
	a.Bind(done)
	onFrame(amd64.LDMXCSR, none, mxcsr+8)
	ret := ins(amd64.RET)
	a.Emit(&ret)
	text, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	c, err := code.New(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The code is a C function: it keeps registers and the floating-point mode, computes with subnormal numbers whatever the mode is,
// pauses when the fuel is used up and goes on.
func TestCallFromC(t *testing.T) {
	p := compileText(t, `
func @k(%out: ptr<f32>, %n: i32) -> () {
  %zero = const 0 : i32
  %one = const 1 : i32
  %tiny = const 0x00000002 : f32
  %half = const 0x3f000000 : f32
  %pid = program_id {axis = 0} : i32
  %sum = for %zero, %n, %one, %tiny : f32 (%i: i32, %s: f32) {
    %t = fmul %tiny, %half : f32
    yield %t
  }
  %p = addptr %out, %pid : ptr<f32>
  store %p, %sum
  return
}
`)
	abi := p.ABI()
	if abi.NeedsGo || abi.Params != 2 || abi.FrameAlign != 64 {
		t.Errorf("%+v", abi)
	}
	const programs = 5
	out := make([]float32, programs)
	memory := make([]byte, abi.FrameBytes+abi.FrameAlign+16)
	base := unsafe.Pointer(&memory[-uintptr(unsafe.Pointer(&memory[0]))%uintptr(abi.FrameAlign)])
	mxcsr := abi.FrameBytes
	modes := (*[3]uint32)(unsafe.Add(base, mxcsr))
	modes[0], modes[2] = defaultMXCSR|1<<15|1<<6, defaultMXCSR // flush to zero, denormals are zero
	h := headerOf(base)
	h.grid, h.count, h.fuel = [3]int32{programs, 1, 1}, programs, 1000
	*(*uint64)(unsafe.Add(base, abi.ArgOffset)) = uint64(uintptr(unsafe.Pointer(&out[0])))
	*(*uint64)(unsafe.Add(base, abi.ArgOffset+8)) = 300
	c := caller(t, abi.Entry, mxcsr)
	pauses := 0
	for {
		s, err := c.Call(base)
		if err != nil {
			t.Fatal(err)
		}
		if s == finished {
			break
		}
		if s != paused {
			t.Fatalf("it returned %d", s)
		}
		pauses++
		h.fuel = 1000
	}
	if pauses == 0 || h.count != 0 || h.resume != 0 {
		t.Errorf("%d pauses, %d programs left, resume %#x", pauses, h.count, h.resume)
	}
	for i, f := range out {
		if math.Float32bits(f) != 1 {
			t.Errorf("program %d stored %v", i, f)
		}
	}
}
