package main

import (
	"os"
	"strings"
)

const (
	bold  = "\x1b[1m"
	red   = "\x1b[31m"
	plain = "\x1b[0m"
)

// wantsColour reports whether f is a terminal that may be coloured.
func wantsColour(f *os.File) bool {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// report writes a diagnostic: on a terminal its first line is bold and its carets red.
func (c *console) report(text string) {
	if !c.colour {
		c.write(text)
		return
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		body := strings.TrimSuffix(line, "\n")
		switch {
		case i == 0:
			lines[i] = bold + body + plain + "\n"
		case strings.Trim(body, " \t^~") == "" && body != "":
			lines[i] = red + body + plain + "\n"
		}
	}
	c.write(strings.Join(lines, ""))
}

func (c *console) write(text string) {
	// There is nowhere to say that stderr cannot be written.
	_, _ = c.err.Write([]byte(text))
}
