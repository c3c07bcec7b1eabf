package module

// nameCases are what TestNames checks.
var nameCases = []struct{ name, src string }{
	{"constants", `
A = tl.constexpr(5)      #= A: const 5
B = 5                    #= B: 5
C: tl.constexpr = 7      #= C: const 7
D: "tl.constexpr" = 8    #= D: const 8
E = A * 2 + 1            #= E: const 11
F = triton.language.constexpr(-0.0)  #= F: const -0.0
G = tl.constexpr(A)      #= G: const 5
H = A.value + 1          #= H: 6
I = tl.constexpr((1, 2)) #= I: const (1, 2)
J = A == 5               #= J: const True
K = -A                   #= K: const -5
L = None                 #= L: None
M = tl.constexpr(None)   #= M: const None
N = tl.constexpr("abc")  #= N: const 'abc'
O = f"{N} {N!r} {A.value}"  #= O: 'constexpr[abc] constexpr[abc] 5'
#= NOWHERE: unbound
`},
	{"expressions", `
A = [i * i for i in range(5) if i % 2 == 0]   #= A: [0, 4, 16]
B = {k: v for k, v in zip("ab", (1, 2))}      #= B: {'a': 1, 'b': 2}
C = f"{A[1]:>4}|{B['a']!r}|{3.5:.2f}"         #= C: '   4|1|3.50'
D = (1 if A else 2, *A, {**B, "c": 3})        #= D: (1, 0, 4, 16, {'a': 1, 'b': 2, 'c': 3})
E = A[::-1]                                   #= E: [16, 4, 0]
F = 1 < 2 < 3 and not 4                       #= F: False
G = (lambda x, y=2, *z, **k: (x, y, z, k))(1, 3, 4, w=5)  #= G: (1, 3, (4,), {'w': 5})
H = max((1, 3), key=lambda t: -t)             #= H: 1
I = sorted({3, 1, 2})                         #= I: [1, 2, 3]
J = "a,b".split(",")                          #= J: ['a', 'b']
K = (y := 3) + y                              #= K: 6
#= y: 3
L = sum(x * y for x in (1, 2) for y in (3, 4)) #= L: 21
M = "%d-%s" % (1, "x")                        #= M: '1-x'
N = {1, 2} | {3}                              #= N: {1, 2, 3}
O = 10 ** 20 // 7                             #= O: 14285714285714285714
P = dict(a=1).get("b", 9)                     #= P: 9
`},
	{"unpacking", `
a, (b, *c), d = 1, (2, 3, 4), 5
#= a: 1
#= b: 2
#= c: [3, 4]
#= d: 5
x = y = [0]              #= y: [0]
`},
	{"order of the text", `
A = 1
B = A + 1                #= B: 2
A = 10
A += 5
C = A
C2 = C                   #= C2: 15
def f():
    return A
D = f()                  #= D: 15
A = 100
E = f()                  #= E: 100
del C
#= C: unbound
#= D: 15
`},
	{"changes in place", `
A = [1]
B = len(A)               #= B: 1
A.append(2)
A += [3]
C = {}
C["x"] = 1
C.update(y=2)
for i in range(3):
    A.append(i)
    last = i
#= A: [1, 2, 3, 0, 1, 2]
#= C: {'x': 1, 'y': 2}
#= last: 2
D = {"k": []}
E = D["k"]               #= E: [1]
D["k"].append(1)
#= D: {'k': [1]}
`},
	{"conditions", `
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    A = 1
else:
    A = 2                #= A: 2
if triton.__version__ >= "3.0.0":
    B = "new"            #= B: 'new'
elif True:
    B = "old"
if hasattr(tl, "gather"):
    gather = tl.gather   #= gather: builtin gather
else:
    gather = None
if not hasattr(tl, "no_such_thing"):
    C = 3                #= C: 3
if __name__ == "__main__":
    C = 4
if False:
    D = 1
#= D: unbound
`},
	{"conditions that are not known", `
import torch
if torch.version.hip:
    A = 1
else:
    A = 2
#= A: error: which of its definitions holds (line 6 or 8) depends on torch.version.hip, and module 'torch' is not available
if torch.version.hip:
    B = 1
else:
    B = 1
#= B: 1
C = 0
if torch.cuda.is_available():
    C = 1
#= C: error: line 15 or 17
if torch.cuda.is_available():
    D = 5
#= D: 5
A2 = 3
if torch.version.hip:
    A2 = 1
A2 = 4                   #= A2: 4
`},
	{"try", `
try:
    from triton.language.extra import libdevice
except ImportError:
    libdevice = None
#= libdevice: module triton.language.extra.libdevice
try:
    from triton.language import not_there
    A = 1
except ImportError:
    A = 2                #= A: 2
    not_there = None     #= not_there: None
else:
    A = 3
try:
    exp = tl.no_such_exp
except (AttributeError, KeyError):
    exp = tl.exp         #= exp: builtin exp
try:
    import torch
    HAS = True
except ImportError:
    HAS = False          #= HAS: error: which of its definitions holds (line 23 or 25) depends on torch
try:
    B = 1 // 0
except ZeroDivisionError:
    B = "zero"           #= B: 'zero'
finally:
    C = 1                #= C: 1
try:
    import json
except ImportError:
    pass
else:
    E = "else"           #= E: 'else'
`},
	{"functions", `
def fact(n):
    return 1 if n < 2 else n * fact(n - 1)
A = fact(20)             #= A: 2432902008176640000

def loops(n, *, step=1, **kw):
    out = []
    i = 0
    while True:
        i += step
        if i > n:
            break
        if i == 3:
            continue
        out.append(i)
    else:
        out.append("never")
    for j in range(2):
        pass
    else:
        out.append("else")
    return out
B = loops(5)             #= B: [1, 2, 4, 5, 'else']

def tries(x):
    try:
        if x == 0:
            raise ValueError("zero", 1)
        return {}["k"]
    except KeyError as e:
        return "key"
    except (ValueError, TypeError) as e:
        return str(e)
    finally:
        pass
C = tries(0), tries(1)   #= C: ("('zero', 1)", 'key')

def outer():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    inc()
    return inc() + n
D = outer()              #= D: 4

def gen(n):
    for i in range(n):
        yield i * 2
E = list(gen(3))         #= E: [0, 2, 4]

def swap(a, b=2):
    (a, b), c = (b, a), [a]
    c[0] = 9
    del c[0]
    assert a
    with open("x") as f:
        d = 1
    return a, b, c, d
F = swap(1)              #= F: (2, 1, [], 1)

def forever():
    while True:
        pass
J = forever()            #= J: error: takes more than
def deep(n):
    return deep(n + 1)
K = deep(0)              #= K: error: RecursionError
#= fact: error: 'fact' is a plain Python function, which a kernel cannot call: decorate it with @triton.jit
`},
	{"kernels", `
from triton import jit as J
import tegula
@triton.jit
def a(): pass            #= a: kernel a
@J
def b(): pass            #= b: kernel b
@triton.jit(debug=True)
def c(): pass            #= c: kernel c
def d(): pass
e = triton.jit(d)        #= e: kernel d
@tegula.jit
def f(): pass            #= f: kernel f
@triton.autotune(configs=[], key=[])
@triton.heuristics({})
@triton.jit
def g(): pass            #= g: kernel g
h = triton.autotune([], key=[])(e)  #= h: kernel d
import other
@other.wrap()
@triton.jit
def k(): pass            #= k: kernel k
@other.wrap()
def l(): pass            #= l: error: plain Python function
def my_jit(fn):
    return triton.jit(fn, noinline=True)
@my_jit
def m(): pass            #= m: kernel m
def make(n):
    @triton.jit
    def inner(): n
    return inner
o = make(4)              #= o: kernel inner
@triton.constexpr_function
def p(x): return x + 1   #= p: <function p>
`},
	{"the language", `
from triton.language import float32, exp as my_exp, constexpr
from triton import cdiv, next_power_of_2
from triton.language.extra.cuda import libdevice
import triton.language.core as core
#= float32: type float32
#= my_exp: builtin exp
#= cdiv: builtin triton.cdiv
#= libdevice: module triton.language.extra.libdevice
#= core: module triton.language
#= tl: module triton.language
#= triton: module triton
A = cdiv(10, 4), triton.cdiv(-7, 2), next_power_of_2(5), triton.next_power_of_2(0)   #= A: (3, -3, 8, 0)
B = getattr(tl, "nothing", 3)      #= B: 3
C = getattr(tl, "float16")         #= C: type float16
D = constexpr(1)                   #= D: const 1
E = tl.float16.primitive_bitwidth  #= E: 16
F = {tl.float16: "h", tl.float32: "s"}[tl.float32]   #= F: 's'
G = tl.bfloat16 == tl.float16      #= G: False
H = tl.float8e5.is_fp8()           #= H: True
I = triton.runtime.driver.active.get_current_target()  #= I: error: that part of triton is not there in Tegula
`},
	{"star import", `
from triton.language import *
#= float32: type float32
#= exp: builtin exp
#= _log2: unbound
#= unheard: unbound
`},
	{"what other vendors have", `
from triton.language.extra.mlu import fast_thing
A = 1                    #= A: 1
#= fast_thing: error: No module named 'triton.language.extra.mlu'
try:
    from triton.language.extra.mlu import other_thing as thing
except ImportError:
    thing = 2            #= thing: 2
`},
	{"two star imports", `
from triton.language import *
from torch import *
#= exp: error: it may come from 'from torch import *', and module 'torch' is not available
A = len((1, 2))          #= A: 2
`},
	{"library", `
import importlib, math, os, sys, functools, itertools
from collections import namedtuple
from packaging import version
A = math.log2(math.e)              #= A: 1.4426950408889634
B = os.environ.get("X", "0") == "1" #= B: False
C = os.getenv("X", 4)              #= C: 4
D = sys.version_info >= (3, 8)     #= D: True
E = list(itertools.product((1, 2), "ab"))  #= E: [(1, 'a'), (1, 'b'), (2, 'a'), (2, 'b')]
F = functools.partial(max, 3)(1, 5) #= F: 5
P = namedtuple("P", "x y", defaults=(7,))
G = P(1)                           #= G: const (x=1, y=7)
H = G.y + G._replace(x=5).x        #= H: 12
I = version.parse(triton.__version__) >= version.parse("3.2.0")  #= I: True
J = "X" in os.environ              #= J: False
K = functools.reduce(lambda a, b: a * b, [1, 2, 3])  #= K: 6
L = list(itertools.chain.from_iterable([[1], [2]]))  #= L: [1, 2]
M = isinstance(1, (int, str)), isinstance(G, P)      #= M: (True, True)
@functools.lru_cache(maxsize=None)
def cached(x): return x
N = cached(3)                      #= N: 3
Q = version.parse(importlib.import_module("triton").__version__) >= version.parse("3.2.0")  #= Q: True
R = importlib.import_module("math").floor(2.5)  #= R: 2
`},
	{"classes", `
from enum import Enum, IntEnum, auto
from typing import NamedTuple
class Mode(IntEnum):
    A = 1
    B = auto()
    def f(self): return 1
class Color(Enum):
    RED = "r"
    BLUE = "b"
class Names:
    X = 5
    Y: tl.constexpr = X + 1
    @staticmethod
    def f(): return 3
class Sub(Names):
    Z = Names.X
class T(NamedTuple):
    a: int
    b: int = 4
A = Mode.B.value, Mode.A + 1, Mode.B == 2, Mode(2).name    #= A: (2, 2, True, 'B')
B = Color("b").name, Color["RED"].value, Color.RED == Color.BLUE, Color.RED is Color.RED  #= B: ('BLUE', 'r', False, True)
C = [m.name for m in Mode]          #= C: ['A', 'B']
D = Names.X, Sub.Y, Sub.Z, Names.f()  #= D: (5, 6, 5, 3)
E = T(1).b                          #= E: 4
F = Mode.B                          #= F: 2
G = T(1, b=2)                       #= G: const (a=1, b=2)
H = Names().X                       #= H: error: objects of class 'Names' are not made by Tegula
I = Color.RED                       #= I: <Color.RED: 'r'>
class S(str, Enum):
    A = "a"
K = f"{Mode.B} {Color.RED} {S.A} {S.A.value}", S.A == "a", {Mode.A: 1}[1]  #= K: ('2 Color.RED S.A a', True, 1)
X = 1
class Late:
    V = X
X = 2
J = Late.V                          #= J: 1
`},
	{"unknown values", `
import jax
import numpy as np
DTYPE = jax.float16    #= DTYPE: error: 'DTYPE' cannot be known: it comes from jax.float16, and module 'jax' is not available: it is no file of the program, and no libraries are run
TABLE = {"block": 64, "dtype": jax.float16}
A = TABLE["block"]       #= A: 64
B = TABLE["dtype"]       #= B: error: jax.float16
C = jax.cuda.device_count() * 2 + 1   #= C: error: jax.cuda.device_count(), and module 'jax'
D = 5 if jax.cuda.is_available() else 6 #= D: error: jax.cuda.is_available()
E = (1, np.pi)           #= E: error: numpy.pi
from .config import BLOCK #= BLOCK: error: .config.BLOCK, and module '.config' is not available
F = [x for x in jax.things] #= F: error: jax.things
def f(n=jax.x): return 3
G = f()                  #= G: 3
H = open("x").read()     #= H: error: 'open' is not evaluated by Tegula
a, b = jax.pair        #= b: error: jax.pair
I = f"{jax.x}"         #= I: error: jax.x
J = abs(jax.x)         #= J: error: jax.x
K = jax is None          #= K: error: jax
M = hasattr(jax, "x")    #= M: error: jax.x
import os.path
N = hasattr(os, "uname") #= N: error: os.uname
L = b"bytes"             #= L: error: bytes
`},
	{"globals that functions change", `
A = 1
B = 2
def f():
    if B:
        global A
        A = 2
def g(): return A
#= A: error: 'A' cannot be known: the function f(), which may run at any time, changes it
#= B: 2
C = g()                  #= C: 1
`},
}

// failCases are modules that fail, with the error of every name.
var failCases = []struct{ name, src, want string }{
	{"an argument of the wrong type", "def fact(n): return 1 if n < 2 else n\nG = fact('x')\n", "kernels.py:4:26: CompileError: 'A' cannot be evaluated: TypeError: '<' not supported"},
	{"too many arguments", "def fact(n): return n\nH = fact(1, 2)\n", "fact() takes 1 positional argument, not 2"},
	{"a keyword that is none", "def fact(n): return n\nI = fact(m=1)\n", "unexpected keyword argument 'm'"},
	{"no such attribute", "J = tl.nothing\n", "AttributeError: module 'triton.language' has no attribute 'nothing'"},
	{"no such variable", "import os\nO = os.environ['X']\n", "KeyError: 'X'"},
	{"a name that depends on itself", "B = B + 1\n", "NameError: name 'B' is not defined"},
	{"a function that needs a later name", "def f(): return B\nB = f()\n", "NameError"},
	{"raise", "for i in range(3):\n    if i == 1:\n        raise ValueError('no')\n", "kernels.py:6:9: CompileError: 'A' cannot be evaluated: ValueError: no"},
	{"assert", "assert 1 > 2, 'never'\n", "AssertionError: never"},
	{"an index", "L = [1]\nL[1] = 2\n", "IndexError"},
	{"a name that is not imported", "from triton.language import nothing\n", "ImportError: cannot import name 'nothing' from 'triton.language'"},
	{"a default", "def f(x=nothing): pass\n", "NameError: name 'nothing' is not defined"},
	{"a deleted name", "C = 1\ndel C\nD = C\n", "NameError"},
}
