"""Figure 3 of the MORF paper: error on MNIST against n, and on all 60,000 images."""

from __future__ import annotations

from experiments.arguments import parse
from experiments.images import Bounds, Plan, run

BOUNDS = Bounds(morf=0.026, channels=0.014, boosted=0.0085)
PLAN = Plan(n_trees=500, as_published=True)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("mnist", __doc__ or "", seeds=3, argv=argv)
    run(arguments, "mnist", "MNIST", BOUNDS, PLAN)


if __name__ == "__main__":
    main()
