"""A bar on the terminal for what takes longer than a second."""

import os
import sys
import time

DELAY = 1.0  # seconds


class Progress:
    """Shows on stderr how far something is. Nothing is written where stderr is no terminal."""

    def __init__(self, what, total, stream=None):
        self.what, self.total, self.done = what, total, 0
        self.stream = sys.stderr if stream is None else stream
        self.shown = False

    def __enter__(self):
        self.start = time.monotonic()
        self.terminal = self.stream is not None and self.stream.isatty() and os.environ.get("TERM") != "dumb"
        return self

    def step(self):
        self.done += 1
        if not self.terminal or time.monotonic() - self.start < DELAY:
            return
        width = 24
        full = width * self.done // max(self.total, 1)
        self.stream.write(f"\r{self.what} [{'=' * full}{' ' * (width - full)}] {self.done}/{self.total}")
        self.stream.flush()
        self.shown = True

    def __exit__(self, *_):
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
