package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tegula-lang/tegula"
	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/fake"
	"github.com/tegula-lang/tegula/internal/target"
)

// begin

// A toyBackend compiles tile IR for toys, whose code is an image of it.
type toyBackend struct{}

// Policy: toys have code for strides of 1 and for addresses that are multiples of 16.
func (toyBackend) Policy() target.Policy { return target.Policy{EqualOne: true, Divisibility: 16} }

// Version changes when the same tile IR makes other code.
func (toyBackend) Version() string { return "1" }

// Keeps: images are bytes, so they may be kept on disk.
func (toyBackend) Keeps() bool { return true }

// Compile makes an image, and completes the metadata: what the compiler knows is there already.
func (toyBackend) Compile(j target.Job) (*driver.Binary, error) {
	m := j.Metadata
	m.ThreadsPerWarp = 32
	m.Shared = 0
	m.Backends.Other = map[string]json.RawMessage{"toy": json.RawMessage(`{}`)}
	return &driver.Binary{Metadata: m, Image: fake.Image(j.Module)}, nil
}

// Emits: there is nothing to show between tile IR and the image.
func (toyBackend) Emits() []string { return nil }

// Emit has no stage to give.
func (toyBackend) Emit(stage string, j target.Job) ([]byte, error) {
	return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
}

// What a real backend does in init functions: the compiler gets a row in the table of targets, the
// driver one in that of drivers.
var toys = func() *fake.Driver {
	target.Register("toy", toyBackend{}, nil)
	return fake.RegisterDriver("toy", fake.Options{Devices: 2, Limits: driver.Limits{Grid: driver.Grid{1 << 20, 1 << 10, 1}, Threads: 256}})
}()

func Example_backend() {
	mod, err := tegula.Load("scale.py", `
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, n, BLOCK: tl.constexpr = 4):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)
`)
	if err != nil {
		panic(err)
	}
	ctx, scale := context.Background(), mod.Kernel("scale")
	stream := toys.Stream(1)
	x, err := tegula.NewBuffer(stream, tegula.I8, 6)
	if err != nil {
		panic(err)
	}
	data := []byte{1, 2, 3, 4, 5, 6}
	if err := x.CopyFrom(ctx, stream, data); err != nil {
		panic(err)
	}
	if err := scale.Launch(ctx, stream, tegula.GridExpr("cdiv(n, BLOCK)"), x, 6); err != nil {
		panic(err)
	}
	if err := x.CopyTo(ctx, stream, data); err != nil {
		panic(err)
	}
	l := toys.Launches()[0]
	fmt.Println("launched", l.Kernel, "for", l.Metadata.Target, "on", l.Stream.Backend, l.Stream.Device, "grid", l.Grid)
	fmt.Println("arguments", l.Metadata.Args[0].Type, l.Metadata.Args[1].Type, "in", len(l.Packed), "bytes")
	fmt.Println("result", data)
	fmt.Println(scale.Launch(ctx, stream, tegula.Grid{1, 1, 2}, x, 6))
	fmt.Println(scale.Launch(ctx, stream, tegula.Grid{1}, x, 6, tegula.NumWarps(16)))
	fmt.Println(scale.Launch(ctx, stream, tegula.Grid{1}, make([]int8, 6), 6))
	// Output:
	// launched scale for toy on toy 1 grid [2 1 1]
	// arguments *i8 i32 in 12 bytes
	// result [2 4 6 8 10 12]
	// GridError: Grid must contain 1 to 3 positive integer dimensions. The size of axis 2 (z) is 2; at most 1 are possible there on toy.
	// OutOfResources: scale needs more than the device has: threads: 512 required, the limit is 256; num_warps is 16, and a warp has 32 threads; choose fewer warps
	// ArgumentError: argument 'x_ptr' of scale is in the memory of cpu, but the launch is on toy:1; copy it there, or launch on a stream of cpu
}

// end

// TestBackendIsShown holds contract.md to the example above.
func TestBackendIsShown(t *testing.T) {
	src, err := os.ReadFile("backend_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(src), "\n// begin\n")
	code, _, ok := strings.Cut(rest, "\n// end\n")
	text, err := os.ReadFile("contract.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := "```go" + code + "```"; !ok || !strings.Contains(string(text), want) {
		if !*update {
			t.Fatal("contract.md does not show the example as it is; go test ./docs -run Backend -update")
		}
		before, after, _ := strings.Cut(string(text), "```go")
		_, after, _ = strings.Cut(after, "```")
		write(t, "contract.md", []byte(before+want+after))
	}
}
