package syntax

// Chunks start small, so that a small file costs little, and grow fast up to a
// size at which the allocator's price no longer shows.
const (
	minChunk = 4
	maxChunk = 512
)

// A slab gives out zeroed values of one type from chunks. The nodes of a tree
// are freed together, so nothing is ever given back.
type slab[T any] struct {
	chunk []T
	used  int
}

func (s *slab[T]) alloc() *T {
	if s.used == len(s.chunk) {
		s.grow()
	}
	v := &s.chunk[s.used]
	s.used++
	return v
}

func (s *slab[T]) grow() {
	s.chunk = make([]T, min(max(4*len(s.chunk), minChunk), maxChunk))
	s.used = 0
}

// A stack collects the elements of lists under construction, the innermost on
// top, and cuts finished lists from chunks.
type stack[T any] struct {
	items []T
	chunk []T
	size  int // of the chunk that was made last
}

func (s *stack[T]) push(v T) { s.items = append(s.items, v) }

func (s *stack[T]) mark() int { return len(s.items) }

// take removes what was pushed since mark and returns it; nil if that is nothing.
func (s *stack[T]) take(mark int) []T {
	n := len(s.items) - mark
	if n == 0 {
		return nil
	}
	if n > len(s.chunk) {
		if n > maxChunk/4 {
			return s.cut(make([]T, n), mark)
		}
		s.size = min(max(4*s.size, minChunk, n), maxChunk)
		s.chunk = make([]T, s.size)
	}
	out := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return s.cut(out, mark)
}

func (s *stack[T]) cut(out []T, mark int) []T {
	copy(out, s.items[mark:])
	s.items = s.items[:mark]
	return out
}

// An arena holds the slabs of the nodes that programs are full of; the rarer
// ones are allocated alone.
type arena struct {
	names      slab[Name]
	constants  slab[Constant]
	attributes slab[Attribute]
	calls      slab[Call]
	subscripts slab[Subscript]
	binOps     slab[BinOp]
	unaryOps   slab[UnaryOp]
	boolOps    slab[BoolOp]
	compares   slab[Compare]
	tuples     slab[Tuple]
	lists      slab[List]
	dicts      slab[Dict]
	starreds   slab[Starred]
	joined     slab[JoinedStr]
	formatted  slab[FormattedValue]

	args         slab[Arg]
	arguments    slab[Arguments]
	assigns      slab[Assign]
	augAssigns   slab[AugAssign]
	exprStmts    slab[ExprStmt]
	returns      slab[Return]
	ifs          slab[If]
	functionDefs slab[FunctionDef]

	exprList    stack[Expr]
	stmtList    stack[Stmt]
	keywordList stack[Keyword]
	opList      stack[Op]
	argList     stack[*Arg]
	compList    stack[Comprehension]
	patternList stack[Pattern]
	stringList  stack[string]
	aliasList   stack[Alias]
}
