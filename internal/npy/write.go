package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
)

// WriteFile writes a file, replacing what is there.
func WriteFile(path string, a *Array) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := Write(w, a); err != nil {
		return err
	}
	return w.Flush()
}

// Write writes the array to w as NumPy would: version 1, C order, the data aligned to 64 bytes.
func Write(w io.Writer, a *Array) error {
	size, err := Size(a.DType, a.Shape)
	if err != nil {
		return err
	}
	if size != len(a.Data) {
		return fmt.Errorf("an array of %v elements of %s has %d bytes, not %d", a.Shape, a.DType, size, len(a.Data))
	}
	const prefix, align = len(magic) + 2 + 2, 64
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descrOf(a.DType), tuple(a.Shape))
	pad := align - (prefix+len(text)+1)%align
	text += strings.Repeat(" ", pad%align) + "\n"
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err = w.Write(a.Data)
	return err
}

// tuple gives a shape as Python writes it.
func tuple(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, n := range shape {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d,", n)
	}
	s := b.String()
	if len(shape) > 1 {
		s = s[:len(s)-1]
	}
	return s + ")"
}
