"""Every rule of the grammar, a paragraph each; the paragraphs stand alone."""

x = y = z = 1, 2; a, *b = c; [d, (e, *f)] = g; (h) = i; (j).k = l[m] = n

x: int
x: int = 1
(x): int = 2
a.b: "str" = yield
a[0]: tuple[int, ...] = 1, *b
x += 1; x -= 1; x *= 1; x @= 1; x /= 1; x %= 1; x &= 1; x |= 1; x ^= 1; x <<= 1; x >>= 1; x **= 1; x //= yield y

a or b or c and d and not e
not a == b is not c in d not in e < f > g <= h >= i != j is k
a | b ^ c & d << e >> f + g - h * i / j // k % l @ m
-a ** -b ** ~c + +d
(yield)
await_ = lambda: (yield)
a if b else c if d else e

lambda: 0
lambda a, /, b, c=1, *d, e, f=2, **g: a if b else c
lambda *, a: a
lambda a=1, /: a
lambda *a, **b: (a, b)
lambda **k: k
lambda a, b=1, /, c=2, *, d: lambda: d

f(), f(a), f(a, b), f(a, *b, c=d, **e), f(*a, b, *c), f(a=1, *b), f(x for x in y), f(a := 1, b := 2)
f(**a, b=1, **c)(d)[e].g
f(a for a in b if c if d for e in f)
f(a, (b for c in d), lambda: x, *a or b, **c or d)
f(a,)
f(
    a,  # comment

    b
)

a[1], a[1:2], a[1:2:3], a[:], a[::], a[:1], a[::2], a[1:, 2], a[..., 1], a[b := 1], a[*b], a[*b, c], a[1, *b, 2:3], a[b,]
a[lambda: x: lambda: y]
a[b if c else d]

[], [a], [a, *b], [a for b in c], [a for b, *c in d if e for f in g], [a := 1, b], [(yield)]
{}, {a}, {a, *b}, {a: b}, {a: b, **c}, {**a}, {a for b in c}, {a: b for c in d if e}, {a := 1, b}, {lambda: x: lambda: y}
(), (a,), (a, *b), (a for b in c), (a := 1), (a := 1, b), ((a)), (*a,)
{a: b, c: d if e else f,}

async def f():
    await a ** await b
    [x async for x in y]
    return [x async for x in y if await z] and (await a for b in c)
    async for x, in y: pass
    else: pass
    async with a as b, c: pass
    yield
    x = yield a, *b
    yield from c

0, 00, 0_0, 1_000, 0xFF, 0X_f, 0o17, 0O7, 0b11, 0B_0, 1., .5, 1e10, 1E-5, 1_0.0_1e+1_0, 1j, 1.5J, 0777j, 09.5, 1e400
1if x else 2, 0x1for x in y
0xfor x

'a', "a", '''a''', """a
b""", r'\n', b'a', rb'\x', Rb"\y", u'a', U'a' 'b', 'a' "b" '''c''', b'a' b'b', '', ''''''
'\a\b\f\n\r\t\v\\\'\"\x41\u0041\U00000041\101\0\N{LATIN SMALL LETTER A}\
continued', '\d\8\ud800', b'\x41\101\u\N\q', r'\'', '\400'
('a'
 'b')

f'', f'a', f'{a}', f'{a}b', f'a{b!r}c{d:e}f{g!s:{h}i{j}}', f'{{}}', f'{{{a}}}', f'{a=}', f'{a = !r}', f'{a=:>5}', f'{a = }x'
f'{a:{b}.{c}}', f'{a:%H:%M}', f'{a!a:x}', f'{ a }', f'{a, b}', f'{*a, b}', f'{yield_}', f'{a:=5}', f'{(a:=5)}'
f'{a["b"]}' "c" f"{d['e']}" 'f', rf'\{a}\d', f'\N{DIGIT ONE}{a}', f'\{a}', F'{lambda_}', fR'{a:\d}', f'{(lambda x: 1)}'
f'{a != b}', f'{a if b else c}', f'{ {1: 2}[1] }', f'{f'{f'{1}'}'}', f"{"a" + f"{"b"}"}", f'{[x for x in y]}', f'{a:{b:{c}}}'
f'''{
    a  # comment
    + b
}''', f'''
{a:
}''', f'{a
}', f'{a=  # comment
}'
'a' f'b' 'c', 'a' f'{b}' 'c' 'd', f'a' f'b', f'' '', u'a' f'{b}'

if a: pass
elif b: pass
elif c:
    pass
else: pass

if (a := b): c; d;
while a: break
while a:
    continue
else:
    pass

for a in b: pass
for a, b in c, d:
    pass
for (a, b), *c in d: e
else: f
for a.b in c: d
for a[b] in *c, d: e
for [a, b] in c: d

try: a
except: b

try:
    a
except A: b
except (A, B) as c: d
except a.b if c else d: e
else: f
finally: g

try:
    pass
finally:
    pass

try:
    a
except* A: b
except* (B, C) as d: e

with a: b
with a as b: c
with a as b, c as (d, e): f
with (a): b
with (a, b): c
with (a, b,): c
with (a as b): c
with (a as b, c): d
with (a as b, c as d,): e
with (a, b) as c: d
with (a).b as c, d: e
with (a, b)(c): d
with (yield): a
with (a := b): c
with (a for b in c): d
with (*a, b): c
with (a), (b): c
with (a) + b, c: d
with (): a
with a as b.c, d as e[f], g as [h, i], j as (k): l
with (a as (b, c), d as [e]): f

def f(): pass
def f(a, b: int, c=1, d: str = 'x', /, e=2, *f, g, h=3, i: int, **j) -> a if b else c: pass
def f(*, a): pass
def f(*a: *b, **c: d): pass
def f(a, /): pass
def f(a, /, *, b): pass
def f(a=1, *, b, c=2): pass
def f(a,): pass
def f(*a,): pass
def f(**a,): pass
def f[T, U: int, *V, **W](a: T) -> U: pass
def f[T = int, U: (a, b) = str, *V = *X, **W = [int]](): pass
def f() -> a: return

class A: pass
class A(): pass
class A(B, *C, d=e, **f): pass
class A[T](B[T]):
    x: int = 1

    def f(self): return self

    @a.b(c)
    @(yield)
    @x := y
    async def g(self): ...

@a
class B:
    pass

type X = int
type X[T, *U, **V] = T | U
type type = type
type = 1
type.x
type(x)
type[x]
type in x
type: int = 3
type, x = y

match x:
    case 1 | -1 | 1.5 | -1.5j | 1+2j | -1-2j: a
    case 'a' 'b' | b'c' | None | True | False: b
    case a.b | a.b.c: c
    case _: d
    case x: e
    case [] | (): f
    case [a] | (a,) | [a, b] | (a, b,) | [*_] | (*a, b): g
    case a, b: h
    case *a,: i
    case a, *_, b if c: j
    case {}: k
    case {1: a, 'b': c, a.b: d, None: e, -1: f, **rest}: l
    case {**rest}: m
    case A() | a.B(): n
    case A(a, b) | A(a, b=c,) | A(b=c, d=e): o
    case (a as b): p
    case a | b as c: q
    case A(x=1) as y if z := w: r
    case ((a)): s
    case [a as b, [c] as d]: t
    case {1+2j: a}: u

match x, y:
    case _: a

match *x, y:
    case _:
        match z:
            case 1: b

match (x):
    case 1: a

match -x:
    case 1: a

match [a, b]:
    case 1: a

match not x:
    case 1: a

match x := y:
    case 1: a

match {}:
    case 1: a

match = 1
match.x
match(x)
match(x, *y)
match[x]
match[x]: int
match - x
match -x
match * x
match, x = y
match: int = 3
match not in x
match is x
match if x else y
match or x
print(match, case, type, _)
case = 1
case(x)
_ = 1

import a, a.b, a.b as c
from a import b
from a import b as c, d
from a import (b, c as d,)
from a.b import *
from . import a
from .. import a
from ... import a
from .... import a
from .a.b import c
from ...a import b

global a, b
nonlocal c
assert a
assert a, b
del a, b[0], c.d, (e, f), [g, (h)], ()
del (a)
del (a, b),
raise
raise a
raise a from b
return
return a, *b
pass; break; continue
yield
yield a
x = yield
x = y = yield z
x += yield
print >>a, b
a = b if c else d, e
*a, b = c
*a, = b
x = *a, b
for x in *a, b: pass
a += 1 if x else 2,
