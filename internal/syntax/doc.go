// Package syntax reads Python source text into a tree.
//
// In: the bytes of a file, UTF-8 with or without a byte order mark. Out: a tree
// of the nodes of CPython's ast module, each with its range of bytes, and the
// diagnostics. The grammar is that of Python 3.13, all of it, so that any module
// file loads; the package knows nothing of kernels.
//
//	f := syntax.NewFile("kernel.py", src)
//	m, errs := syntax.Parse(f)
//
// # What always holds
//
//   - There is a tree for every input: BadStmt and BadExpr stand for what could
//     not be read, and where there is one of them there is a diagnostic.
//   - A node's span lies within the file and within its parent's (decorators,
//     which come before what they decorate, are the exception), and is the one
//     that CPython gives to the node.
//   - The tree's height is bounded (maxDepth), so that whatever walks it may
//     recurse. Time and memory are linear in the input's length.
//   - The tree shares one copy of the text with all its names and most of its
//     strings, and nothing with the caller's bytes.
//
// # How it works
//
// One pass, from the left to the right, by recursive descent; the lexer makes
// tokens as the parser asks for them and keeps none (cursor). Infix operators
// are read by precedence climbing (binary). Assignment targets are read as
// expressions and then checked. Only where a parenthesis after with, or the word
// match, may mean two things is one of them tried first and undone (trial).
//
// An error puts the lexer at the end of the text, so that all rules that are
// open end by themselves; reading then goes on after the bad line (recover).
//
// # How to look at it
//
// testdata/kernel.golden is a tree, with CPython's names and positions, of the file
// beside it. The tests compare such dumps with CPython's own for files of its
// standard library, where a CPython is found: for every one with -stdlib=all.
package syntax
