package gen

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

//go:embed testdata/expected.bin
var expectedFile []byte

// Results hold what each case must give: the bytes of its outputs, one after the other, by the
// case's hash.
type Results map[uint64][]byte

// Expected reads the results that are kept with the tables.
func Expected() (Results, error) { return readResults(expectedFile) }

// readResults reads a compressed list of hash, length and bytes.
func readResults(file []byte) (Results, error) {
	z, err := zlib.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	r := make(Results)
	for len(text) > 0 {
		if len(text) < 12 {
			return nil, fmt.Errorf("expected.bin ends within a record")
		}
		hash, n := binary.LittleEndian.Uint64(text), int(binary.LittleEndian.Uint32(text[8:]))
		if text = text[12:]; n > len(text) {
			return nil, fmt.Errorf("expected.bin ends within a record")
		}
		r[hash], text = text[:n:n], text[n:]
	}
	return r, nil
}

// Write writes the results of cases, in their order.
func (r Results) Write(path string, cases []*Case) error {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestCompression)
	if err != nil {
		return err
	}
	for _, c := range cases {
		out := r[c.hash()]
		head := binary.LittleEndian.AppendUint64(nil, c.hash())
		head = binary.LittleEndian.AppendUint32(head, uint32(len(out)))
		if _, err := z.Write(append(head, out...)); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
