package module

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// pythonCases are statements of a module with what RES is afterwards in Python; "" where the import
// fails. A second string says why Tegula does not know it.
var pythonCases = []struct{ name, src, want, doubt string }{
	{"an alias", "L = [1]; M = L; M.append(2); RES = len(L)", "2", ""},
	{"an alias made by unpacking", "a = b = []; c, d = a, {}; c.append(1); RES = len(b)", "1", ""},
	{"an alias in a dict", "L = []; D = {'l': L}; D['l'].append(2); RES = len(L)", "1", ""},
	{"an alias that is extended", "L = [1]; M = L; M += [2]; S = {1}; T = S; T |= {2}; RES = len(L) + len(S)", "4", ""},
	{"a bound method", "L = []; add = L.append; add(1); RES = len(L)", "1", ""},
	{"a method of the class", "L = []; list.append(L, 1); RES = L", "[1]", ""},
	{"map is lazy", "L = []; m = map(L.append, [1, 2]); n = len(L); list(m); RES = (n, len(L))", "(0, 2)", ""},
	{"a comprehension for its effect", "L = []; [L.append(i) for i in range(3)]; RES = L", "[0, 1, 2]", ""},
	{"a function with **kwargs", "C = {'a': 1}\ndef f(**kw): C.update(kw)\nf(a=5)\nRES = C['a']", "5", ""},
	{"a function that changes its parameter", "L = []\ndef f(x): x.append(1)\nf(L)\nRES = len(L)", "1", ""},
	{"a nested function", "L = []\ndef f():\n    def g(): L.append(1)\n    g()\nf()\nRES = len(L)", "1", ""},
	{"a default of a def", "n = 5\ndef f(x=n): return x\nn = 7\nRES = f()", "5", ""},
	{"a default that is changed", "def f(x=[]):\n    x.append(1)\n    return len(x)\nf()\nRES = f()", "2", ""},
	{"defaults of lambdas", "fs = []\nfor i in range(3): fs.append(lambda i=i: i)\nRES = [f() for f in fs]", "[0, 1, 2]", ""},
	{"lambdas that see the last value", "fs = []\nfor i in range(3): fs.append(lambda: i)\nRES = [f() for f in fs]", "[2, 2, 2]", ""},
	{"del of a slice", "L = [1, 2, 3]; del L[1:]; RES = L", "[1]", ""},
	{"del of every other one", "L = [1, 2, 3, 4]; del L[::2]; RES = L", "[2, 4]", ""},
	{"a slice as a target", "L = [1, 2, 3]; L[1:2] = [9, 8]; L[:0] = (7,); L[::4] = [5, 6]; RES = L", "[5, 1, 9, 8, 6]", ""},
	{"sets", "S = set(); S.add(1); S |= {2, 3}; S.discard(1); S.update([7], (8,)); S.remove(7); RES = sorted(S)", "[2, 3, 8]", ""},
	{"setdefault", "D = {}; D.setdefault('k', []).append(1); RES = D", "{'k': [1]}", ""},
	{"popitem and pop", "D = {'a': 1, 'b': 2}; x = D.popitem(); y = D.pop('a'); RES = (x, y, len(D))", "(('b', 2), 1, 0)", ""},
	{"a handler of another type", "try:\n    try: d = {}['a']\n    except IndexError: X = 1\nexcept KeyError: X = 2\nRES = X", "2", ""},
	{"try and finally in a try", "X = 0\ntry:\n    try: raise ValueError\n    finally: X = 1\nexcept ValueError: X += 10\nRES = X", "11", ""},
	{"what a failing body did", "X = 1\ntry:\n    X = 2\n    Y = {}['a']\n    X = 3\nexcept KeyError: pass\nRES = X", "2", ""},
	{"raise again", "X = 0\ntry:\n    try: [][1]\n    except IndexError:\n        X = 1\n        raise\nexcept LookupError: X += 1\nRES = X", "2", ""},
	{"suppress", "import contextlib\nX = 1\nwith contextlib.suppress(KeyError):\n    X = 2\n    Y = {}['a']\n    X = 3\nRES = X", "2", ""},
	{"an attribute of a base class", "class K: V = 1\nclass J(K): pass\nK.V = 7\nRES = J.V", "7", ""},
	{"setattr", "class K: V = 1\nsetattr(K, 'V', 5)\nRES = K.V", "5", ""},
	{"a list of a class", "class K: L = []\nK.L.append(1)\nclass J(K): pass\nJ.L.append(2)\nRES = K.L", "[1, 2]", ""},
	{"a classmethod", "class R:\n    T = {}\n    @classmethod\n    def add(cls, k): cls.T[k] = len(cls.T)\nR.add('a'); R.add('b')\nRES = R.T", "{'a': 0, 'b': 1}", ""},
	{"globals()", "X = 1\nglobals()['X'] = 5\nRES = X + globals()['X']", "10", ""},
	{"exec and eval", "X = 1\nexec('X = 5')\nRES = eval('X + 1')", "6", ""},
	{"sys.modules", "import sys\nX = 1\nsys.modules[__name__].X = 5\nRES = X", "5", ""},
	{"the environment", "import os\nos.environ['TEGULA_T'] = '5'\nRES = os.environ.get('TEGULA_T', '3') + os.getenv('TEGULA_U', '1') + str('TEGULA_T' in os.environ)", "'51True'", ""},
	{"lists in a loop", "M = [[0] * 2 for _ in range(2)]\nfor r in M: r[0] = 4\nRES = M", "[[4, 0], [4, 0]]", ""},
	{"one row twice", "M = [[0]] * 2\nM[0][0] = 1\nRES = M", "[[1], [1]]", ""},
	{"a loop over a list that grows", "L = [1]\nfor x in L:\n    if x < 4: L.append(x + 1)\nRES = L", "[1, 2, 3, 4]", ""},
	{"an iterator gives each element once", "z = zip([1, 2], [3, 4]); a = list(z); b = list(z); RES = (a, b)", "([(1, 3), (2, 4)], [])", ""},
	{"an iterator after break", "it = iter([1, 2, 3, 4])\nfor a in it: break\nRES = (next(it), sum(it), next(it, 'end'))", "(2, 7, 'end')", ""},
	{"a generator gives each element once", "g = (x for x in (1, 2)); a = sum(g); RES = (a, sum(g))", "(3, 0)", ""},
	{"a generator that is not asked", "L = []\ndef g():\n    L.append(1)\n    yield 1\nx = g()\nRES = len(L)", "0", ""},
	{"deleted and bound again", "X = 1\ndel X\nX = 2\nRES = X", "2", ""},
	{"names of a comprehension", "x = 9\ny = [x for x in range(3)]\nRES = (x, (z := 4), z)", "(9, 4, 4)", ""},
	{"class bodies see their names", "n = 1\nclass A:\n    n = 2\n    m = n\n    l = [n for _ in (1,)]\nRES = (A.m, A.l)", "(2, [1])", ""},
	{"augmented element", "L = [[1], 2]; L[0] += [5]; L[1] *= 3; RES = L", "[[1, 5], 6]", ""},
	{"a tuple that is extended is another", "t = (1,); u = t; t += (2,); RES = (t, u)", "((1, 2), (1,))", ""},

	{"a value too large for Tegula", "x = 'a'\nfor i in range(21): x = x + x\nRES = len(x)", "2097152", "too large"},
	{"an int too large for Tegula", "x = 3\nfor i in range(16): x = x * x\nRES = x % 1000003", "162250", "too large"},
	{"a module that is not there", "try:\n    import zzz_nonexistent\n    X = 1\nexcept ImportError: X = 2\nRES = X", "2", "depends on zzz_nonexistent"},
	{"what a library is given", "import random\nL = [1, 2]\nrandom.shuffle(L)\nRES = len(L)", "2", "'random.shuffle(L)' may change it"},
	{"what a library is given holds", "import random\nL = [1, 2]\nrandom.shuffle([L, L])\nRES = len(L)", "2", "may change it"},
	{"a function that a library is given", "import heapq\nL = []\ndef f(x):\n    L.append(x)\n    return x\nheapq.merge([1], key=f)\nRES = len(L)", "0", "may change it"},
	{"a list made later", "import heapq\ndef f(x): return M.append(x)\nheapq.merge([1], key=f)\nM = [1]\nRES = len(M)", "1", "may change it"},
	{"a branch that is not known", "import time\nL = [1]\nM = L\nif time.time() > 1: M.append(2)\nRES = len(L)", "2", "may change it"},
	{"both branches do the same", "import time\nL = [1]\nif time.time() > 1: L.append(2)\nelse: L.append(2)\nRES = len(L)", "2", ""},
	{"one branch fails", "import time\nX = 1\nif time.time() < 1: raise ValueError\nelse: X = 2\nRES = X", "2", ""},
	{"a loop that is not known", "import os\nL = []\nfor n in os.listdir('/'): L.append(1)\nRES = len(L) > 0", "True", "may change it"},
	{"a loop that may end", "import time\nX = 0\nfor i in range(9):\n    if time.time() > 1: break\n    X = i\nRES = X", "0", "time.time()"},
	{"a return that may come", "import time\nL = []\ndef f():\n    if time.time() > 1: return 1\n    L.append(1)\n    return 2\nf()\nRES = len(L)", "0", "may change it"},
	{"one of two lists", "import time\nL, M = [], []\n(L if time.time() > 1 else M).append(1)\nRES = len(L)", "1", "may change it"},
	{"an index that is not known", "import time\nL = [[1]]\nL[int(time.time()) * 0].append(2)\nRES = len(L[0])", "2", "may change it"},
	{"unknown keys of a dict", "import time\nD = {1: 2}\nD[time.time()] = 3\nRES = len(D)", "2", "may change it"},
	{"an unknown element of a set", "import time\nS = {1}\nS.add(time.time())\nRES = len(S)", "2", "may change it"},
	{"an unknown element of a list", "import time\nL = [1, time.time()]\nRES = (len(L), L[0])", "(2, 1)", ""},
	{"a search among what is not known", "import time\nL = [time.time(), 1]\nRES = 1 in L", "True", "time.time()"},
	{"an object of a class", "class C:\n    L = []\n    def __init__(self): self.L.append(1)\nC()\nRES = len(C.L)", "1", "may change it"},
	{"a decorator that is not known", "import atexit\nL = []\n@atexit.register\ndef f(): L.append(1)\nRES = len(L)", "0", "may change it"},
	{"a generator that changes things", "L = []\ndef g():\n    L.append(1)\n    yield 1\nsum(g())\nRES = len(L)", "1", "may change it"},
	{"try around what may fail", "import time\nX = 1\ntry:\n    X = 2\n    time.time()\n    X = 3\nexcept Exception: pass\nRES = X", "3", "which of its definitions holds"},
	{"what is bound only if nothing fails", "import time\ntry:\n    time.time()\n    X = 3\nexcept Exception: pass\nRES = X", "3", ""},
	{"text that is not known", "import os\nX = 1\nexec(os.devnull and 'X = 2')\nRES = X", "2", "text that is not known"},
	{"a function that declares it global", "X = 1\ndef f():\n    global X\n    X = 5\nf()\nRES = X", "5", ""},
	{"a function that declares it global and that others may call", "import atexit\nX = 1\n@atexit.register\ndef f():\n    global X\n    X = 5\nRES = X", "1", "may change it"},

	{"types as values", "A = list[int]\nB = int | None\nRES = 1", "1", ""},

	{"an exception that nobody catches", "X = 1\nfor i in range(3):\n    X = i\n    if i == 1: raise ValueError('no')\nRES = X", "", "ValueError: no"},
	{"an index out of range", "L = [1]\nX = L[2]\nRES = 1", "", "IndexError"},
}

// TestLikePython: what a name of a module is bound to is what Python says, or not known.
func TestLikePython(t *testing.T) {
	for _, c := range pythonCases {
		t.Run(c.name, func(t *testing.T) {
			got := look(t, load(t, c.src+"\n"), "RES")
			if c.doubt == "" && got != c.want && got != "const "+c.want {
				t.Errorf("RES is %s, want %s", got, c.want)
			}
			if c.doubt != "" && (!strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.doubt)) {
				t.Errorf("RES is %s, want an error that says %q", got, c.doubt)
			}
		})
	}
}

// TestPythonCases asks Python itself what the cases give.
func TestPythonCases(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	var script strings.Builder
	script.WriteString("import sys, types\nif sys.version_info < (3, 10): sys.exit()\n")
	for i, c := range pythonCases {
		fmt.Fprintf(&script, "m = types.ModuleType('case%d'); sys.modules[m.__name__] = m\ntry:\n    exec(%q, m.__dict__); print(%d, repr(m.RES))\nexcept Exception: print(%d)\n", i, c.src, i, i)
	}
	out, err := exec.Command(python, "-I", "-c", script.String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Skip("python3 is older than 3.10, whose types are no operands of |")
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(pythonCases) {
		t.Fatalf("%d answers", len(lines))
	}
	for i, c := range pythonCases {
		if _, got, _ := strings.Cut(lines[i], " "); got != c.want {
			t.Errorf("%s: Python gives %s, the table says %s", c.name, got, c.want)
		}
	}
}
