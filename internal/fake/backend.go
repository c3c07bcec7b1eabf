package fake

import (
	"encoding/json"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
	"github.com/tegula-lang/tegula/internal/target"
	"github.com/tegula-lang/tegula/internal/tile"
)

// What images begin with: those of the compiler, and those that a finisher made of them.
const (
	magic    = "fake image\n"
	finished = "finished fake image\n"
)

// Image gives the code of a module.
func Image(m *tile.Module) []byte { return []byte(magic + tile.Printer{Locs: true}.String(m)) }

// A backend compiles tile IR by printing it.
type backend struct{ driver *Driver }

// Policy gives the policy that the options say.
func (b backend) Policy() target.Policy { return *b.driver.options.Policy }

// Version gives the version that the options say.
func (b backend) Version() string { return b.driver.options.Version }

// Keeps: images are bytes.
func (b backend) Keeps() bool { return !b.driver.options.Unkept }

// Compile prints.
func (b backend) Compile(j target.Job) (*driver.Binary, error) {
	b.driver.count(&b.driver.compiles)
	m := j.Metadata
	m.ThreadsPerWarp = 32
	m.Shared = b.driver.options.Shared
	m.Backends.Other = map[string]json.RawMessage{b.driver.name: json.RawMessage(`{}`)}
	return &driver.Binary{Metadata: m, Image: Image(j.Module)}, nil
}

// Emits: the image can be looked at.
func (backend) Emits() []string { return []string{"image"} }

// Emit gives the image.
func (b backend) Emit(stage string, j target.Job) ([]byte, error) {
	if stage != "image" {
		return nil, diag.New(diag.Unsupported, "emit", "target %s has no stage %q", j.Target, stage)
	}
	bin, err := b.Compile(j)
	if err != nil {
		return nil, err
	}
	return bin.Image, nil
}
