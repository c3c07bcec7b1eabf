package driver

import (
	"encoding/json"
	"strings"
	"sync"

	"github.com/tegula-lang/tegula/internal/dtype"
	"github.com/tegula-lang/tegula/internal/schema"
)

//go:generate go run ./schemagen ../docs/kernel-metadata.schema.json

// MetadataVersion is the version of the metadata that this package reads and writes. It changes
// when a field is added, removed or means something else: there are no fields that a reader may
// ignore.
const MetadataVersion = 1

// KernelMetadata is what a launcher has to know of a compiled kernel besides its code. It stands
// beside a binary as JSON, in the format that docs/kernel-metadata.schema.json describes.
type KernelMetadata struct {
	Schema         int                `json:"schema" schema:"version=1" doc:"The version of this format."`
	Name           string             `json:"name" schema:"format=name" doc:"The kernel's name in its source."`
	Target         string             `json:"target" schema:"format=target" doc:"What the code was compiled for: a backend, or a backend and an architecture."`
	NumWarps       int                `json:"num_warps" schema:"pow2,min=1,max=64" doc:"Warps of a program instance, in each of its CTAs."`
	NumCTAs        int                `json:"num_ctas" schema:"pow2,min=1,max=16" doc:"CTAs of a program instance: the size of its cluster."`
	ThreadsPerWarp int                `json:"threads_per_warp" schema:"pow2,min=1,max=64" doc:"Threads of a warp, or of a sub-group."`
	Shared         int                `json:"shared" schema:"min=0,max=2147483647" doc:"Shared (local) memory of a CTA, in bytes."`
	NumStages      int                `json:"num_stages" schema:"min=1,max=64" doc:"Stages of software pipelines."`
	Args           []MetadataArg      `json:"args" doc:"The arguments that a launch passes, in their order in memory."`
	Constants      []MetadataConstant `json:"constants" doc:"The arguments of a call that are part of the code and not passed."`
	Backends       MetadataBackends   `json:"backends" doc:"What only one backend knows, by its name. The target's backend has a section."`
}

// A MetadataArg is an argument of the compiled kernel. Arguments lie in memory as the members of
// a C struct do.
type MetadataArg struct {
	Name        string `json:"name" schema:"format=name" doc:"The parameter's name; an element of a tuple is x[1]."`
	Type        string `json:"type" schema:"format=type" doc:"The type, as in a signature."`
	Source      []int  `json:"source" schema:"min=0,max=2147483647,minitems=1" doc:"The parameter's position in the kernel's source, then positions in tuples."`
	Size        int    `json:"size" schema:"min=1,max=8" doc:"The size in memory, in bytes."`
	Offset      int    `json:"offset" schema:"min=0,max=2147483647" doc:"Where it begins in the memory of the arguments, in bytes."`
	Align       int    `json:"align" schema:"pow2,min=1,max=8" doc:"A power of two that divides the offset."`
	DivisibleBy int64  `json:"divisible_by" schema:"pow2,min=1,max=4611686018427387904" doc:"What the code relies on to divide the value, or the address; 1 if nothing."`
}

// A MetadataConstant is an argument that was folded into the code: a constexpr, None, an integer
// that is 1.
type MetadataConstant struct {
	Name   string `json:"name" schema:"format=name" doc:"The parameter's name; an element of a tuple is x[1]."`
	Source []int  `json:"source" schema:"min=0,max=2147483647,minitems=1" doc:"The parameter's position in the kernel's source, then positions in tuples."`
	Kind   string `json:"kind" schema:"enum=none|bool|int|float|str|tuple|list|dtype|function|object" doc:"What the value is."`
	Value  string `json:"value" doc:"The value as Python's repr writes it."`
}

// MetadataBackends are the sections of the backends. Other holds those of backends that this
// package does not know, each a JSON object.
type MetadataBackends struct {
	CPU   *CPUMetadata               `json:"cpu" doc:"For the CPU."`
	CUDA  *CUDAMetadata              `json:"cuda" doc:"For NVIDIA GPUs."`
	XPU   *XPUMetadata               `json:"xpu" doc:"For Intel GPUs and other SYCL devices."`
	Other map[string]json.RawMessage `schema:"rest"`
}

// CPUMetadata is the section of the CPU's backend.
type CPUMetadata struct {
	Executor string   `json:"executor" schema:"enum=checked|native" doc:"What runs the kernel."`
	Frame    int      `json:"frame" schema:"min=0,max=2147483647" doc:"Memory that a running program instance needs, in bytes."`
	Features []string `json:"features" schema:"format=feature" doc:"What the processor must be able to do."`
}

// CUDAMetadata is the section of the backend for NVIDIA GPUs.
type CUDAMetadata struct {
	Entry         string `json:"entry" schema:"format=name" doc:"The name of the function in the module."`
	PTX           string `json:"ptx" schema:"format=version" doc:"The PTX version of the module."`
	Registers     *int   `json:"registers" schema:"min=1,max=255" doc:"Registers of a thread; left out if the driver has not chosen them yet."`
	DynamicShared int    `json:"dynamic_shared" schema:"min=0,max=2147483647" doc:"The part of the shared memory that the launch asks for, in bytes."`
	Cluster       [3]int `json:"cluster" schema:"min=1,max=16" doc:"CTAs of a cluster along x, y and z."`
	Cooperative   bool   `json:"cooperative" doc:"All program instances must be resident at once."`
	Programmatic  bool   `json:"programmatic" doc:"The kernel may begin before the one before it has ended, and waits where it has to."`
}

// XPUMetadata is the section of the backend for SYCL devices.
type XPUMetadata struct {
	Entry    string   `json:"entry" schema:"format=name" doc:"The name of the kernel in the module."`
	SPIRV    string   `json:"spirv" schema:"format=version" doc:"The SPIR-V version of the module."`
	Requires []string `json:"requires" schema:"format=feature" doc:"What the device must be able to do, such as fp64."`

	Device *XPUDevice `json:"device" doc:"The device that the code was made for; left out of what was compiled for any."`
}

// XPUDevice is what a SYCL runtime says of a device.
type XPUDevice struct {
	Name         string   `json:"name" doc:"The device's name."`
	Vendor       string   `json:"vendor" doc:"Who made it."`
	Platform     string   `json:"platform" doc:"The platform that offers it."`
	Driver       string   `json:"driver" doc:"The version of its driver."`
	API          string   `json:"api" schema:"enum=opencl|level_zero" doc:"How the runtime reaches it."`
	GPU          bool     `json:"gpu" doc:"Whether it is a GPU."`
	SubGroups    []int    `json:"sub_group_sizes" schema:"min=1,max=65536" doc:"The sizes of sub-groups that a kernel may require."`
	MaxWorkGroup int      `json:"max_work_group_size" schema:"min=1,max=2147483647" doc:"The most work-items of a work-group."`
	LocalMemory  int64    `json:"local_mem_size" schema:"min=0,max=9223372036854775807" doc:"Local memory of a work-group, in bytes."`
	Memory       int64    `json:"global_mem_size" schema:"min=0,max=9223372036854775807" doc:"The device's memory, in bytes."`
	ComputeUnits int      `json:"max_compute_units" schema:"min=0,max=2147483647" doc:"Its parallel compute units."`
	Features     []string `json:"features" schema:"format=feature" doc:"What it can do beyond what all can: fp16, fp64, atomic64."`
}

// metadata is the sort of documents. It is made when it is first needed: most launches never do.
var metadata = sync.OnceValue(func() *schema.Document[KernelMetadata] {
	return schema.New(schema.Options{
		ID:    "urn:tegula:kernel-metadata:1",
		Title: "Kernel metadata",
		Doc: "What a launcher has to know of a compiled kernel besides its code. " +
			"Beyond this schema, arguments lie in memory as the members of a C struct, each as large as its type, " +
			"no two arguments or constants have the same source, and the backend of the target has a section.",
		Formats: map[string]schema.Format{
			"name":    {Pattern: `^[^\x00-\x20\x7f]+$`, Expect: "a name without spaces"},
			"target":  {Pattern: `^[a-z][a-z0-9_-]*(:[0-9A-Za-z._-]+)?$`, Expect: `a target such as "cpu" or "cuda:90a"`},
			"type":    {Pattern: typePattern(), Expect: `a type such as "i32" or "*fp32"`},
			"version": {Pattern: `^[0-9]+\.[0-9]+$`, Expect: `a version such as "8.7"`},
			"feature": {Pattern: `^[a-z][a-z0-9_.]*$`, Expect: `a feature such as "avx512f"`},
		},
	}, checkMetadata)
})

// maxPointerDepth is how many stars a type may have.
const maxPointerDepth = 2

// typePattern matches the types of signatures.
func typePattern() string {
	var names []string
	for d := dtype.Int1; d <= dtype.Float64; d++ {
		names = append(names, d.String())
	}
	return `^\*{0,2}(` + strings.Join(names, "|") + `)$`
}

// ParseKernelMetadata reads metadata. What is missing, of another type, out of range, unknown,
// said twice or of another version is a SchemaError, whose cause is a *SchemaProblem.
func ParseKernelMetadata(text []byte) (*KernelMetadata, error) {
	return metadata().Parse(text)
}

// KernelMetadataSchema gives the JSON Schema of metadata.
func KernelMetadataSchema() []byte { return metadata().Schema() }

// A SchemaProblem says which field of a document is wrong, what was expected there and what was
// found.
type SchemaProblem = schema.Problem

// Encode gives the metadata's text, the same for the same metadata. It is checked as it is when
// it is read.
func (m *KernelMetadata) Encode() ([]byte, error) { return metadata().Encode(m) }

// MarshalJSON is Encode, for encoding/json.
func (m KernelMetadata) MarshalJSON() ([]byte, error) { return m.Encode() }

// UnmarshalJSON is ParseKernelMetadata, for encoding/json.
func (m *KernelMetadata) UnmarshalJSON(text []byte) error {
	parsed, err := ParseKernelMetadata(text)
	if err != nil {
		return err
	}
	*m = *parsed
	return nil
}

// Backend gives the backend of the target.
func (m *KernelMetadata) Backend() string {
	backend, _, _ := strings.Cut(m.Target, ":")
	return backend
}
