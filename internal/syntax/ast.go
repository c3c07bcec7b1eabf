package syntax

// The tree mirrors CPython's ast module (names and fields), less what can be
// derived: there is no expression context, and operators are one Op type.

// A Span is a range of bytes of a file: [Pos, End).
type Span struct{ Pos, End int32 }

// Range gives the span itself; it makes every node a Node.
func (s Span) Range() Span { return s }

// A Node is any part of the tree that has a place in the file.
type Node interface{ Range() Span }

// An Expr is an expression.
type Expr interface {
	Node
	expr()
}

// A Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// An Op is an operator: binary, unary, boolean or comparison.
type Op uint8

// The operators, named as in CPython's ast.
const (
	NoOp Op = iota
	// Binary.
	Add
	Sub
	Mult
	MatMult
	Div
	Mod
	Pow
	LShift
	RShift
	BitOr
	BitXor
	BitAnd
	FloorDiv
	// Unary.
	Invert
	Not
	UAdd
	USub
	// Boolean.
	And
	Or
	// Comparison.
	Eq
	NotEq
	Lt
	LtE
	Gt
	GtE
	Is
	IsNot
	In
	NotIn
)

// A ConstKind says what a Constant is.
type ConstKind uint8

// The kinds of constants.
const (
	ConstNone ConstKind = iota
	ConstTrue
	ConstFalse
	ConstEllipsis
	ConstInt   // Text is the literal as written: 1_000, 0xFF
	ConstFloat // Text is the literal as written: 1e-3
	ConstImag  // Text is the literal as written, with its j
	ConstStr   // Text is the decoded value (surrogates as WTF-8), adjacent literals joined
	ConstBytes // Text is the decoded value
)

// Expressions.
type (
	// BoolOp is a and b and c.
	BoolOp struct {
		Span
		Op     Op
		Values []Expr
	}
	// NamedExpr is target := value.
	NamedExpr struct {
		Span
		Target *Name
		Value  Expr
	}
	// BinOp is left op right.
	BinOp struct {
		Span
		Op          Op
		Left, Right Expr
	}
	// UnaryOp is op operand.
	UnaryOp struct {
		Span
		Op      Op
		Operand Expr
	}
	// Lambda is lambda args: body.
	Lambda struct {
		Span
		Args *Arguments
		Body Expr
	}
	// IfExp is body if test else orelse.
	IfExp struct {
		Span
		Test, Body, Orelse Expr
	}
	// Dict is a dictionary display; a nil key marks **value.
	Dict struct {
		Span
		Keys, Values []Expr
	}
	// Set is a set display.
	Set struct {
		Span
		Elts []Expr
	}
	// Comp is a comprehension or generator expression.
	Comp struct {
		Span
		Kind       CompKind
		Elt        Expr // the key, for DictComp
		Value      Expr // the value, for DictComp; else nil
		Generators []Comprehension
	}
	// Await is await value.
	Await struct {
		Span
		Value Expr
	}
	// Yield is yield value; Value may be nil.
	Yield struct {
		Span
		Value Expr
	}
	// YieldFrom is yield from value.
	YieldFrom struct {
		Span
		Value Expr
	}
	// Compare is left ops[0] comparators[0] ops[1] comparators[1] …
	Compare struct {
		Span
		Left        Expr
		Ops         []Op
		Comparators []Expr
	}
	// Call is func(args, keywords).
	Call struct {
		Span
		Func     Expr
		Args     []Expr // may hold Starred
		Keywords []Keyword
	}
	// JoinedStr is an f-string: Constant and FormattedValue parts.
	JoinedStr struct {
		Span
		Values []Expr
	}
	// FormattedValue is one {value!conversion:spec} of an f-string.
	FormattedValue struct {
		Span
		Value      Expr
		Conversion int32      // -1, 's', 'r' or 'a'
		FormatSpec *JoinedStr // may be nil
	}
	// Constant is a literal.
	Constant struct {
		Span
		Kind    ConstKind
		Unicode bool // a u"" literal (ast's kind == 'u')
		Text    string
	}
	// Attribute is value.attr.
	Attribute struct {
		Span
		Value Expr
		Attr  string
	}
	// Subscript is value[slice].
	Subscript struct {
		Span
		Value, Slice Expr
	}
	// Starred is *value.
	Starred struct {
		Span
		Value Expr
	}
	// Name is an identifier (NFKC-normalised).
	Name struct {
		Span
		Id string
	}
	// List is a list display.
	List struct {
		Span
		Elts []Expr
	}
	// Tuple is a tuple display, with or without parentheses.
	Tuple struct {
		Span
		Elts []Expr
	}
	// Slice is lower:upper:step inside a Subscript; each may be nil.
	Slice struct {
		Span
		Lower, Upper, Step Expr
	}
	// BadExpr stands where an expression could not be read; a diagnostic tells why.
	BadExpr struct{ Span }
)

// A CompKind says which comprehension a Comp is.
type CompKind uint8

// The comprehensions.
const (
	ListComp CompKind = iota
	SetComp
	DictComp
	GeneratorExp
)

// Comprehension is one for-clause.
type Comprehension struct {
	Target, Iter Expr
	Ifs          []Expr
	Async        bool
}

// Keyword is name=value in a call; Arg is "" for **value.
type Keyword struct {
	Span
	Arg   string
	Value Expr
}

// Arguments are a function's parameters.
type Arguments struct {
	PosOnly    []*Arg
	Args       []*Arg
	VarArg     *Arg // may be nil
	KwOnly     []*Arg
	KwDefaults []Expr // one for each KwOnly; nil where there is none
	KwArg      *Arg   // may be nil
	Defaults   []Expr // for the last of PosOnly+Args
}

// Arg is a parameter.
type Arg struct {
	Span
	Name       string
	Annotation Expr // may be nil
}

// TypeParam is one of [T: bound = default, *Ts, **P].
type TypeParam struct {
	Span
	Kind    TypeParamKind
	Name    string
	Bound   Expr // may be nil; TypeVar only
	Default Expr // may be nil
}

// A TypeParamKind says what a TypeParam is.
type TypeParamKind uint8

// The type parameters.
const (
	TypeVar TypeParamKind = iota
	TypeVarTuple
	ParamSpec
)

// Statements.
type (
	// FunctionDef is def or async def.
	FunctionDef struct {
		Span       // from def (or async) to the body's end, as in CPython
		Async      bool
		Name       string
		NameSpan   Span
		TypeParams []*TypeParam
		Args       *Arguments
		Body       []Stmt
		Decorators []Expr
		Returns    Expr // may be nil
	}
	// ClassDef is class.
	ClassDef struct {
		Span
		Name       string
		TypeParams []*TypeParam
		Bases      []Expr
		Keywords   []Keyword
		Body       []Stmt
		Decorators []Expr
	}
	// Return is return; Value may be nil.
	Return struct {
		Span
		Value Expr
	}
	// Delete is del targets.
	Delete struct {
		Span
		Targets []Expr
	}
	// Assign is a = b = value.
	Assign struct {
		Span
		Targets []Expr
		Value   Expr
	}
	// TypeAlias is type name[params] = value.
	TypeAlias struct {
		Span
		Name       *Name
		TypeParams []*TypeParam
		Value      Expr
	}
	// AugAssign is target op= value.
	AugAssign struct {
		Span
		Op     Op
		Target Expr
		Value  Expr
	}
	// AnnAssign is target: annotation = value; Value may be nil.
	AnnAssign struct {
		Span
		Target, Annotation, Value Expr
		Simple                    bool // the target is a name without parentheses
	}
	// For is for or async for.
	For struct {
		Span
		Async        bool
		Target, Iter Expr
		Body, Orelse []Stmt
	}
	// While is while.
	While struct {
		Span
		Test         Expr
		Body, Orelse []Stmt
	}
	// If is if; elif is an If alone in Orelse.
	If struct {
		Span
		Test         Expr
		Body, Orelse []Stmt
	}
	// With is with or async with.
	With struct {
		Span
		Async bool
		Items []WithItem
		Body  []Stmt
	}
	// Match is match.
	Match struct {
		Span
		Subject Expr
		Cases   []MatchCase
	}
	// Raise is raise; both may be nil.
	Raise struct {
		Span
		Exc, Cause Expr
	}
	// Try is try, with except or except* handlers.
	Try struct {
		Span
		Star            bool
		Body            []Stmt
		Handlers        []*ExceptHandler
		Orelse, Finally []Stmt
	}
	// Assert is assert; Msg may be nil.
	Assert struct {
		Span
		Test, Msg Expr
	}
	// Import is import a.b as c, d.
	Import struct {
		Span
		Names []Alias
	}
	// ImportFrom is from ..module import names; Module may be "".
	ImportFrom struct {
		Span
		Module string
		Names  []Alias // a single Alias named "*" for a star import
		Level  int
	}
	// Global is global.
	Global struct {
		Span
		Names []string
	}
	// Nonlocal is nonlocal.
	Nonlocal struct {
		Span
		Names []string
	}
	// ExprStmt is an expression alone.
	ExprStmt struct {
		Span
		Value Expr
	}
	// Pass is pass.
	Pass struct{ Span }
	// Break is break.
	Break struct{ Span }
	// Continue is continue.
	Continue struct{ Span }
	// BadStmt stands where a statement could not be read; a diagnostic tells why.
	BadStmt struct{ Span }
)

// WithItem is context as vars; Vars may be nil.
type WithItem struct{ Context, Vars Expr }

// ExceptHandler is except type as name; Type may be nil, Name "".
type ExceptHandler struct {
	Span
	Type Expr
	Name string
	Body []Stmt
}

// Alias is one name of an import; AsName may be "".
type Alias struct {
	Span
	Name, AsName string
}

// MatchCase is case pattern if guard: body; Guard may be nil.
type MatchCase struct {
	Pattern Pattern
	Guard   Expr
	Body    []Stmt
}

// A Pattern is what a case matches.
type Pattern interface {
	Node
	pattern()
}

// Patterns.
type (
	// MatchValue compares with ==.
	MatchValue struct {
		Span
		Value Expr
	}
	// MatchSingleton is None, True or False.
	MatchSingleton struct {
		Span
		Kind ConstKind
	}
	// MatchSequence is [a, b, *rest].
	MatchSequence struct {
		Span
		Patterns []Pattern
	}
	// MatchMapping is {key: pattern, **rest}; Rest may be "".
	MatchMapping struct {
		Span
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}
	// MatchClass is Cls(patterns, name=pattern).
	MatchClass struct {
		Span
		Cls         Expr
		Patterns    []Pattern
		KwdAttrs    []string
		KwdPatterns []Pattern
	}
	// MatchStar is *name in a sequence; Name is "" for *_.
	MatchStar struct {
		Span
		Name string
	}
	// MatchAs is pattern as name; a nil Pattern binds a name, both empty is _.
	MatchAs struct {
		Span
		Pattern Pattern
		Name    string
	}
	// MatchOr is a | b.
	MatchOr struct {
		Span
		Patterns []Pattern
	}
)

// A Module is a whole file.
type Module struct {
	Body []Stmt
}

func (*BoolOp) expr()         {}
func (*NamedExpr) expr()      {}
func (*BinOp) expr()          {}
func (*UnaryOp) expr()        {}
func (*Lambda) expr()         {}
func (*IfExp) expr()          {}
func (*Dict) expr()           {}
func (*Set) expr()            {}
func (*Comp) expr()           {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*YieldFrom) expr()      {}
func (*Compare) expr()        {}
func (*Call) expr()           {}
func (*JoinedStr) expr()      {}
func (*FormattedValue) expr() {}
func (*Constant) expr()       {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Starred) expr()        {}
func (*Name) expr()           {}
func (*List) expr()           {}
func (*Tuple) expr()          {}
func (*Slice) expr()          {}
func (*BadExpr) expr()        {}

func (*FunctionDef) stmt() {}
func (*ClassDef) stmt()    {}
func (*Return) stmt()      {}
func (*Delete) stmt()      {}
func (*Assign) stmt()      {}
func (*TypeAlias) stmt()   {}
func (*AugAssign) stmt()   {}
func (*AnnAssign) stmt()   {}
func (*For) stmt()         {}
func (*While) stmt()       {}
func (*If) stmt()          {}
func (*With) stmt()        {}
func (*Match) stmt()       {}
func (*Raise) stmt()       {}
func (*Try) stmt()         {}
func (*Assert) stmt()      {}
func (*Import) stmt()      {}
func (*ImportFrom) stmt()  {}
func (*Global) stmt()      {}
func (*Nonlocal) stmt()    {}
func (*ExprStmt) stmt()    {}
func (*Pass) stmt()        {}
func (*Break) stmt()       {}
func (*Continue) stmt()    {}
func (*BadStmt) stmt()     {}

func (*MatchValue) pattern()     {}
func (*MatchSingleton) pattern() {}
func (*MatchSequence) pattern()  {}
func (*MatchMapping) pattern()   {}
func (*MatchClass) pattern()     {}
func (*MatchStar) pattern()      {}
func (*MatchAs) pattern()        {}
func (*MatchOr) pattern()        {}
