package shadow

// A Stamp says who made an access: the program instance, the place in the code, and the instance's time. The zero
// Stamp is no access.
type Stamp uint64

// The parts of a stamp, from the lowest bit: the time, the site, whether the access is atomic, the instance's number
// plus one.
const (
	timeBits     = 16
	siteShift    = timeBits
	atomicBit    = 1 << 31
	programShift = 32
)

// MaxSite is the largest number of a place in the code.
const MaxSite = 1<<15 - 1

// MaxPrograms is how many program instances can be told apart.
const MaxPrograms = 1<<32 - 2

// Program gives the number of the instance.
func (s Stamp) Program() int64 { return int64(s>>programShift) - 1 }

// Site gives the place in the code.
func (s Stamp) Site() int { return int(s >> siteShift & MaxSite) }

func (s Stamp) atomic() bool { return s&atomicBit != 0 }

func (s Stamp) time() uint16 { return uint16(s) }

// sameProgram reports whether two accesses are by one instance.
func (s Stamp) sameProgram(t Stamp) bool { return s>>programShift == t>>programShift }

// A Kind is a kind of access.
type Kind uint8

// The kinds. Atomic stands for every atomic that may write.
const (
	Read Kind = iota
	Write
	Atomic
	AtomicRead
)

// stamp marks an access of an instance at a place in the code.
func (a *Actor) stamp(k Kind, site int) Stamp {
	s := Stamp(a.number)<<programShift | Stamp(min(site, MaxSite))<<siteShift | Stamp(a.time)
	if k >= Atomic {
		s |= atomicBit
	}
	return s
}
