package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/tegula-lang/tegula"
)

//go:embed kernels.py
var source string

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(tegula.Detail(err))
	}
}

func run(ctx context.Context, out io.Writer) error {
	mod, err := tegula.Load("kernels.py", source)
	if err != nil {
		return err
	}
	if err := saxpy(ctx, mod, out); err != nil {
		return err
	}
	if err := rowMax(ctx, mod, out); err != nil {
		return err
	}
	return refused(ctx, mod, out)
}

// saxpy launches a kernel on slices. They are not copied: the kernel reads and writes them.
func saxpy(ctx context.Context, mod *tegula.Module, out io.Writer) error {
	const n = 1_000_000
	x, y, sum := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = float32(i), 1
	}
	const block = 1024
	err := mod.Kernel("saxpy").Launch(ctx, tegula.CPU(), tegula.Grid{tegula.Cdiv(n, block)},
		x, y, sum, 0.5, n, tegula.Const("BLOCK", block))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "0.5 * x + 1 =", sum[:4], "…", sum[n-1])
	return nil
}

// rowMax computes the grid from the arguments, and names those.
func rowMax(ctx context.Context, mod *tegula.Module, out io.Writer) error {
	x := []tegula.Float16{}
	for _, f := range []float32{1, 5, 2, -1, -7, -0.5, 8, 8, 3} {
		x = append(x, tegula.Float16From(f))
	}
	matrix, err := tegula.View(x, 3, 3)
	if err != nil {
		return err
	}
	value, index := make([]float32, 3), make([]int32, 3)
	onePerRow := tegula.GridFunc(func(a tegula.Args) tegula.Grid { return tegula.Grid{a.Shape("x_ptr")[0]} })
	err = mod.Kernel("row_max").Launch(ctx, tegula.CPU(), onePerRow,
		tegula.Arg("x_ptr", matrix), tegula.Arg("value_ptr", value), tegula.Arg("index_ptr", index),
		tegula.Arg("n_cols", 3), tegula.Const("COLS", 4))
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "the largest of each row:", value, "at", index)
	return nil
}

// refused shows what an error looks like: a slice that is too short is found by the checker, at the line of the kernel.
func refused(ctx context.Context, mod *tegula.Module, out io.Writer) error {
	short := make([]float32, 10)
	err := mod.Kernel("saxpy").Launch(ctx, tegula.CPU(), tegula.Grid{1}, short, short, short, 2, 11, tegula.Const("BLOCK", 16), tegula.Check())
	if !errors.Is(err, tegula.ErrCheck) {
		return fmt.Errorf("a kernel that reads outside its arrays gave %v", err)
	}
	var e *tegula.Error
	if errors.As(err, &e) {
		fmt.Fprintf(out, "refused: %s at line %d\n", e.Code, e.Place.Line)
	}
	return nil
}
