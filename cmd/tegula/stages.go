package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tegula-lang/tegula"
)

// everything writes every stage to a file in the directory that -o names, and an index of them. A stage that cannot be had is in the index
// with the reason; if that is so of all, it is the error.
func (r *compileCmd) everything(c *console, unit *tegula.Compiled) error {
	if r.Output == "" {
		return usage("--emit all writes files: name their directory by -o")
	}
	if err := os.MkdirAll(r.Output, 0o777); err != nil {
		return fmt.Errorf("tegula: %w", err)
	}
	var files, absent strings.Builder
	for _, s := range unit.EmitAll() {
		if s.Err != nil {
			fmt.Fprintf(&absent, "| `%s` | %s | %s |\n", s.Name, s.About, whyNot(s.Err, r.Target))
			continue
		}
		if err := os.WriteFile(filepath.Join(r.Output, s.File), s.Text, 0o666); err != nil {
			return fmt.Errorf("tegula: %w", err)
		}
		fmt.Fprintf(&files, "| [%s](%s) | `%s` | %s | %d |\n", s.File, s.File, s.Name, s.About, len(s.Text))
	}
	index := fmt.Sprintf("# The stages of %s for %s\n\n| file | `--emit` | what it is | bytes |\n|---|---|---|---|\n%s", r.File, r.Target, files.String())
	if absent.Len() > 0 {
		index += "\nNot here:\n\n| `--emit` | what it is | why not |\n|---|---|---|\n" + absent.String()
	}
	if err := os.WriteFile(filepath.Join(r.Output, "index.md"), []byte(index), 0o666); err != nil {
		return fmt.Errorf("tegula: %w", err)
	}
	c.note("note: the stages are in %s; index.md says what each is", r.Output)
	return nil
}

// whyNot says why a stage is absent, in one line.
func whyNot(err error, target string) string {
	var e *tegula.Error
	if errors.As(err, &e) && e.Code == "emit" && e.Place == (tegula.Place{}) {
		return "the target " + target + " has no such stage"
	}
	return cell(message(err))
}

// cell is a text as a table has it: one line.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
}
