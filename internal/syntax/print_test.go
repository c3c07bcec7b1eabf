package syntax

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrint(t *testing.T) {
	f := NewFile("k.py", []byte(`@jit
def k(x, n: int = 3, *, c="a"):
    """Doc"""
    y = -x[None, :] + 2 if n < 1 <= 4 else f"{x!r}"
    for i in range(n):
        pass
    return lambda a: not None
`))
	m, errs := Parse(f)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	const want = `FunctionDef k 2:1
  Args: Arguments
    Args: Arg x 2:7
    Args: Arg n 2:10
      Annotation: Name int 2:13
    KwOnly: Arg c 2:25
    KwDefaults: Constant "a" 2:27
    Defaults: Constant 3 2:19
  Body: ExprStmt 3:5
    Value: Constant "Doc" 3:5
  Body: Assign 4:5
    Targets: Name y 4:5
    Value: IfExp 4:9
      Test: Compare Lt LtE 4:28
        Left: Name n 4:28
        Comparators: Constant 1 4:32
        Comparators: Constant 4 4:37
      Body: BinOp Add 4:9
        Left: UnaryOp USub 4:9
          Operand: Subscript 4:10
            Value: Name x 4:10
            Slice: Tuple 4:12
              Elts: Constant None 4:12
              Elts: Slice 4:18
        Right: Constant 2 4:23
      Orelse: JoinedStr 4:44
        Values: FormattedValue 4:46
          Value: Name x 4:47
  Body: For 5:5
    Target: Name i 5:9
    Iter: Call 5:14
      Func: Name range 5:14
      Args: Name n 5:20
    Body: Pass 6:9
  Body: Return 7:5
    Value: Lambda 7:12
      Args: Arguments
        Args: Arg a 7:19
      Body: UnaryOp Not 7:22
        Operand: Constant None 7:26
  Decorators: Name jit 1:2
`
	if diff := cmp.Diff(want, string(Print(f, m.Body[0]))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
