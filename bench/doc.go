// Package bench measures what users wait for; its results, with date and machine, are under results/.
//
//	go test ./bench -bench . -benchmem
package bench
