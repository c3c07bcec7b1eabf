package compiler

import (
	"slices"
	"strconv"

	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/pyval"
	"github.com/tegula-lang/tegula/internal/sema"
	"github.com/tegula-lang/tegula/internal/tile"
)

// fromTile takes a kernel that came as tile IR. Its types are fixed; what is known of the arguments beyond their types
// is the launch's to say, not the text's.
func fromTile(r *Request) (*sema.Result, error) {
	m := tile.Clone(r.Tile)
	f := m.Funcs[0]
	groups := TileParams(f)
	if len(r.Spec.Args) != len(groups) {
		return nil, diag.New(diag.Argument, "argument-count", "%s takes %d arguments, not %d", f.Name, len(groups), len(r.Spec.Args))
	}
	r.Spec.Args = slices.Clone(r.Spec.Args)
	p := &tileParams{module: m, fn: f}
	for i, group := range groups {
		a := &r.Spec.Args[i]
		var err error
		if len(group) == 1 {
			err = p.plain(i, group[0], a)
		} else {
			err = p.descriptor(i, group, a)
		}
		if err != nil {
			return nil, err
		}
	}
	p.finish()
	for i, written := range f.Written() {
		p.sources[i].Written = written
	}
	if p.before != nil {
		if err := tile.Verify(m); err != nil {
			return nil, diag.New(diag.Unsupported, "parameter", "%s does not take descriptors of this kind: %s", f.Name, err)
		}
	}
	return &sema.Result{Module: m, Params: p.sources}, nil
}

// TileParams groups the parameters of a function by the arguments that a launch gives: each is one, but for descriptors, which come with their sizes and
// strides behind them, as X, X.shape.0 … X.stride.0 ….
func TileParams(f *tile.Func) (groups [][]int) {
	for i := 0; i < len(f.Params); i++ {
		group := []int{i}
		if t := f.Body.Args[i].Type; t.IsDesc() {
			for _, part := range []string{".shape.", ".stride."} {
				for k := range t.Rank() {
					if next := i + len(group); next < len(f.Params) && f.Params[next].Name == f.Params[i].Name+part+strconv.Itoa(k) {
						group = append(group, next)
					}
				}
			}
		}
		groups = append(groups, group)
		i += len(group) - 1
	}
	return groups
}

// tileParams is the parameters of a function while those of a launch are made of them.
type tileParams struct {
	module  *tile.Module
	fn      *tile.Func
	args    []*tile.Value
	params  []tile.Param
	sources []sema.ParamSource
	before  []*tile.Op // what makes descriptors, at the beginning of the function
}

func (p *tileParams) add(v *tile.Value, param tile.Param, path []int, t sema.Type) {
	p.args, p.params = append(p.args, v), append(p.params, param)
	p.sources = append(p.sources, sema.ParamSource{Name: param.Name, Path: path, Type: t})
}

// plain takes a pointer or a number.
func (p *tileParams) plain(i, at int, a *sema.ArgSpec) error {
	known, err := p.parameterType(at, a)
	if err != nil {
		return err
	}
	if a.IsConst {
		*a = sema.ArgSpec{Type: known}
	}
	v, param := p.fn.Body.Args[at], p.fn.Params[at]
	param.Divisibility, param.ReadOnly = a.Divisibility, a.ReadOnly
	if !v.Type.IsPtr() && !v.Type.IsInt() {
		param.Divisibility = 0
	}
	p.add(v, param, []int{i}, known)
	return nil
}

// descAlign is what the addresses and strides of descriptors that the host makes are multiples of, in bytes.
const descAlign = 16

// descriptor takes a descriptor with its sizes and strides: the kernel makes it, of an array's address. The last stride is 1.
func (p *tileParams) descriptor(i int, group []int, a *sema.ArgSpec) error {
	v, param := p.fn.Body.Args[group[0]], p.fn.Params[group[0]]
	block, n := v.Type.Block(), v.Type.Rank()
	if a.Desc == nil || a.Desc.Elem.Tile != block.Scalar() || !slices.Equal(a.Desc.Block, block.Shape()) || len(group) != 1+2*n {
		return diag.New(diag.Argument, "argument-type", "parameter '%s' of %s is a descriptor of blocks %s, which the argument is not", param.Name, p.fn.Name, block)
	}
	base := p.fn.NewValue(tile.PtrTo(block.Scalar()))
	base.Name = v.Name
	p.add(base, tile.Param{Name: param.Name, Divisibility: descAlign}, []int{i, 0}, sema.PointerTo(a.Desc.Elem))
	parts := []*tile.Value{base}
	for k, at := range group[1:] {
		part, kept := p.fn.Body.Args[at], p.fn.Params[at]
		parts = append(parts, part)
		if k == 2*n-1 {
			one := &tile.Op{Code: tile.OpConst, Attr: tile.ConstAttr{Bits: 1}}
			p.make(one, part)
			break
		}
		kept.Divisibility = 0
		if k >= n {
			kept.Divisibility = max(1, descAlign/int64(a.Desc.Elem.DType.Bytes()))
		}
		p.add(part, kept, []int{i, 1 + k}, sema.ScalarType(part.Type.Elem().DType()))
	}
	v.Type = tile.DescOf(block, a.Desc.Kind)
	p.make(&tile.Op{Code: tile.OpMakeDesc, Args: parts}, v)
	return nil
}

// make has an operation at the beginning of the function give what was a parameter.
func (p *tileParams) make(op *tile.Op, v *tile.Value) {
	op.Loc, op.Results = p.fn.Loc, []*tile.Value{v}
	v.Op, v.Block, v.Index = op, nil, 0
	p.before = append(p.before, op)
}

// finish puts the new parameters in the place of the old ones.
func (p *tileParams) finish() {
	body := p.fn.Body
	body.Args, p.fn.Params = p.args, p.params
	for i, v := range body.Args {
		v.Block, v.Index = body, int32(i)
	}
	body.Ops = append(p.before, body.Ops...)
}

// parameterType gives the type that an argument is passed as, and refuses arguments that do not fit the parameter.
func (p *tileParams) parameterType(i int, a *sema.ArgSpec) (sema.Type, error) {
	f := p.fn
	t := f.Body.Args[i].Type
	want := sema.ScalarType(t.Elem().DType())
	for range t.PtrDepth() {
		want = sema.PointerTo(want)
	}
	if t.IsTile() || t.IsDesc() {
		return want, diag.New(diag.Unsupported, "parameter", "parameter '%s' of %s is %s; arrays and numbers can be given to a launch", f.Params[i].Name, f.Name, t)
	}
	_, isInt := a.Const.(int64)
	switch {
	case a.IsConst && isInt && t.IsInt(): // the number 1, which the code takes as any other
		return want, nil
	case a.IsConst || a.IsTuple || a.Desc != nil || a.Type.Tile != t:
		e := diag.At(diag.Argument, p.place(), "parameter '%s' of %s is %s, and the argument is %s", f.Params[i].Name, f.Name, want, describeArg(a))
		return want, e.WithCode("argument-type")
	}
	return a.Type, nil
}

// describeArg says what an argument is.
func describeArg(a *sema.ArgSpec) string {
	switch {
	case a.IsTuple:
		return "a tuple"
	case a.Desc != nil:
		return "a descriptor of " + a.Desc.Elem.String()
	case a.IsConst:
		return "the constant " + pyval.Repr(a.Const)
	}
	return a.Type.String()
}

// place is where the function stands in its text.
func (p *tileParams) place() diag.Place {
	at := p.module.Locs.At(p.fn.Loc)
	return diag.Place{File: at.File, Line: int(at.Line), Col: int(at.Col), EndCol: int(at.EndCol)}
}
