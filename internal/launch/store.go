package launch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"log"
	"runtime"
	"sync"
	"weak"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/internal/cache"
	"github.com/tegula-lang/tegula/internal/compiler"
	"github.com/tegula-lang/tegula/internal/diag"
)

// A resident is a binary loaded on a device. Kernels that differ in nothing that its identity covers
// share one. It is unloaded when no variant has it any more.
type resident struct{ kernel driver.Kernel }

// A residentID tells a resident from others.
type residentID struct {
	backend string
	index   int
	key     cache.Key
}

// A store holds the residents of the process, without keeping them alive, and finds binaries on
// disk.
type store struct {
	mu      sync.Mutex
	byID    map[residentID]weak.Pointer[resident]
	pending map[residentID]*loading
	disk    func() *cache.Cache
}

// A loading is the making of a resident, which several may wait for.
type loading struct {
	landed   chan struct{}
	resident *resident
	err      error
}

// shared is the store of this process.
var shared = newStore(sync.OnceValue(func() *cache.Cache {
	o := cache.FromEnv()
	o.Warn = func(err error) { log.Print("tegula: ", err) }
	return cache.Open(o)
}))

// DiskCache gives the cache that binaries are kept in.
func DiskCache() *cache.Cache { return shared.disk() }

func newStore(disk func() *cache.Cache) *store {
	return &store{byID: make(map[residentID]weak.Pointer[resident]), pending: make(map[residentID]*loading), disk: disk}
}

// load gives the binary of a unit, loaded on a device. Those who ask for one that is being made
// wait for it, and share its error.
func (s *store) load(u *compiler.Unit, on *onDevice) (*resident, error) {
	id := residentID{on.backend, on.index, u.Identity()}
	s.mu.Lock()
	if c := s.byID[id].Value(); c != nil {
		s.mu.Unlock()
		return c, nil
	}
	if f := s.pending[id]; f != nil {
		s.mu.Unlock()
		<-f.landed
		return f.resident, f.err
	}
	f := &loading{landed: make(chan struct{}), err: errors.New("the compiler failed")}
	s.pending[id] = f
	s.mu.Unlock()
	defer s.land(id, f)
	f.resident, f.err = s.make(u, on, id.key)
	return f.resident, f.err
}

// land ends a flight.
func (s *store) land(id residentID, f *loading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
	if f.resident != nil {
		s.byID[id] = weak.Make(f.resident)
		runtime.AddCleanup(f.resident, s.drop, dropped{id, f.resident.kernel})
	}
	close(f.landed)
}

// A dropped is a resident that no variant has any more.
type dropped struct {
	id     residentID
	kernel driver.Kernel
}

// drop unloads it.
func (s *store) drop(d dropped) {
	s.mu.Lock()
	if p, ok := s.byID[d.id]; ok && p.Value() == nil {
		delete(s.byID, d.id)
	}
	s.mu.Unlock()
	if err := d.kernel.Close(); err != nil {
		log.Print("tegula: ", err)
	}
}

// make makes a binary and loads it. Code from the disk that the device's driver made before, and does not take any more, is made anew.
func (s *store) make(u *compiler.Unit, on *onDevice, key cache.Key) (*resident, error) {
	entry := diskKey(key, on)
	b, kept, err := s.binary(u, on, entry)
	if err != nil {
		return nil, err
	}
	r, err := loadOn(on, b)
	if _, finishes := on.device.(driver.Finisher); err == nil || !kept || !finishes || !errors.Is(err, diag.Driver) {
		return r, err
	}
	if b, err = s.remake(u, on, entry); err != nil {
		return nil, err
	}
	return loadOn(on, b)
}

// loadOn loads a binary if the device has what it needs.
func loadOn(on *onDevice, b *driver.Binary) (*resident, error) {
	if err := checkResources(b.Metadata, on.limits); err != nil {
		return nil, err
	}
	k, err := on.device.Load(b)
	if err != nil {
		return nil, err
	}
	if err := checkResources(k.Metadata(), on.limits); err != nil { // registers are known only now
		return nil, joined([]error{err, k.Close()})
	}
	return &resident{k}, nil
}

// diskKey gives the key of a binary on disk. What a device's driver made is for that driver and devices of that name.
func diskKey(identity cache.Key, on *onDevice) cache.Key {
	h := cache.NewKey().Bytes("identity", identity[:])
	if _, finishes := on.device.(driver.Finisher); finishes {
		info := on.device.Info()
		h.Str("driver", info.Version).Str("device", info.Name)
	}
	return h.Sum()
}

// binary makes a binary, or finds it on disk.
func (s *store) binary(u *compiler.Unit, on *onDevice, key cache.Key) (b *driver.Binary, kept bool, err error) {
	if !u.Keeps() {
		b, err = build(u, on)
		return b, false, err
	}
	var made *driver.Binary
	file, err := s.disk().GetOrPut(key, func() ([]byte, error) {
		b, err := build(u, on)
		if err != nil {
			return nil, err
		}
		made = b
		return encodeBinary(b)
	})
	if err != nil || made != nil {
		return made, false, err
	}
	if b, err := decodeBinary(file); err == nil && b.Metadata.Target == on.target.String() {
		return b, true, nil
	}
	b, err = s.remake(u, on, key) // the entry is whole, but not what this compiler writes
	return b, false, err
}

// remake makes a binary and replaces the one on disk.
func (s *store) remake(u *compiler.Unit, on *onDevice, key cache.Key) (*driver.Binary, error) {
	made, err := build(u, on)
	if err != nil {
		return nil, err
	}
	if file, err := encodeBinary(made); err == nil {
		_ = s.disk().Put(key, file) // the cache has told of its error
	}
	return made, nil
}

// build makes a binary.
func build(u *compiler.Unit, on *onDevice) (*driver.Binary, error) {
	b, err := u.Build()
	if err != nil {
		return nil, err
	}
	if f, ok := on.device.(driver.Finisher); ok {
		return f.Finish(b)
	}
	return b, nil
}

// encodeBinary gives a binary as it is kept on disk: the length of the metadata, the metadata and
// the image.
func encodeBinary(b *driver.Binary) ([]byte, error) {
	meta, err := b.Metadata.Encode()
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(make([]byte, 0, len(meta)+len(b.Image)+binary.MaxVarintLen64), uint64(len(meta)))
	return append(append(out, meta...), b.Image...), nil
}

var errNoBinary = errors.New("no binary")

func decodeBinary(file []byte) (*driver.Binary, error) {
	n, size := binary.Uvarint(file)
	if size <= 0 || n > uint64(len(file)-size) {
		return nil, errNoBinary
	}
	meta, image := file[size:size+int(n)], file[size+int(n):]
	m, err := driver.ParseKernelMetadata(meta)
	if err != nil {
		return nil, err
	}
	return &driver.Binary{Metadata: m, Image: bytes.Clone(image)}, nil
}
