package bridge

import (
	"context"
	"math"
	"sync"

	"github.com/tegula-lang/tegula/driver"
	"github.com/tegula-lang/tegula/driver/xpu"
	"github.com/tegula-lang/tegula/internal/diag"
)

// What Python does with a device besides launching: streams and memory. A request names the backend, the device, what to do, and
// numbers; the answer is numbers.

// deviceOps are what to do, in the order of enum tg_device_op in bridge.h.
var deviceOps = [...]func(d driver.Device, s driver.Stream, n []uint64) ([]uint64, error){
	ownStream, newStream, closeStream, waitStream, deviceLimits, allocate, release, copyIn, copyOut, fillZero,
}

// answerDevice does it.
func answerDevice(r *reader, w *writer) error {
	backend, index, op := r.str(), int(int32(r.u32())), r.u8()
	numbers := make([]uint64, r.count(8))
	for i := range numbers {
		numbers[i] = r.u64()
	}
	if r.err != nil {
		return r.err
	}
	if int(op) >= len(deviceOps) {
		return diag.New(diag.Argument, "device-request", "there is no device request %d", op)
	}
	d, err := driver.OpenDevice(backend, index)
	if err != nil {
		return err
	}
	s := driver.Stream{Backend: backend, Device: index}
	if len(numbers) > 0 {
		s.Handle = uintptr(numbers[0])
	}
	out, err := deviceOps[op](d, s, numbers)
	if err != nil {
		return err
	}
	w.u32(uint32(len(out)))
	for _, n := range out {
		w.u64(n)
	}
	return nil
}

// answerQueue gives the number of the device that a queue of a framework's is of.
func answerQueue(r *reader, w *writer) error {
	handle := uintptr(r.u64())
	if r.err != nil {
		return r.err
	}
	s, err := xpu.Queue(handle)
	w.u32(uint32(s.Device))
	return err
}

func ownStream(d driver.Device, _ driver.Stream, _ []uint64) ([]uint64, error) {
	return []uint64{uint64(d.Stream().Handle)}, nil
}

func newStream(d driver.Device, _ driver.Stream, _ []uint64) ([]uint64, error) {
	s, err := d.NewStream()
	return []uint64{uint64(s.Handle)}, err
}

// closeStream takes the stream.
func closeStream(d driver.Device, s driver.Stream, _ []uint64) ([]uint64, error) {
	return nil, d.CloseStream(s)
}

// waitStream takes the stream.
func waitStream(d driver.Device, s driver.Stream, _ []uint64) ([]uint64, error) {
	return nil, d.Wait(context.Background(), s)
}

// deviceLimits gives the most programs along each axis, threads and bytes of shared memory.
func deviceLimits(d driver.Device, _ driver.Stream, _ []uint64) ([]uint64, error) {
	l := d.Limits()
	return []uint64{uint64(l.Grid[0]), uint64(l.Grid[1]), uint64(l.Grid[2]), uint64(l.Threads), uint64(l.Shared)}, nil
}

// memories are those that Python holds, by number.
var memories struct {
	sync.Mutex
	byID map[uint64]driver.Memory
	last uint64
}

// memoryOf gives the one with a number, which is the second of a request's.
func memoryOf(n []uint64) (driver.Memory, error) {
	memories.Lock()
	defer memories.Unlock()
	if len(n) > 1 {
		if m := memories.byID[n[1]]; m != nil {
			return m, nil
		}
	}
	return nil, diag.New(diag.Argument, "no-memory", "the memory is no longer there")
}

// allocate takes how many bytes, and gives the memory's number and address.
func allocate(d driver.Device, _ driver.Stream, n []uint64) ([]uint64, error) {
	if len(n) != 1 || n[0] > math.MaxInt64 {
		return nil, errShort
	}
	m, err := d.Alloc(int64(n[0]))
	if err != nil {
		return nil, err
	}
	memories.Lock()
	defer memories.Unlock()
	if memories.byID == nil {
		memories.byID = map[uint64]driver.Memory{}
	}
	memories.last++
	memories.byID[memories.last] = m
	return []uint64{memories.last, m.Address()}, nil
}

// release takes a stream, which may be 0, and the memory.
func release(_ driver.Device, _ driver.Stream, n []uint64) ([]uint64, error) {
	m, err := memoryOf(n)
	if err != nil {
		return nil, err
	}
	memories.Lock()
	delete(memories.byID, n[1])
	memories.Unlock()
	return nil, m.Free()
}

// copyIn takes a stream, the memory, an offset there, an address in this process and how many bytes.
func copyIn(_ driver.Device, s driver.Stream, n []uint64) ([]uint64, error) {
	m, err := memoryOf(n)
	if err != nil {
		return nil, err
	}
	if len(n) != 5 {
		return nil, errShort
	}
	return nil, m.CopyIn(context.Background(), s, int64(n[2]), memoryAt(n[3], n[4]))
}

// copyOut takes what copyIn takes.
func copyOut(_ driver.Device, s driver.Stream, n []uint64) ([]uint64, error) {
	m, err := memoryOf(n)
	if err != nil {
		return nil, err
	}
	if len(n) != 5 {
		return nil, errShort
	}
	return nil, m.CopyOut(context.Background(), s, int64(n[2]), memoryAt(n[3], n[4]))
}

// zeros are copied to memory that is to be zero.
var zeros [1 << 16]byte

// fillZero takes a stream and the memory.
func fillZero(_ driver.Device, s driver.Stream, n []uint64) ([]uint64, error) {
	m, err := memoryOf(n)
	if err != nil {
		return nil, err
	}
	for at := int64(0); at < m.Bytes(); at += int64(len(zeros)) {
		if err := m.CopyIn(context.Background(), s, at, zeros[:min(int64(len(zeros)), m.Bytes()-at)]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
