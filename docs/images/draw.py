"""Draws the figures of the user guide: ``python -m docs.images.draw`` writes them beside itself.

With names, such as ``python -m docs.images.draw tree_digits bins``, it draws these alone. The
figure of the demo comes from ``silvan demo --output docs/images``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from docs.images import cells, directions, readers, searches, sheets, splits
from matplotlib.figure import Figure

HERE = Path(__file__).parent
# By the names of their files, with dots per inch where the figure itself does not say.
FIGURES: dict[str, tuple[Callable[[], Figure], int | None]] = {
    "geometries": (directions.draw_geometries, 160),
    "directions": (directions.draw_directions, None),
    "fitted_directions": (directions.draw_fitted_directions, None),
    "patches": (directions.draw_patches, None),
    "several_patches": (directions.draw_several_patches, None),
    "neighborhoods": (directions.draw_neighborhoods, None),
    "importance_digits": (readers.draw_importance, 80),
    "importance_series_graph": (readers.draw_line_and_graph, None),
    "scaling": (splits.draw_scaling, None),
    "tuning": (splits.draw_tuning, None),
    "categories": (splits.draw_categories, None),
    "honesty": (splits.draw_honesty, None),
    "balance": (cells.draw_balance, None),
    "parsimony": (sheets.draw_parsimony, None),
    "edges": (searches.draw_edges, None),
    "searches": (searches.draw_searches, None),
    "regions": (cells.draw_regions, None),
    "contributions_digits": (readers.draw_contributions, 80),
    "contributions_table": (readers.draw_contribution_bars, 80),
    "shapley": (readers.draw_shapley, 80),
    "top_projections": (readers.draw_projections, 80),
    "top_patches": (readers.draw_image_projections, 80),
    "tree_digits": (readers.draw_image_tree, 80),
    "tree_table": (readers.draw_table_tree, 80),
    "strength_and_out_of_bag": (readers.draw_trees, None),
    "bias_variance": (readers.draw_bias_variance, 80),
    "bins": (splits.draw_bins, None),
}


def main(names: list[str]) -> None:
    """Draw the figures with these names; none stands for all."""
    unknown = set(names) - set(FIGURES)
    if unknown:
        sys.exit(
            f"no figure has the name {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}."
        )
    for name in names or FIGURES:
        draw, dpi = FIGURES[name]
        draw().savefig(HERE / f"{name}.png", dpi=dpi or "figure")
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
