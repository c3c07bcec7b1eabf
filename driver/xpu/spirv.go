package xpu

import (
	"encoding/binary"

	"github.com/tegula-lang/tegula/internal/diag"
)

// spirvMagic is the first word of a SPIR-V module.
const spirvMagic = 0x07230203

// spirvHeader is the number of words before the first instruction.
const spirvHeader = 5

func isSPIRV(image []byte) bool {
	return len(image) >= 4 && binary.LittleEndian.Uint32(image) == spirvMagic
}

// checkSPIRV refuses modules that are cut off: Intel's runtime ends the process when it meets one. The words
// of a module are its header and instructions, whose first word says how many they have (SPIR-V
// specification, section 2.3).
func checkSPIRV(image []byte) error {
	damaged := func(at int) error {
		return diag.New(diag.Driver, "damaged", "the SPIR-V module is damaged at byte %d of %d", at, len(image))
	}
	if len(image)%4 != 0 || len(image) < 4*spirvHeader {
		return damaged(len(image))
	}
	for at := 4 * spirvHeader; at < len(image); {
		words := int(binary.LittleEndian.Uint32(image[at:]) >> 16)
		if words == 0 || words > (len(image)-at)/4 {
			return damaged(at)
		}
		at += 4 * words
	}
	return nil
}
