"""Draws cuda.json, which compare.py writes: what each side reaches, in groups of one unit.

    pip install matplotlib
    python3 bench/cuda/plot.py bench/results/cuda.json bench/results/cuda.svg
"""
import json
import sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "cuda", "font.size": 8})
import matplotlib.pyplot as plt

SIDES = {"tegula": "Tegula", "triton": "Triton", "torch": "PyTorch", "raw": "cuLaunchKernel from C"}
COLORS = {"tegula": "#00557a", "triton": "#e08030", "torch": "#a0a0a0", "raw": "#303030"}
GROUPS = [
    ("GB/s", lambda row: True, "memory, GB/s: more is better"),
    ("TFLOP/s", lambda row: True, "matrices, TFLOP/s: more is better"),
    ("ms", lambda row: row.startswith("compile") and not row.endswith("to PTX"), "compilation with the driver's part, ms: less is better"),
    ("ns", lambda row: row.startswith("launch"), "host time of a launch, ns: less is better"),
]


def main(source, to):
    data = json.load(open(source))
    figure, axes = plt.subplots(2, 2, figsize=(11, 8))
    for axis, (unit, belongs, title) in zip(axes.flat, GROUPS):
        rows, values = [], {side: {} for side in SIDES}
        for f in data["figures"]:
            row = f["row"]
            if f.get("unit") != unit or f["side"] not in SIDES or not belongs(row):
                continue
            if row not in rows:
                rows.append(row)
            values[f["side"]].setdefault(row, f["value"])  # what follows is of other ways, such as prepared launches
        present = [side for side in SIDES if values[side]]
        height = 0.8 / len(present)
        for i, side in enumerate(present):
            at = [r + i * height for r, row in enumerate(rows) if row in values[side]]
            axis.barh(at, [values[side][row] for row in rows if row in values[side]], height, label=SIDES[side], color=COLORS[side])
        axis.set_yticks([r + 0.4 - height / 2 for r in range(len(rows))], rows)
        axis.invert_yaxis()
        axis.set_title(title, loc="left")
        axis.spines[["top", "right"]].set_visible(False)
        if unit == "ms":
            axis.set_xscale("log")
            axis.set_xlim(left=1)
    m = data["machine"]
    figure.suptitle(f"{m['date']}, {m['gpu']}; torch {m['torch']}, triton {m['triton']}", x=0.01, ha="left")
    handles = [plt.Rectangle((0, 0), 1, 1, color=COLORS[side]) for side in SIDES]
    figure.legend(handles, SIDES.values(), loc="upper right", ncols=len(SIDES), frameon=False)
    figure.tight_layout()
    figure.savefig(to, metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
