package launch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tegula-lang/tegula/internal/diag"
)

// ambient are the keywords by which other launchers choose where to run. Here the stream says
// it.
var ambient = map[string]bool{"stream": true, "device": true, "device_type": true}

// notByName is the error of an argument that cannot be given by a name. i is the parameter of that
// name, if ok.
func (k *Kernel) notByName(i int, ok bool, name string) error {
	if ok && k.params[i].Kind == PositionalOnly {
		return k.argError("positional-only", i, "argument '%s' of %s can be given by position only", name, k.name)
	}
	return k.unknown(name)
}

// twice is the error of an argument that is given by position and by name, or by name twice.
func (k *Kernel) twice(i int) error {
	return k.argError("duplicate-argument", i, "argument '%s' of %s is given twice", k.params[i].Name, k.name)
}

// tooMany is the error of more positional arguments than there are parameters for.
func (k *Kernel) tooMany(given int) error {
	return diag.New(diag.Argument, "too-many-arguments", "%s takes %s by position, but %d are given",
		k.name, count(k.positional, "argument"), given)
}

// unknown is the error of a name that is no parameter's.
func (k *Kernel) unknown(name string) error {
	if ambient[name] {
		return diag.New(diag.Argument, "launch-keyword", "'%s' is no argument of a launch: the stream that the launch is given says where it runs; in Python that is the current one of the arrays' framework", name)
	}
	return diag.New(diag.Argument, "unknown-argument", "%s has no argument '%s'%s; it has %s", k.name, name, suggest(name, k.names()), k.describeParams())
}

// missing is the error of the parameters that nothing gives a value to.
func (k *Kernel) missing(params []int) error {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = "'" + k.params[p].Name + "'"
	}
	what := "argument"
	if len(names) > 1 {
		what = "arguments"
	}
	e := k.argError("missing-argument", params[0], "%s misses its %s %s", k.name, what, strings.Join(names, ", "))
	for _, doubt := range k.def.Doubts {
		e.Notes = append(e.Notes, noteOf(doubt))
	}
	return e
}

// noteOf makes a note of an error.
func noteOf(err error) diag.Note {
	var e *diag.Error
	if errors.As(err, &e) {
		return diag.Note{Place: e.Place, Msg: e.Msg}
	}
	return diag.Note{Msg: err.Error()}
}

// argError makes an ArgumentError about a parameter, with its place.
func (k *Kernel) argError(code string, param int, format string, args ...any) *diag.Error {
	e := diag.New(diag.Argument, code, format, args...)
	if at := k.params[param].Place; !at.IsZero() {
		e.Notes = []diag.Note{{Place: at, Msg: "the parameter is here"}}
	}
	return e
}

func (k *Kernel) names() []string {
	names := make([]string, len(k.params))
	for i := range k.params {
		names[i] = k.params[i].Name
	}
	return names
}

// describeParams lists the parameters as their def does.
func (k *Kernel) describeParams() string {
	parts := make([]string, len(k.params))
	for i, p := range k.params {
		parts[i] = p.Name
		if p.Kind == Variadic {
			parts[i] = "*" + p.Name
		}
	}
	if len(parts) == 0 {
		return "no parameters"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// suggest gives the end of a message about an unknown name.
func suggest(name string, known []string) string {
	for _, k := range known {
		if strings.EqualFold(name, k) {
			return fmt.Sprintf(" (did you mean '%s'?)", k)
		}
	}
	if k := diag.Nearest(name, known); k != "" {
		return fmt.Sprintf(" (did you mean '%s'?)", k)
	}
	return ""
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
