"""Error on Fashion-MNIST against n, with the patches that the papers took for MNIST."""

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
    arguments = parse("fashion", __doc__ or "", seeds=3, argv=argv)
    store = measure_images(arguments, "fashion_mnist", SIZES)
    error = store.mean("error", system="MORF", n=ALL)
    mark = at_most("60,000 images, 500 trees: below 12.1 %", error, 0.121)
    marks = [mark._replace(measured=percent(error))]
    for other in ("RF", "SPORF"):
        gap = worst_gap(store, SIZES, other)
        mark = at_most(f"MORF below {other} at every n", gap, 0.0)
        marks.append(mark._replace(measured=f"{100 * gap:+.2f} points at worst"))
    draw_errors(store, SIZES, arguments, "Fashion-MNIST")
    parts = [
        f"`{arguments.command}`",
        marks_table(marks),
        "![Error on Fashion-MNIST against the number of training images](fashion.png)",
        error_table(store, SIZES),
        time_table(store),
    ]
    write_measured(arguments.output / "fashion.md", "Fashion-MNIST", "\n\n".join(parts))


if __name__ == "__main__":
    main()
