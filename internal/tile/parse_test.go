package tile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tegula-lang/tegula/internal/diag"
)

// TestParseErrors holds texts that are not well formed.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`x`, `1:1: expected func or loc, not "x"`},
		{`func f`, `1:6: expected the function's @name, not "f"`},
		{`func @`, `1:6: unexpected "@"`},
		{`func @"f`, `1:6: unexpected "@"`},
		{`func @"\z"() -> () {}`, `1:6: @"\z" is no name`},
		{`func @f(`, `1:9: expected an argument, not the end`},
		{`func @f(%x f32)`, `1:12: expected ":", not "f32"`},
		{`func @f(%x: f33) -> () {}`, `1:13: "f33" is no type`},
		{`func @f(%x: ) -> () {}`, `1:13: expected a type, not ")"`},
		{`func @f(%x: f32, %x: f32) -> () {}`, `1:18: %x is defined twice`},
		{`func @f(%x: f32 {size = 1}) -> () {}`, `1:18: a parameter has no field size, or has it already`},
		{`func @f(%x: f32 {div = 1, div = 2}) -> () {}`, `1:27: a parameter has no field div, or has it already`},
		{`func @f(%x: f32 {div}) -> () {}`, `1:18: the field div has an integer`},
		{`func @f(%x: f32 {unsigned = 1}) -> () {}`, `1:18: the field unsigned has no value`},
		{`func @f(%x: f32 {name = x}) -> () {}`, `1:18: the field name has a string`},
		{`func @f(%x: f32 {div = 99999999999999999999}) -> () {}`, `1:18: the field div has an integer`},
		{`func @f() () {}`, `1:11: expected "->", not "("`},
		{`func @f() -> () { return`, `1:25: expected an operation, not the end`},
		{`func @f() -> () { jump }`, `1:19: there is no operation "jump"`},
		{`func @f() -> () { bad }`, `1:19: there is no operation "bad"`},
		{`func @f() -> () { "x" }`, `1:19: expected an operation, not "\"x\""`},
		{`func @f() -> () { "}`, `1:19: unexpected "\""`},
		{`func @f() -> () { %r = add %x, %x : i32 }`, `1:28: %x is not defined`},
		{`func @f() -> () { %r add }`, `1:22: expected "=", not "add"`},
		{`func @f() -> () { %r = const 1 : i32 %r = const 1 : i32 }`, `1:38: %r is defined twice`},
		{`func @f() -> () { %"\z" = const 1 : i32 }`, `1:19: %"\z" is no name`},
		{`func @f() -> () { %r = const 1 }`, `1:19: 1 results with 0 types`},
		{`func @f() -> () { %r = const 1 : i32, i32 }`, `1:19: 1 results with 2 types`},
		{`func @f() -> () { const 1 }`, `1:25: a constant has one result`},
		{`func @f() -> () { %r = const : i32 }`, `1:30: expected a constant, not ":"`},
		{`func @f() -> () { %r = const 300 : i8 }`, `1:30: 300 is no constant of type i8`},
		{`func @f() -> () { %r = const -129 : i8 }`, `1:30: -129 is no constant of type i8`},
		{`func @f() -> () { %r = const 0x100 : i8 }`, `1:30: 0x100 does not fit in 8 bits`},
		{`func @f() -> () { %r = const 1 : i1 }`, `1:30: 1 is no constant of type i1`},
		{`func @f() -> () { %r = const 1e40 : f32 }`, `1:30: 1e40 is no constant of type f32`},
		{`func @f() -> () { %r = const 65520 : f16 }`, `1:30: 65520 is no constant of type f16`},
		{`func @f() -> () { %r = const -nan : f32 }`, `1:30: -nan is no constant of type f32`},
		{`func @f() -> () { %r = const infinity : f32 }`, `1:30: infinity is no constant of type f32`},
		{`func @f() -> () { %r = const 1_0 : f32 }`, `1:30: 1_0 is no constant of type f32`},
		{`func @f() -> () { %r = const 1 : ptr<i8> }`, `1:30: 1 is no constant of type ptr<i8>`},
		{`func @f() -> () { %r = const 1 : 3xi32 }`, `1:34: 3xi32 is no type: dimensions are powers of two, 24 at most, of 2^20 elements together`},
		{`func @f() -> () { %r = const 1 : 2097152xi32 }`, `1:34: 2097152xi32 is no type: dimensions are powers of two, 24 at most, of 2^20 elements together`},
		{`func @f() -> () { %r = const 1 : 99999999999999999999xi32 }`, `1:34: the dimension 99999999999999999999 is too large`},
		{`func @f() -> () { %r = const 1 : ptr<ptr<ptr<i8>>> }`, `1:34: "ptr<ptr<ptr<i8>>>" is no type`},
		{`func @f() -> () { %r = program_id : i32 }`, `1:35: the field axis is missing`},
		{`func @f() -> () { %r = program_id {axis = "0"} : i32 }`, `1:36: the field axis has an integer`},
		{`func @f() -> () { %r = program_id {axis = 0, x} : i32 }`, `1:46: program_id has no field x, or has it already`},
		{`func @f() -> () { %r = program_id {axis 0} : i32 }`, `1:41: expected "}", not "0"`},
		{`func @f(%i: i32) -> () { %r = add %i, %i {axis = 0} : i32 }`, `1:42: add has no attribute`},
		{`func @f(%i: i32) -> () { %r = cmpi %i, %i : i1 }`, `1:43: one of eq, ne, lts, les, gts, ges, ltu, leu, gtu, geu is missing`},
		{`func @f(%i: i32) -> () { %r = cmpi %i, %i {lt} : i1 }`, `1:48: one of eq, ne, lts, les, gts, ges, ltu, leu, gtu, geu is missing`},
		{`func @f(%i: ptr<i8>) -> () { %r = atomic_cas %i {sem = strong} : i1 }`, `1:50: the field sem has one of acq_rel, acquire, release, relaxed`},
		{`func @f(%i: i32) -> () { %r = trans %i {order = 1} : i32 }`, `1:41: the field order has a list of 1 to 24 numbers`},
		{`func @f(%i: i32) -> () { %r = trans %i {order = []} : i32 }`, `1:41: the field order has a list of 1 to 24 numbers`},
		{`func @f(%i: i32) -> () { %r = trans %i {order = [24]} : i32 }`, `1:41: the field order has numbers from 0 to 23`},
		{`func @f(%i: i32) -> () { %r = trans %i {order = [x]} : i32 }`, `1:50: x is no number from -9223372036854775808 to 9223372036854775807`},
		{`func @f(%i: i32) -> () { print %i {prefix = "", signed = 1} }`, `1:49: the field signed has a number such as 0xff`},
		{`func @f(%b: i1) -> () { if %b { yield } return }`, `1:41: expected "else", not "return"`},
		{`func @f(%b: i1) -> () { if %b (%x) { yield } }`, `1:34: expected ":", not ")"`},
		{`func @f() -> () { return loc }`, `1:30: expected the #number of a location, not "}"`},
		{`func @f() -> () { return loc #99999999999 }`, `1:30: #99999999999 is too large`},
		{`loc #2 = "f":1:1`, `1:5: location 1 comes next, not 2`},
		{`loc #1 = "":0:0`, `1:5: location 1 is empty, or in the table already`},
		{"loc #1 = \"f\":1:1\nloc #2 = \"f\":1:1", `2:5: location 2 is empty, or in the table already`},
		{`loc #1 = f:1:1`, `1:10: expected a file name, not "f"`},
		{`loc #1 = "f":-1:1`, `1:14: -1 is no line from 0 to 2147483647`},
		{`loc #1 = "f":1:4294967296`, `1:16: 4294967296 is no column from 0 to 2147483647`},
		{"func @f() -> () {\n\n  // what\n  ; }", `4:3: unexpected ";"`},
		{"func \xff", `1:6: unexpected "\xff"`},
	} {
		_, err := Parse("t.tile", []byte(tt.text))
		var e *diag.Error
		if !errors.As(err, &e) || !errors.Is(err, diag.Syntax) || e.Code != "tile-syntax" {
			t.Errorf("%s\nthe error is %v", tt.text, err)
			continue
		}
		if got := fmt.Sprintf("%d:%d: %s", e.Place.Line, e.Place.Col, e.Msg); got != tt.want {
			t.Errorf("%s\n got: %s\nwant: %s", tt.text, got, tt.want)
		}
	}
}

// TestParseFree checks that the text may be laid out and named freely, and how Print lays it out.
func TestParseFree(t *testing.T) {
	m, err := Parse("t.tile", []byte(`
// A comment.
func@f(%10:ptr<f32>{unsigned,div=16,},%"a b":i32,%x.7:i32,%x:i32)->(i32){//another
%5=add%"a b",%x.7:i32%x.8 = const 0xff:i8 %"0" = const 0x7f:i8 %f = const 1.50e+0 : f32
return%5}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `func @f(%0: ptr<f32> {div = 16, unsigned}, %"a b": i32, %x: i32, %x.1: i32) -> (i32) {
  %1 = add %"a b", %x : i32
  %x.2 = const -1 : i8
  %"0" = const 127 : i8
  %f = const 1.5 : f32
  return %1
}
`
	if diff := cmp.Diff(want, m.String()); diff != "" {
		t.Error(diff)
	}
}

func TestParseTooLong(t *testing.T) {
	_, err := Parse("t.tile", make([]byte, maxText+1))
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("the error is %v", err)
	}
}

// TestPrinterNote checks where comments on values go, and that the parser skips them.
func TestPrinterNote(t *testing.T) {
	m := newSmall(t).m
	note := func(v *Value) string {
		if v.Name == "k" {
			return ""
		}
		return "ID " + fmt.Sprint(v.ID)
	}
	text := Printer{Note: note}.String(m)
	golden(t, "note.tile", text)
	again, err := Parse("t.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Printer{}.String(m), again.String()); diff != "" {
		t.Error(diff)
	}
}

// FuzzParse checks that Parse never panics and that what it accepts prints to a text that
// it reads back as the same module.
func FuzzParse(f *testing.F) {
	f.Add(smallText)
	f.Add(everyOp(f).String())
	f.Add(around(`%r = cmpi %u, %u {eq} : 8xi1 // x`))
	f.Add("func @f(%0: f32 {name = \"\\xff\"}) -> (f32) { return %0 loc #1 }\nloc #1 = \"a\":1:2-3\nloc #2 = \"b\":1:2 <- #1")
	f.Fuzz(func(t *testing.T, text string) {
		p, broken := parse("fuzz.tile", []byte(text))
		if p.err == nil {
			_ = broken.String() // and whatever Verify says of it
		}
		m, err := Parse("fuzz.tile", []byte(text))
		if err != nil {
			if !errors.Is(err, diag.Syntax) {
				t.Fatalf("the error has the wrong category: %v", err)
			}
			return
		}
		printed := m.String()
		again, err := Parse("again.tile", []byte(printed))
		if err != nil {
			t.Fatalf("%s\nof\n%s", diag.Detail(err), printed)
		}
		if diff := cmp.Diff(printed, again.String()); diff != "" {
			t.Fatal(diff)
		}
		equalModules(t, m, again)
		if diff := cmp.Diff(printed, Clone(m).String()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestParseOperandsOnTheLine checks that an operation without operands does not take the next one's result
// for one.
func TestParseOperandsOnTheLine(t *testing.T) {
	const text = "func @f() -> () {\n  %0 = program_id {axis = 0} : i32\n  barrier\n  %1 = add %0, %0 : i32\n  return\n}\n"
	m, err := Parse("t.tile", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, m.String()); diff != "" {
		t.Error(diff)
	}
}
