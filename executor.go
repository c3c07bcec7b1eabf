package tegula

import "github.com/tegula-lang/tegula/internal/target"

// Executor says what runs kernels on the CPU in this process: the instructions that machine code is made of, such as "avx512dp", or the
// checked executor and why. It is an error if an environment variable asks for what cannot be.
func Executor() (string, error) {
	s, err := target.Environment()
	if err != nil {
		return "", err
	}
	return s.Executor()
}
