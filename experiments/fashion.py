"""Error on Fashion-MNIST against n, with the patches that the papers took for MNIST."""

from __future__ import annotations

from experiments.arguments import parse
from experiments.images import Bounds, Plan, run

BOUNDS = Bounds(morf=0.121, channels=0.097, boosted=0.076)
PLAN = Plan(n_trees=100, as_published=False)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("fashion", __doc__ or "", seeds=3, argv=argv)
    run(arguments, "fashion_mnist", "Fashion-MNIST", BOUNDS, PLAN)


if __name__ == "__main__":
    main()
