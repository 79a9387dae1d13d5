"""
From a table to a report, without Python
========================================

``silvan``, the program, learns forests from files, predicts files, compares forests, and writes a
page about a forest that needs no network. Here it runs on a table of flowers.
"""

# %%
# A table as a spreadsheet would save it:

import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.datasets import load_iris

folder = Path(tempfile.mkdtemp())
iris = load_iris(as_frame=True)
table = iris.data.set_axis(["sepal_length", "sepal_width", "petal_length", "petal_width"], axis=1)
table["species"] = iris.target_names[iris.target]
table.to_csv(folder / "flowers.csv", index=False)
table.groupby("species").mean().round(1)

# %%
# These lines run the program as one would in a shell:


def run(command):
    """Run a command of silvan in the folder, and print what it prints."""
    print(f"$ silvan {command}")
    program = [sys.executable, "-m", "silvan", *command.split()]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=True)
    print(done.stdout)


run("fit flowers.csv --target species --out flowers.silvan")
run("predict flowers.silvan flowers.csv --probabilities --out answers.csv")
print("".join((folder / "answers.csv").read_text().splitlines(keepends=True)[:3]))

# %%
# The report is one file, and this is it:

run("report flowers.silvan flowers.csv --target species --against rf --out flowers.html")

# sphinx_gallery_start_ignore
from html import escape


class Page:
    """Shows a page inside this one."""

    def __init__(self, path):
        self.path = path

    def _repr_html_(self):
        content = escape(self.path.read_text(encoding="utf-8"))
        return f'<iframe class="report" title="The report" srcdoc="{content}"></iframe>'


Page(folder / "flowers.html")
# sphinx_gallery_end_ignore

# %%
# :doc:`/guide/command_line` has all commands, and what they read: tables, arrays, folders of
# images, time series.

# sphinx_gallery_thumbnail_path = 'images/report_light.png'
