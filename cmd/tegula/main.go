package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/tegula-lang/tegula"
)

// The exit statuses.
const (
	exitOK      = 0
	exitRuntime = 1
	exitUsage   = 2
)

// cli is the command line.
type cli struct {
	Run     runCmd     `cmd:"" help:"Run a kernel of a file."`
	Compile compileCmd `cmd:"" help:"Compile a kernel of a file and print a stage of it."`
	Devices devicesCmd `cmd:"" help:"List the devices that kernels can run on."`
	Cache   cacheCmd   `cmd:"" help:"Look at the cache of compiled kernels, or clear it."`
	Version versionCmd `cmd:"" help:"Print the version."`
	Help    helpCmd    `cmd:"" help:"Explain a command."`
}

const description = `Runs and compiles kernels that are written in Triton's language.

The exit status is 0; 1 for an error while a kernel runs, or of a device; 2 for what is wrong with the command line, a file or an argument.`

// A console is where a command writes.
type console struct {
	out, err io.Writer
	colour   bool // on err
}

// note writes a line about what goes on.
func (c *console) note(format string, args ...any) {
	fmt.Fprintf(c.err, format+"\n", args...)
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], &console{out: os.Stdout, err: os.Stderr, colour: wantsColour(os.Stderr)}))
}

// exited is how kong's exit after --help leaves the parser.
type exited int

// run runs a command line and gives the exit status.
func run(ctx context.Context, args []string, c *console) (code int) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exited:
			code = int(p)
		default:
			c.note("tegula: internal error: %v", p)
			code = exitRuntime
		}
	}()
	var grammar cli
	parser, err := kong.New(&grammar,
		kong.Name("tegula"),
		kong.Description(description),
		kong.Writers(c.out, c.err),
		kong.WithHyphenPrefixedParameters(true), // --grid -1 is a grid, if a bad one
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Bind(c),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return c.fail(err)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "--version":
		args[0] = "version"
	}
	parsed, err := parser.Parse(flagsFirst(parser.Model, args))
	if err != nil {
		return c.misused(parsed, err)
	}
	if err := parsed.RunNode(parsed.Selected()); err != nil { // Run would wrap the error
		return c.fail(err)
	}
	return exitOK
}

// misused reports a command line that is not understood.
func (c *console) misused(parsed *kong.Context, err error) int {
	help := "tegula --help"
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context != nil && p.Context.Command() != "" {
		name, _, _ := strings.Cut(p.Context.Command(), " ")
		help = "tegula " + name + " --help"
	}
	c.report(fmt.Sprintf("tegula: %s\n", err))
	c.note("Try %s.", help)
	return exitUsage
}

// fail reports an error and gives its exit status.
func (c *console) fail(err error) int {
	if errors.Is(err, context.Canceled) {
		c.note("tegula: interrupted")
		return exitRuntime
	}
	c.report(tegula.Detail(err))
	return exitStatus(err)
}

// userErrors are the categories of errors that the user's files and command line make before
// anything runs.
var userErrors = []error{
	tegula.ErrSyntax, tegula.ErrCompile, tegula.ErrUnsupported, tegula.ErrGrid, tegula.ErrArgument, tegula.ErrSchema,
}

func exitStatus(err error) int {
	for _, category := range userErrors {
		if errors.Is(err, category) {
			return exitUsage
		}
	}
	return exitRuntime
}

// helpCmd is tegula help [COMMAND].
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to explain."`
}

// Run prints the help that --help prints.
func (h *helpCmd) Run(app *kong.Kong) error {
	if _, err := app.Parse(append(h.Command, "--help")); err != nil {
		return usage("%s", err)
	}
	return nil
}
