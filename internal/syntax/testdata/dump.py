"""Dumps the trees of Python files as dump_test.go does.

Reads files from standard input, each after a line with its length in bytes, and
writes a line for each: the SHA-256 of its dump, or "rejected" and a message
where CPython cannot parse it. With --text the dump itself is written instead.
With --structure the dump has no positions.
"""

import ast
import hashlib
import struct
import sys
import warnings

SKIPPED = {"ctx", "type_comment", "type_ignores"}
INLINE = (ast.operator, ast.unaryop, ast.boolop)


def quoted(s):
    return '"' + s.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") + '"'


def float_bits(v):
    return "%#x" % struct.unpack(">Q", struct.pack(">d", v))[0]


def byte_text(v):
    out = []
    for c in v.decode("latin-1"):
        if c == '"' or c == "\\":
            out.append("\\" + c)
        elif " " <= c <= "~":
            out.append(c)
        else:
            short = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r"}.get(ord(c))
            if short:
                out.append("\\" + short)
            elif ord(c) < 0x80:
                out.append("\\x%02x" % ord(c))
            else:
                out.append("\\u%04x" % ord(c))
    return '"' + "".join(out) + '"'


def constant(node):
    v = node.value
    t = type(v)
    if t is str:
        s = " str=" + quoted(v)
    elif v is None or t is bool:
        s = " value=" + str(v)
    elif t is int:
        s = " int=%#x" % v
    elif t is float:
        s = " float=" + float_bits(v)
    elif t is complex:
        s = " imag=" + float_bits(v.imag)
    elif t is bytes:
        s = " bytes=" + byte_text(v)
    else:
        s = " value=Ellipsis"
    return s + " kind=u" if node.kind else s


def is_empty(node):
    return type(node) is ast.Constant and node.value == ""


class Dumper:
    def __init__(self, positions):
        self.positions = positions
        self.fields = {}
        self.indent = ["\n" + " " * i for i in range(10000)]

    def fields_of(self, cls):
        fields = [f for f in cls._fields if f not in SKIPPED]
        if issubclass(cls, ast.Constant):
            fields = []
        placed = self.positions and "end_col_offset" in cls._attributes
        entry = self.fields[cls] = (cls.__name__, placed, fields)
        return entry

    def dump(self, tree):
        self.out = ["Module"]
        for s in tree.body:
            self.node("body", s, 1)
        self.out.append("\n")
        return "".join(self.out).encode("utf-8", "surrogatepass")

    def node(self, field, node, depth):
        cls = node.__class__
        name, placed, fields = self.fields.get(cls) or self.fields_of(cls)
        head = f"{self.indent[depth]}{field} {name}"
        if placed:
            head += f" {node.lineno}:{node.col_offset}-{node.end_lineno}:{node.end_col_offset}"
        if cls is ast.Constant:
            self.out.append(head + constant(node))
            return
        children = []
        for f in fields:
            v = getattr(node, f)
            if v is None:
                if cls is ast.MatchSingleton:
                    head += " value=None"
                continue
            t = type(v)
            if t is list:
                if not v:
                    continue
                first = v[0]
                if type(first) is str:
                    head += f" {f}=" + ",".join(v)
                elif isinstance(first, ast.cmpop):
                    head += f" {f}=" + ",".join([type(op).__name__ for op in v])
                else:
                    children.append((f, v))
            elif t is str:
                head += f" {f}={quoted(v)}"
            elif t is int:
                head += f" {f}={v}"
            elif t is bool:
                head += f" {f}={v}"
            elif isinstance(v, INLINE):
                head += f" {f}={t.__name__}"
            else:
                children.append((f, v))
        self.out.append(head)
        depth += 1
        for f, v in children:
            if type(v) is not list:
                self.node(f, v, depth)
                continue
            for x in v:
                if cls is ast.JoinedStr and is_empty(x):
                    continue  # of Python 3.12's first releases
                if x is None:
                    self.out.append(f"{self.indent[depth]}{f} None")
                else:
                    self.node(f, x, depth)


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    dumper = Dumper("--structure" not in sys.argv)
    text = "--text" in sys.argv
    while size := sys.stdin.buffer.readline():
        source = sys.stdin.buffer.read(int(size))
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as e:
            print("rejected", type(e).__name__, str(e).replace("\n", " "), flush=True)
            continue
        dump = dumper.dump(tree)
        if text:
            sys.stdout.buffer.write(dump)
        else:
            print(hashlib.sha256(dump).hexdigest(), flush=True)


main()
