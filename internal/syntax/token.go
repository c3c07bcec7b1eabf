package syntax

// A token is the kind of a token. Its text is the source between the cursor's
// pos and end; no token is ever stored.
type token uint8

// The tokens. The three line tokens come first: next tests for them with one
// comparison.
const (
	tokNewline token = iota
	tokIndent
	tokDedent
	tokEOF

	tokName
	tokInt
	tokFloat
	tokImag
	tokString
	tokFString // the opening of an f-string; the parser reads on from there

	tokLParen
	tokRParen
	tokLBrack
	tokRBrack
	tokLBrace
	tokRBrace
	tokComma
	tokColon
	tokSemi
	tokDot
	tokEllipsis
	tokArrow
	tokWalrus
	tokAssign
	tokBang

	tokPlus
	tokMinus
	tokStar
	tokAt
	tokSlash
	tokPercent
	tokPower
	tokLShift
	tokRShift
	tokPipe
	tokCaret
	tokAmp
	tokFloorDiv
	tokTilde

	tokPlusEq
	tokMinusEq
	tokStarEq
	tokAtEq
	tokSlashEq
	tokPercentEq
	tokPowerEq
	tokLShiftEq
	tokRShiftEq
	tokPipeEq
	tokCaretEq
	tokAmpEq
	tokFloorDivEq

	tokEqual
	tokNotEq
	tokLess
	tokLessEq
	tokGreater
	tokGreaterEq

	tokFalse
	tokNone
	tokTrue
	tokAnd
	tokAs
	tokAssert
	tokAsync
	tokAwait
	tokBreak
	tokClass
	tokContinue
	tokDef
	tokDel
	tokElif
	tokElse
	tokExcept
	tokFinally
	tokFor
	tokFrom
	tokGlobal
	tokIf
	tokImport
	tokIn
	tokIs
	tokLambda
	tokNonlocal
	tokNot
	tokOr
	tokPass
	tokRaise
	tokReturn
	tokTry
	tokWhile
	tokWith
	tokYield

	numTokens

	firstKeyword = tokFalse
	lastKeyword  = tokYield
)

// keywordText spells the keywords, from firstKeyword on.
var keywordText = [...]string{
	"False", "None", "True", "and", "as", "assert", "async", "await", "break",
	"class", "continue", "def", "del", "elif", "else", "except", "finally",
	"for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
	"not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
}

// A keywordSlot is a place of the keyword table; kind is 0 where it is free.
type keywordSlot struct {
	text string
	kind token
}

// keywords is a perfect hash table: each keyword has a slot of its own.
var keywords = func() (table [64]keywordSlot) {
	for i, text := range keywordText {
		table[keywordHash(text)] = keywordSlot{text, firstKeyword + token(i)}
	}
	return table
}()

// keywordHash needs a word of two bytes or more. Its factors were found by
// search: the least for which no two keywords meet in 64 slots.
func keywordHash(word string) uint8 {
	n := len(word)
	return (word[0]*25 + word[1]*55 + word[n-1]*24 + uint8(n)) & 63
}

// keywordToken gives the token of a word that may be a keyword.
func keywordToken(word string) token {
	if len(word) < len("as") || len(word) > len("continue") {
		return tokName
	}
	slot := &keywords[keywordHash(word)]
	if slot.text == word {
		return slot.kind
	}
	return tokName
}

// Precedences of the infix operators, from the loosest. Unary operators and the
// power bind tighter than all of these and are read by operand.
const (
	precOr = iota + 1
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precSum
	precTerm
)

// infix gives each token's precedence and meaning between two operands; a
// precedence of 0 marks the tokens that are no infix operators.
var infix = [numTokens]struct {
	prec uint8
	op   Op
}{
	tokOr:  {precOr, Or},
	tokAnd: {precAnd, And},

	tokEqual:     {precCompare, Eq},
	tokNotEq:     {precCompare, NotEq},
	tokLess:      {precCompare, Lt},
	tokLessEq:    {precCompare, LtE},
	tokGreater:   {precCompare, Gt},
	tokGreaterEq: {precCompare, GtE},
	tokIs:        {precCompare, Is},
	tokIn:        {precCompare, In},
	tokNot:       {precCompare, NotIn},

	tokPipe:     {precBitOr, BitOr},
	tokCaret:    {precBitXor, BitXor},
	tokAmp:      {precBitAnd, BitAnd},
	tokLShift:   {precShift, LShift},
	tokRShift:   {precShift, RShift},
	tokPlus:     {precSum, Add},
	tokMinus:    {precSum, Sub},
	tokStar:     {precTerm, Mult},
	tokAt:       {precTerm, MatMult},
	tokSlash:    {precTerm, Div},
	tokPercent:  {precTerm, Mod},
	tokFloorDiv: {precTerm, FloorDiv},
}

// augmented gives the operator of an augmented assignment, else NoOp.
var augmented = [numTokens]Op{
	tokPlusEq:     Add,
	tokMinusEq:    Sub,
	tokStarEq:     Mult,
	tokAtEq:       MatMult,
	tokSlashEq:    Div,
	tokPercentEq:  Mod,
	tokPowerEq:    Pow,
	tokLShiftEq:   LShift,
	tokRShiftEq:   RShift,
	tokPipeEq:     BitOr,
	tokCaretEq:    BitXor,
	tokAmpEq:      BitAnd,
	tokFloorDivEq: FloorDiv,
}

// startsExpr marks the tokens that an expression may start with, a starred or
// yield expression aside.
var startsExpr = [numTokens]bool{
	tokName: true, tokInt: true, tokFloat: true, tokImag: true,
	tokString: true, tokFString: true,
	tokLParen: true, tokLBrack: true, tokLBrace: true, tokEllipsis: true,
	tokPlus: true, tokMinus: true, tokTilde: true,
	tokFalse: true, tokNone: true, tokTrue: true,
	tokAwait: true, tokLambda: true, tokNot: true,
}

// startsStmt marks the keywords that can stand nowhere but at the start of a
// statement or clause. One of them at the start of a line inside a bracket
// shows that the bracket was never closed.
var startsStmt = [numTokens]bool{
	tokAssert: true, tokBreak: true, tokClass: true, tokContinue: true,
	tokDef: true, tokDel: true, tokElif: true, tokExcept: true,
	tokFinally: true, tokGlobal: true, tokImport: true, tokNonlocal: true,
	tokPass: true, tokRaise: true, tokReturn: true, tokTry: true,
	tokWhile: true, tokWith: true,
}

// opSpelling spells an operator character by how it may go on.
type opSpelling struct {
	single   token // alone
	withEq   token // followed by =
	double   token // doubled
	doubleEq token // doubled and followed by =
}

// operators gives the operators by their first byte; tokNewline (0) where
// there is no such token.
var operators = [128]opSpelling{
	'+': {tokPlus, tokPlusEq, 0, 0},
	'-': {tokMinus, tokMinusEq, 0, 0},
	'*': {tokStar, tokStarEq, tokPower, tokPowerEq},
	'/': {tokSlash, tokSlashEq, tokFloorDiv, tokFloorDivEq},
	'%': {tokPercent, tokPercentEq, 0, 0},
	'@': {tokAt, tokAtEq, 0, 0},
	'&': {tokAmp, tokAmpEq, 0, 0},
	'|': {tokPipe, tokPipeEq, 0, 0},
	'^': {tokCaret, tokCaretEq, 0, 0},
	'~': {tokTilde, 0, 0, 0},
	'<': {tokLess, tokLessEq, tokLShift, tokLShiftEq},
	'>': {tokGreater, tokGreaterEq, tokRShift, tokRShiftEq},
	'=': {tokAssign, tokEqual, 0, 0},
	'!': {tokBang, tokNotEq, 0, 0},
	':': {tokColon, tokWalrus, 0, 0},
	',': {tokComma, 0, 0, 0},
	';': {tokSemi, 0, 0, 0},
}
