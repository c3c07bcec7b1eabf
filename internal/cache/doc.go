// Package cache keeps compiled code on disk, from one process to the next.
//
// In: a Key, which is the hash of all that the code depends on, and bytes. Out: the same bytes,
// or that there are none.
//
// What always holds:
//
//   - A value that Get gives is, byte for byte, one that was Put under this key. An entry that
//     is damaged, cut short, misplaced or somebody else's is a miss; it is removed, and the
//     next Put replaces it.
//   - A cache is never why a launch fails. One that is switched off, cannot be read or cannot
//     be written is all misses. Put says in its error what is wrong, for the caller to report
//     once; Reason and Info say it to whoever asks.
//   - Any number of goroutines and processes may use one directory at the same time. They do not
//     wait for each other: there is no lock, so there is none to be left behind.
//   - The files take no more room than the limit, give or take what processes write at the very
//     moment that another evicts.
//   - Nothing outside the files that this package named is ever changed or removed, whatever
//     directory it is pointed at.
//
// # The files
//
//	DIR/v1/3f/a9c2…   the entry whose key is 3fa9c2…: a header, the value, a checksum (entry.go)
//	DIR/v1/3f/tmp-…   an entry that is being written
//	DIR/v1/ledger     its length counts the 4 KiB blocks written since the last eviction (evict.go)
//
// DIR is TEGULA_CACHE_DIR, or tegula in the user's cache directory. TEGULA_CACHE=off switches the
// cache off; TEGULA_CACHE_MAX_BYTES is its limit. Directories are made with mode 0700 and files
// with 0600. What is in the cache is run, so only files of this user or of root are believed,
// and none that everybody may write to.
//
// # Why there is no fsync
//
// An entry is written to a file of its own and then renamed, so that no reader sees half of
// one. It is not synced first: after a crash of the machine the name may stand for a file that is
// empty or holds garbage. The checksum finds that out, and the price is one compilation, while
// syncing costs milliseconds on every first launch.
//
// To look at it: tegula cache info, or Info.
package cache
