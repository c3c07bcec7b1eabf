//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// asIs are the flags to open a file with that may be none: a symbolic link is not followed, and
// a pipe not waited for.
const asIs = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// everybodyWrites is the permission that makes a file or directory anybody's.
const everybodyWrites fs.FileMode = 0o002

// trusted reports whether only this user or root can have written a file, or what is in a
// directory. Code that is run comes from it.
func trusted(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&everybodyWrites != 0 {
		return false
	}
	return st.Uid == 0 || int(st.Uid) == os.Geteuid()
}

// readOnlyDisk is the error of writing to a file system that is mounted read-only.
const readOnlyDisk = syscall.EROFS
