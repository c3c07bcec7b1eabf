package main

import (
	"github.com/alecthomas/kong"
)

// flagsFirst moves the flags of a command line before its positional arguments. The parser takes
// no repeated positional argument, such as NAME=VALUE, after a flag that follows one.
func flagsFirst(model *kong.Application, args []string) []string {
	if len(args) == 0 {
		return args
	}
	takesValue := valueFlags(model, args[0])
	flags, positional := []string{args[0]}, []string{}
	for i := 1; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(append(flags, arg), append(positional, args[i+1:]...)...)
		case len(arg) < 2 || arg[0] != '-':
			positional = append(positional, arg)
		case takesValue[arg] && i+1 < len(args):
			flags = append(flags, arg, args[i+1])
			i++
		default:
			flags = append(flags, arg)
		}
	}
	return append(flags, positional...)
}

// valueFlags gives the flags of a command that take the argument after them as their value.
func valueFlags(model *kong.Application, command string) map[string]bool {
	flags := make(map[string]bool)
	for _, node := range model.Children {
		if node.Name != command {
			continue
		}
		for _, f := range node.Flags {
			if f.IsBool() {
				continue
			}
			flags["--"+f.Name] = true
			if f.Short != 0 {
				flags["-"+string(f.Short)] = true
			}
		}
	}
	return flags
}
