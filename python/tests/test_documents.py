"""What the documents show works as shown."""

import contextlib
import io
import os
import re
import runpy
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def run_text(text):
    """Runs a program from a file, and gives what it prints."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "shown.py")
        path.write_text(text)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(path))
    return out.getvalue()


class Documents(unittest.TestCase):
    def test_readme(self):
        programs = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
        self.assertEqual(len(programs), 1)
        self.assertEqual(run_text(programs[0]), "[1. 2. 3. 4. 5.] 500500.0\n")

    def test_python_md(self):
        """The program that its pieces make together."""
        text = (ROOT / "docs/python.md").read_text()
        blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.M)
        pieces = [b for b in blocks if re.search(r"^    (import|k = |@|def )", b, re.M)]
        self.assertEqual(len(pieces), 4)
        program = "\n".join(re.sub(r"^    ", "", piece, flags=re.M) for piece in pieces)
        out = run_text(program + "\nadd[(4,)](x, y, out, 1000, BLOCK=256)\nassert out[3] == 4\n")
        self.assertIn("add (4, 1, 1)", out)
        import tegula

        tegula.knobs.runtime.launch_enter_hook.calls.clear()

    def test_examples(self):
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run([sys.executable, ROOT / "examples/python/numpy_only.py"], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("framework='numpy'", done.stdout)


if __name__ == "__main__":
    unittest.main()
