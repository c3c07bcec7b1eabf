package syntax

// opNames are CPython's names of the operators.
var opNames = [...]string{
	NoOp: "NoOp", Add: "Add", Sub: "Sub", Mult: "Mult", MatMult: "MatMult", Div: "Div", Mod: "Mod", Pow: "Pow",
	LShift: "LShift", RShift: "RShift", BitOr: "BitOr", BitXor: "BitXor", BitAnd: "BitAnd", FloorDiv: "FloorDiv",
	Invert: "Invert", Not: "Not", UAdd: "UAdd", USub: "USub", And: "And", Or: "Or",
	Eq: "Eq", NotEq: "NotEq", Lt: "Lt", LtE: "LtE", Gt: "Gt", GtE: "GtE",
	Is: "Is", IsNot: "IsNot", In: "In", NotIn: "NotIn",
}

// String gives the name of the operator in CPython's ast module.
// String gives CPython's name.
func (op Op) String() string { return opNames[op] }
