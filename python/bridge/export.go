//go:build cgo

package main

/*
#include <stdlib.h>
#include "../src/bridge.h"

static int ask(tg_ask f, uint8_t question, const uint8_t *message, size_t size, tg_text *answer) {
    return f(question, message, size, answer);
}
*/
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/tegula-lang/tegula/internal/bridge"
)

// python asks the interpreter by the extension's function.
type python struct{ ask C.tg_ask }

// Ask puts a question.
func (p python) Ask(question uint8, message []byte) ([]byte, error) {
	var answer C.tg_text
	failed := C.ask(p.ask, C.uint8_t(question), (*C.uint8_t)(unsafe.SliceData(message)), C.size_t(len(message)), &answer)
	b := C.GoBytes(unsafe.Pointer(answer.data), C.int(answer.size))
	C.free(unsafe.Pointer(answer.data))
	if failed == 0 {
		return b, nil
	}
	if len(b) < 8 {
		return nil, &bridge.Raised{Text: "an exception"}
	}
	return nil, &bridge.Raised{Number: binary.LittleEndian.Uint64(b), Text: string(b[8:])}
}

//export tegula_set_ask
func tegula_set_ask(f C.tg_ask) { bridge.SetHost(python{f}) }

//export tegula_request
func tegula_request(request C.uint8_t, message *C.uint8_t, size C.size_t, answer *C.tg_text) C.int {
	b, ok := bridge.Serve(uint8(request), C.GoBytes(unsafe.Pointer(message), C.int(size)))
	*answer = text(b)
	if ok {
		return 0
	}
	return 1
}

//export tegula_submit
func tegula_submit(compiled C.uint64_t, grid *C.uint32_t, stream C.uint64_t, slots *C.tg_slot, n C.size_t, cost *C.int64_t, printed, failed *C.tg_text) C.int {
	out, took, err := bridge.Submit(uint64(compiled), *(*[3]uint32)(unsafe.Pointer(grid)), uintptr(stream),
		unsafe.Slice((*bridge.Slot)(unsafe.Pointer(slots)), int(n)))
	*cost = C.int64_t(took)
	if out != "" {
		*printed = text([]byte(out))
	}
	if err == nil {
		return 0
	}
	*failed = text(err)
	return 1
}

// text gives C bytes that it frees.
func text(b []byte) C.tg_text {
	if len(b) == 0 {
		return C.tg_text{}
	}
	return C.tg_text{data: (*C.uint8_t)(C.CBytes(b)), size: C.size_t(len(b))}
}
