package tile

import (
	"fmt"
	"slices"
)

var (
	loadCaches  = []Cache{CacheDefault, CacheCA, CacheCG, CacheCS, CacheCV}
	storeCaches = []Cache{CacheDefault, CacheWB, CacheCG, CacheCS, CacheWT}
)

// cached checks how an access goes through caches.
func cached(op *Op, c Cache, e Evict, caches []Cache) error {
	if !slices.Contains(caches, c) {
		return fmt.Errorf("a %s has no cache %s", op.Code, c)
	}
	return enumIn(e, evictNames)
}

func addPtr(op *Op) error {
	if err := first(operand(op, 0, isPtr), operand(op, 1, isInt), operandsInShape(op)); err != nil {
		return err
	}
	return resultIs(op, 0, op.Args[0].Type)
}

// accessed gives the type of what operand 0, the pointer, points to.
func accessed(op *Op) (Type, error) {
	if err := operand(op, 0, isPtr); err != nil {
		return Type{}, err
	}
	t := op.Args[0].Type.Pointee()
	if t.IsBool() {
		return Type{}, fmt.Errorf("operand 0 is %s; an i1 has no form in memory", op.Args[0].Type)
	}
	return t, nil
}

// maskAt checks that operand i, if there, is a mask of t's shape.
func maskAt(op *Op, i int, t Type) error {
	if i >= len(op.Args) {
		return nil
	}
	return operandIs(op, i, t.WithElem(I1))
}

func load(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	if err := maskAt(op, 1, t); err != nil {
		return err
	}
	if len(op.Args) == 3 {
		if err := operandIs(op, 2, t); err != nil {
			return err
		}
	}
	a := op.Attr.(LoadAttr)
	return first(cached(op, a.Cache, a.Evict, loadCaches), resultIs(op, 0, t))
}

func store(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	a := op.Attr.(StoreAttr)
	return first(operandIs(op, 1, t), maskAt(op, 2, t), cached(op, a.Cache, a.Evict, storeCaches))
}

func atomicRMW(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	a := op.Attr.(AtomicAttr)
	if err := atomicOrder(a); err != nil {
		return err
	}
	if err := enumIn(a.Kind, atomicNames); err != nil {
		return err
	}
	if fits := atomicClass(a.Kind); !fits(t) {
		return fmt.Errorf("the atomic %s does not work on %s", a.Kind, t)
	}
	return first(operandIs(op, 1, t), maskAt(op, 2, t), resultIs(op, 0, t))
}

// atomicClass gives the types that a read-modify-write works on.
func atomicClass(k Atomic) func(Type) bool {
	switch k {
	case AtomicXchg:
		return func(Type) bool { return true }
	case AtomicFAdd, AtomicFMax, AtomicFMin:
		return Type.IsFloat
	}
	return Type.IsInt
}

func atomicCAS(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	a := op.Attr.(AtomicAttr)
	if a.Kind != 0 {
		return fmt.Errorf("the kind is %s; atomic_cas has none", a.Kind)
	}
	return first(atomicOrder(a), operandIs(op, 1, t), operandIs(op, 2, t), resultIs(op, 0, t))
}

// plainAtomic checks the attribute of an atomic that reads or writes only; orders are those that it may have.
func plainAtomic(op *Op, orders ...MemSem) error {
	a := op.Attr.(AtomicAttr)
	switch {
	case a.Kind != 0:
		return fmt.Errorf("the kind is %s; %s has none", a.Kind, op.Code)
	case !slices.Contains(orders, a.Sem):
		return fmt.Errorf("the order is %s; %s is %s or %s", a.Sem, op.Code, orders[0], orders[1])
	}
	return atomicOrder(a)
}

func atomicLoad(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	return first(plainAtomic(op, Acquire, Relaxed), maskAt(op, 1, t), resultIs(op, 0, t))
}

func atomicStore(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	return first(plainAtomic(op, Release, Relaxed), operandIs(op, 1, t), maskAt(op, 2, t))
}

func atomicPoll(op *Op) error {
	t, err := accessed(op)
	if err != nil {
		return err
	}
	if !t.IsInt() {
		return fmt.Errorf("operand 0 is %s; atomic_poll waits for integers", op.Args[0].Type)
	}
	if len(op.Args) == 3 {
		if err := operandIs(op, 2, Scalar(I64)); err != nil {
			return err
		}
	}
	return first(plainAtomic(op, Acquire, Relaxed), operandIs(op, 1, t), resultIs(op, 0, t.WithElem(I1)))
}

func atomicOrder(a AtomicAttr) error {
	return first(enumIn(a.Sem, memSemNames), enumIn(a.Scope, memScopeNames))
}
