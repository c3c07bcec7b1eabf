// Package shadow remembers who touched which element of memory, and finds accesses of different program
// instances that nothing orders.
//
// In: accesses of program instances (Memory.Touch) and what orders these (Order). Out: the first Conflict: two
// instances touch one element, one of them writes, they are not both atomic, and neither is ordered before the
// other.
//
// What always holds. Whether two accesses conflict does not depend on which of them happens to run first: an element
// remembers accesses, not times. What is remembered is bounded: a write or two atomics, two readers (a third reader
// cannot be the only one that a write conflicts with, unless the other two are ordered before it), and no more pages than a
// Budget allows. Where a bound is reached, conflicts may be missed; none is made up.
//
// An order between instances comes from atomics alone: an instance that releases at an address is before the instances
// that acquire there afterwards, and what is ordered so is transitive (the happens-before relation; the stamps are the epochs of
// Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009).
package shadow
