package tegula

import "github.com/tegula-lang/tegula/internal/compiler"

// Version is the version of the compiler and the runtime.
const Version = compiler.Version
