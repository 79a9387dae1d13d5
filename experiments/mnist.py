"""Figure 3 of the MORF paper: error on MNIST against n, and on all 60,000 images."""

from __future__ import annotations

from experiments.arguments import parse
from experiments.images import (
    ALL,
    draw_errors,
    error_table,
    measure_images,
    time_table,
    worst_gap,
)
from experiments.pages import at_most, marks_table, percent, write_measured

SIZES = (100, 300, 1000, 3000, 10_000, ALL)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("mnist", __doc__ or "", seeds=3, argv=argv)
    store = measure_images(arguments, "mnist", SIZES)
    error = store.mean("error", system="MORF", n=ALL)
    marks = [at_most("60,000 images, 500 trees: at most 2.6 %", error, 0.026)]
    marks[0] = marks[0]._replace(measured=percent(error))
    for other in ("RF", "SPORF"):
        gap = worst_gap(store, SIZES, other)
        mark = at_most(f"MORF below {other} at every n", gap, 0.0)
        marks.append(mark._replace(measured=f"{100 * gap:+.2f} points at worst"))
    draw_errors(store, SIZES, arguments, "MNIST")
    parts = [
        f"`{arguments.command}`",
        marks_table(marks),
        "![Error on MNIST against the number of training images](mnist.png)",
        error_table(store, SIZES),
        time_table(store),
    ]
    write_measured(arguments.output / "mnist.md", "MNIST", "\n\n".join(parts))


if __name__ == "__main__":
    main()
