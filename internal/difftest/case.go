package difftest

import (
	"bytes"
	"compress/zlib"
	"embed"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tegula-lang/tegula/internal/dtype"
)

//go:embed testdata/kernels/*.py testdata/expected.json
var files embed.FS

// A Case is one launch of one kernel.
type Case struct {
	Name   string // file/kernel or file/kernel.variant
	File   string // the kernel's file, for messages
	Source []byte
	Kernel string
	Grid   []int
	Args   []Arg
	Tol    Tolerance
}

// An Arg is an argument. Exactly one of Data (an array), Typed (a scalar of a given type) and
// neither (Literal, a Python literal) applies.
type Arg struct {
	Name    string
	DType   dtype.DType
	Dims    []int
	Data    []byte // an array's elements, row-major, in memory's byte order
	Want    []byte // what Data must be after the launch; nil where it is not looked at
	Typed   bool
	Int     int64
	Literal string
}

// Copy gives the launch with arrays of its own.
func (c *Case) Copy() Case {
	out := *c
	out.Args = slices.Clone(c.Args)
	for i := range out.Args {
		out.Args[i].Data = slices.Clone(out.Args[i].Data)
	}
	return out
}

// A Tolerance is how far a float may be off. With none set, the bits must be equal (any NaN
// equals any other).
type Tolerance struct {
	ULP      int
	Rel, Abs float64
}

var (
	caseLine  = regexp.MustCompile(`^# case(?: (\w+))?: (.*)$`)
	defLine   = regexp.MustCompile(`^def (\w+)`)
	arrayForm = regexp.MustCompile(`^(>?)(\w+)\[([\d,]+)\](?::(.*))?$`)
	typedForm = regexp.MustCompile(`^(\w+):(-?\d+)$`)
)

// Load reads the corpus and makes the inputs.
func Load() ([]Case, error) {
	raw, err := files.ReadFile("testdata/expected.json")
	if err != nil {
		return nil, err
	}
	var expected map[string]map[string]any
	if err := json.Unmarshal(raw, &expected); err != nil {
		return nil, err
	}
	entries, err := files.ReadDir("testdata/kernels")
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, e := range entries {
		src, err := files.ReadFile("testdata/kernels/" + e.Name())
		if err != nil {
			return nil, err
		}
		found, err := parseFile(e.Name(), src)
		if err != nil {
			return nil, err
		}
		cases = append(cases, found...)
	}
	for i := range cases {
		if err := cases[i].expect(expected[cases[i].Name]); err != nil {
			return nil, fmt.Errorf("%s: %w", cases[i].Name, err)
		}
	}
	if len(cases) != len(expected) {
		return nil, fmt.Errorf("expected.json has %d cases, the kernels %d", len(expected), len(cases))
	}
	sort.SliceStable(cases, func(i, j int) bool { return cases[i].File < cases[j].File })
	return cases, nil
}

func parseFile(name string, src []byte) ([]Case, error) {
	stem := strings.TrimSuffix(path.Base(name), ".py")
	var cases []Case
	var pending [][]string
	for n, line := range strings.Split(string(src), "\n") {
		if m := caseLine.FindStringSubmatch(line); m != nil {
			pending = append(pending, m)
		}
		m := defLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, p := range pending {
			c := Case{Name: stem + "/" + m[1], File: name, Source: src, Kernel: m[1]}
			if p[1] != "" {
				c.Name += "." + p[1]
			}
			if err := c.fields(p[2]); err != nil {
				return nil, fmt.Errorf("%s: case above line %d: %w", name, n+1, err)
			}
			cases = append(cases, c)
		}
		pending = nil
	}
	return cases, nil
}

func (c *Case) fields(text string) error {
	for _, word := range strings.Fields(text) {
		key, val, ok := strings.Cut(word, "=")
		if !ok {
			return fmt.Errorf("%q is no KEY=VALUE", word)
		}
		var err error
		switch key {
		case "grid":
			for _, g := range strings.Split(val, ",") {
				n, e := strconv.Atoi(g)
				c.Grid, err = append(c.Grid, n), e
			}
		case "tol":
			c.Tol.ULP, err = strconv.Atoi(strings.TrimSuffix(val, "ulp"))
		case "rtol":
			c.Tol.Rel, err = strconv.ParseFloat(val, 64)
		case "atol":
			c.Tol.Abs, err = strconv.ParseFloat(val, 64)
		default:
			var a Arg
			a, err = parseArg(c.Kernel, key, val)
			c.Args = append(c.Args, a)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", word, err)
		}
	}
	return nil
}

func parseArg(kernel, name, text string) (Arg, error) {
	if m := arrayForm.FindStringSubmatch(text); m != nil {
		a := Arg{Name: name, DType: dtype.Lookup(m[2])}
		if a.DType == dtype.Invalid {
			return a, fmt.Errorf("unknown type %q", m[2])
		}
		for _, d := range strings.Split(m[3], ",") {
			n, err := strconv.Atoi(d)
			if err != nil {
				return a, err
			}
			a.Dims = append(a.Dims, n)
		}
		spec := m[4]
		if spec == "" {
			spec = "const(0)"
		}
		if m[1] != "" {
			a.Want = []byte{}
		}
		var err error
		a.Data, err = fill(kernel, name, a.DType, a.Dims, spec)
		return a, err
	}
	if m := typedForm.FindStringSubmatch(text); m != nil {
		a := Arg{Name: name, DType: dtype.Lookup(m[1]), Typed: true}
		var err error
		a.Int, err = strconv.ParseInt(m[2], 10, 64)
		return a, err
	}
	return Arg{Name: name, Literal: text}, nil
}

// expect checks the inputs against the judge's checksum and takes over what it gave.
func (c *Case) expect(want map[string]any) error {
	if want == nil {
		return fmt.Errorf("not in expected.json")
	}
	crc := uint32(0)
	for i := range c.Args {
		a := &c.Args[i]
		crc = crc32.Update(crc, crc32.IEEETable, a.Data)
		if a.Want == nil {
			continue
		}
		text, _ := want[a.Name].(string)
		var packed []byte
		if err := json.Unmarshal([]byte(strconv.Quote(text)), &packed); err != nil {
			return err
		}
		r, err := zlib.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		if a.Want, err = io.ReadAll(r); err != nil {
			return err
		}
		if len(a.Want) != len(a.Data) {
			return fmt.Errorf("%s has %d bytes, expected.json %d", a.Name, len(a.Data), len(a.Want))
		}
	}
	if got, ok := want["inputs"].(float64); !ok || uint32(got) != crc {
		return fmt.Errorf("inputs differ from the judge's: checksum %d, there %v", crc, want["inputs"])
	}
	return nil
}
