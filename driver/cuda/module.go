package cuda

import (
	"bytes"
	"runtime"
	"slices"
	"strings"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/diag"
)

// The options of the library's compiler that are used, and the kind of its input.
const (
	jitInfoLog          = 3
	jitInfoLogBytes     = 4
	jitErrorLog         = 5
	jitErrorLogBytes    = 6
	jitTargetOfContext  = 8
	jitGenerateLineInfo = 13
	inputPTX            = 1
)

// logBytes is the room for each of the compiler's logs.
const logBytes = 1 << 14

// logs are what the compiler writes.
type logs struct {
	info, err [logBytes]byte
	keys      [6]uint32
	values    [6]uintptr
}

// newLogs gives logs with the options that have the compiler write them.
func newLogs() *logs {
	l := cell[logs]()
	l.keys = [6]uint32{jitInfoLog, jitInfoLogBytes, jitErrorLog, jitErrorLogBytes, jitTargetOfContext, jitGenerateLineInfo}
	l.values = [6]uintptr{address(&l.info), logBytes, address(&l.err), logBytes, 0, 1}
	return l
}

// lines gives the lines of a log.
func lines(log []byte) []string {
	text, _, _ := bytes.Cut(log, []byte{0})
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(s string) bool { return strings.TrimSpace(s) == "" })
}

// explain adds what the compiler wrote to an error about a kernel.
func (l *logs) explain(e *diag.Error, kernel string) error {
	said := append(lines(l.err[:]), lines(l.info[:])...)
	if len(said) > 0 {
		e.Msg = "the driver's compiler refuses " + kernel + ": " + strings.TrimSpace(said[0]) + "; " + e.Msg
	} else {
		e.Msg = kernel + " cannot be loaded: " + e.Msg
	}
	for _, s := range said[min(1, len(said)):] {
		e.Notes = append(e.Notes, diag.Note{Msg: strings.TrimSpace(s)})
	}
	return e
}

// isPTX tells PTX, a text, from a cubin, which is an ELF file.
func isPTX(image []byte) bool { return !bytes.HasPrefix(image, []byte("\x7fELF")) }

// terminated gives a C string, or a text that the library reads to its end, as a cell.
//
//go:noinline
func terminated[T string | []byte](s T) *byte {
	c := make([]byte, len(s)+1)
	copy(c, s)
	return &c[0]
}

// Finish has the driver's compiler make a cubin of PTX. It is code for this device's architecture, made by the version of
// the driver that Info gives. A cubin stays what it is.
func (d *device) Finish(b *driver.Binary) (*driver.Binary, error) {
	if err := d.ours(b); err != nil || !isPTX(b.Image) {
		return b, err
	}
	cubin, err := d.link(b.Image, b.Metadata.Name)
	if err != nil {
		return nil, err
	}
	return &driver.Binary{Metadata: b.Metadata, Image: cubin}, nil
}

// ours reports whether a binary is for devices of this package at all.
func (d *device) ours(b *driver.Binary) error {
	if b.Metadata.Backends.CUDA == nil || len(b.Image) == 0 {
		return diag.New(diag.Driver, "not-cuda", "kernel %s was compiled for %s and cannot be loaded on a GPU", b.Metadata.Name, b.Metadata.Target)
	}
	return nil
}

// link compiles PTX. All of it happens on one thread: the compiler keeps memory by thread, and corrupts it if a link that one thread
// began goes on in another.
func (d *device) link(ptx []byte, kernel string) ([]byte, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	l, state := newLogs(), cell[uintptr]()
	r := d.api.call(d.context, d.api.linkCreate, uintptr(len(l.keys)), address(&l.keys), address(&l.values), address(state))
	if r != success {
		return nil, l.explain(d.api.failure("cuLinkCreate", r), kernel)
	}
	defer func() {
		d.api.call(d.context, d.api.linkDestroy, *state)
		keep(l) // which the link writes to as long as it lives
	}()
	text, name := terminated(ptx), terminated(kernel+".ptx")
	r = d.api.call(d.context, d.api.linkAddData, *state, inputPTX, address(text), uintptr(len(ptx)+1), address(name), 0, 0, 0)
	if r != success {
		return nil, l.explain(d.api.failure("cuLinkAddData", r), kernel)
	}
	image, size := cell[uintptr](), cell[uintptr]()
	r = d.api.call(d.context, d.api.linkComplete, *state, address(image), address(size))
	if r != success {
		return nil, l.explain(d.api.failure("cuLinkComplete", r), kernel)
	}
	keep(text, name)
	return slices.Clone(foreign(*image, int(*size))), nil
}

// What kernels print waits in a ring until somebody waits for the device; what does not fit is lost. CUDA's own size is 1 MiB, some ten thousand
// lines.
const (
	limitPrints = 1
	printBytes  = 64 << 20
)

// makeRoomForPrints makes the ring larger. The library refuses once a kernel that prints has run, of somebody else's: then it is as they want it.
func (d *device) makeRoomForPrints() {
	if d.api.ctxSetLimit != 0 {
		d.api.call(d.context, d.api.ctxSetLimit, limitPrints, printBytes)
	}
}

// Load makes code ready to launch.
func (d *device) Load(b *driver.Binary) (driver.Kernel, error) {
	if err := d.ours(b); err != nil {
		return nil, err
	}
	if bytes.Contains(b.Image, []byte("vprintf")) {
		d.prints.Do(d.makeRoomForPrints)
	}
	l, module := newLogs(), cell[uintptr]()
	image := terminated(b.Image)
	r := d.api.call(d.context, d.api.moduleLoadDataEx, address(module), address(image), uintptr(len(l.keys)), address(&l.keys), address(&l.values))
	keep(l, image)
	if r != success {
		return nil, l.explain(d.api.failure("cuModuleLoadDataEx", r), b.Metadata.Name)
	}
	k := &kernel{device: d, module: *module}
	k.refs.Store(1)
	if err := k.prepare(b.Metadata); err != nil {
		k.release()
		return nil, err
	}
	return k, nil
}
