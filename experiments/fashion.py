"""Error on Fashion-MNIST against n, with the patches that the papers took for MNIST."""

from __future__ import annotations

from experiments.arguments import parse
from experiments.images import run


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("fashion", __doc__ or "", seeds=3, argv=argv)
    run(arguments, "fashion_mnist", "Fashion-MNIST", 0.121)


if __name__ == "__main__":
    main()
