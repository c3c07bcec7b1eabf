//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package cache

import "io/fs"

// asIs has no meaning here.
const asIs = 0

// trusted relies on the user's cache directory being the user's.
func trusted(fs.FileInfo) bool { return true }

// readOnlyDisk is told as a missing permission here.
var readOnlyDisk = fs.ErrPermission
