package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// An entry is a file:
//
//	offset  bytes
//	     0      8  magic: "TEGULA", and the format's version in two bytes
//	     8     32  the key
//	    40      8  n, the value's length, little-endian
//	    48      n  the value
//	  48+n     32  SHA-256 of all that stands before it
//
// The checksum is there to find damage. It does not protect against whoever may write the files;
// their owner and mode do (trusted).
const (
	magic      = "TEGULA\x00\x01"
	headerSize = len(magic) + len(Key{}) + 8
	overhead   = headerSize + sha256.Size
)

// maxValue bounds a value, and so what a reader allocates for a file that only looks like an
// entry.
const maxValue = 256 << 20

// errDamaged is the error of a file that is no entry, or another's.
var errDamaged = errors.New("damaged")

// encodeEntry gives the file of an entry in the parts around the value, which may be large.
func encodeEntry(k Key, value []byte) (header, sum []byte) {
	header = make([]byte, 0, overhead)
	header = append(header, magic...)
	header = append(header, k[:]...)
	header = binary.LittleEndian.AppendUint64(header, uint64(len(value)))
	h := sha256.New()
	h.Write(header)
	h.Write(value)
	return header, h.Sum(header[headerSize:])
}

// decodeEntry gives the value in the file of an entry.
func decodeEntry(k Key, file []byte) ([]byte, error) {
	if len(file) < overhead {
		return nil, fmt.Errorf("%w: %d bytes are too few", errDamaged, len(file))
	}
	body, sum := file[:len(file)-sha256.Size], file[len(file)-sha256.Size:]
	value := body[headerSize:len(body):len(body)]
	switch {
	case string(body[:len(magic)]) != magic:
		return nil, fmt.Errorf("%w: no entry of this version", errDamaged)
	case Key(body[len(magic):]) != k:
		return nil, fmt.Errorf("%w: another key's entry", errDamaged)
	case binary.LittleEndian.Uint64(body[headerSize-8:]) != uint64(len(value)):
		return nil, fmt.Errorf("%w: not as long as it says", errDamaged)
	case sha256.Sum256(body) != [sha256.Size]byte(sum):
		return nil, fmt.Errorf("%w: the checksum differs", errDamaged)
	}
	return value, nil
}

// readEntry reads the entry of a key from a file. It gives the file's facts if it could be
// opened, and an errDamaged if something else than the entry stands there.
func readEntry(path string, k Key) ([]byte, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|asIs, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || !trusted(info) {
		return nil, info, fmt.Errorf("%w: not a file of this user", errDamaged)
	}
	if info.Size() < int64(overhead) || info.Size() > int64(overhead)+maxValue {
		return nil, info, fmt.Errorf("%w: %d bytes", errDamaged, info.Size())
	}
	file := make([]byte, info.Size())
	if _, err := io.ReadFull(f, file); err != nil {
		return nil, info, fmt.Errorf("%w: %w", errDamaged, err)
	}
	value, err := decodeEntry(k, file)
	return value, info, err
}
