package driver_test

import (
	"errors"
	"fmt"

	"github.com/tegula-lang/tegula/driver"
)

func ExampleKernelMetadata_Encode() {
	args := []driver.MetadataArg{
		{Name: "x", Type: "*fp32", Source: []int{0}, DivisibleBy: 16},
		{Name: "n", Type: "i32", Source: []int{1}, DivisibleBy: 1},
	}
	if err := driver.LayOut(args); err != nil {
		fmt.Println(err)
		return
	}
	m := driver.KernelMetadata{
		Schema: driver.MetadataVersion, Name: "scale", Target: "cpu",
		NumWarps: 4, NumCTAs: 1, ThreadsPerWarp: 1, NumStages: 3,
		Args:      args,
		Constants: []driver.MetadataConstant{{Name: "BLOCK", Source: []int{2}, Kind: "int", Value: "1024"}},
		Backends:  driver.MetadataBackends{CPU: &driver.CPUMetadata{Executor: "checked", Frame: 8192}},
	}
	text, err := m.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := driver.ParseKernelMetadata(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Name, again.Args[1].Offset, again.ArgBytes())
	// Output: scale 8 12
}

func ExampleParseKernelMetadata() {
	_, err := driver.ParseKernelMetadata([]byte(`{"schema": 1, "name": "scale", "target": "cpu", "num_warps": 3}`))
	fmt.Println(err)
	var p *driver.SchemaProblem
	if errors.As(err, &p) {
		fmt.Println(p.Path)
	}
	// Output:
	// SchemaError: $.num_warps: expected a power of two from 1 to 64, found the number 3
	// $.num_warps
}
