"""Categorical columns: codes learnt at each node against one-hot columns and other encodings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.stats import rankdata, wilcoxon

from experiments.arguments import Arguments, parse
from experiments.category_systems import (
    ABLATION_SIZES,
    ABLATION_TREES,
    BOOSTING,
    DISTRIBUTIONS,
    ENCODINGS,
    LEAKING,
    SIMULATED_ENCODINGS,
    VALUES,
    measure,
    measure_ablation,
    measure_simulated,
    systems,
)
from experiments.encodings import EFFECTS
from experiments.figures import panels, save
from experiments.node_codes import SOURCES
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.uci import read_index

COLORS = {
    "native": "#d1353b",
    "one-hot": "#2c6fb3",
    "codes": "#777777",
    "target": "#2f9e77",
    LEAKING: "#b6d7c3",
    "boosting": "#6b4c9a",
}
N_FOLDS = 5
FEWEST_ROWS = 50
QUICK = ("hayes_roth", "teaching")
# The sets that were looked at when codes of nodes were designed.
LOOKED_AT = (
    "adult",
    "audiology_std",
    "bank",
    "contrac",
    "flags",
    "hayes_roth",
    "molec_biol-promoter",
    "molec_biol-splice",
    "monks_1",
    "monks_2",
    "monks_3",
    "soybean",
    "teaching",
    "tic_tac-toe",
    "titanic",
)
LEVELS, USELESS = (20, 200, 1000), (20, 1000)
ABLATION = (
    (20, 20, "additive"),
    (1000, 20, "additive"),
    (200, 1000, "additive"),
    (200, 1000, "interaction"),
)


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every UCI set with a category, fold and system, the cheapest sets first."""
    index = read_index(arguments.data)
    names = [
        name
        for name, row in index.items()
        if int(row["n_categorical_3plus"]) > 0 and int(row["n"]) >= FEWEST_ROWS
    ]
    return [
        {"dataset": name, "fold": fold, **system, "data": arguments.data}
        for name in names
        if not arguments.quick or name in QUICK
        for fold in range(N_FOLDS)
        for system in systems()
    ]


def list_simulated_cells(arguments: Arguments) -> list[Cell]:
    """Every simulation and system, draw by draw."""
    return [
        {"levels": levels, "useless": useless, "effect": effect, **system, "seed": seed}
        for seed in range(arguments.seeds)
        for effect in EFFECTS
        for levels in (LEVELS[:1] if arguments.quick else LEVELS)
        for useless in (USELESS[:1] if arguments.quick else USELESS)
        for system in systems(SIMULATED_ENCODINGS)
    ]


def list_ablation_cells(arguments: Arguments) -> list[Cell]:
    """The simulations that differ most, each with every source of codes."""
    problems = ABLATION[:1] if arguments.quick else ABLATION
    return [
        {"levels": levels, "useless": useless, "effect": effect, "source": source, "seed": seed}
        for seed in range(arguments.seeds)
        for levels, useless, effect in problems
        for source in ("the library", *SOURCES)
    ]


def collect(store: Store, column: str, distribution: str) -> dict[str, list[float]]:
    """Means over the folds of each set: the encodings of a distribution, then boosting."""
    chosen = [{"distribution": distribution, "encoding": name} for name in ENCODINGS] + [BOOSTING]
    full = str(N_FOLDS - 1)
    return {
        name: [store.mean(column, dataset=name, **system) for system in chosen]
        for name in store.distinct("dataset")
        if all(full in store.distinct("fold", dataset=name, **system) for system in chosen)
    }


def summarise(store: Store, distribution: str) -> str:
    """Ranks, mean errors, out-of-bag gaps and times over the UCI sets."""
    errors, out_of_bag, seconds = (
        np.array(list(collect(store, column, distribution).values())) for column in VALUES
    )
    ranks = rankdata(errors, axis=1)
    rows = [
        [
            name,
            f"{ranks[:, k].mean():.2f}",
            str(int((errors[:, k] == errors.min(axis=1)).sum())),
            number(float(errors[:, k].mean())),
            points(float((out_of_bag - errors)[:, k].mean())),
            f"{np.median(seconds[:, k] / seconds[:, 1]):.2f}",
        ]
        for k, name in enumerate((*ENCODINGS, "boosting"))
    ]
    header = ("mean rank", "best or shared best", "mean error", "out of bag - test", "time to fit")
    return table((f"{distribution}, {len(errors)} sets", *header), rows)


def points(value: float) -> str:
    """A difference in points of percent, or a dash."""
    return "-" if np.isnan(value) else f"{100 * value:+.2f}"


def compare(store: Store) -> str:
    """Native codes against every other system: all sets, and those that were not looked at."""
    rows = []
    for distribution in DISTRIBUTIONS:
        found = collect(store, "error", distribution)
        errors = np.array(list(found.values()))
        new = np.array([name not in LOOKED_AT for name in found])
        for k, other in enumerate((*ENCODINGS, "boosting")[1:], start=1):
            row = [f"{distribution}: native against {other}"]
            for part in (errors, errors[new]):
                gap = part[:, 0] - part[:, k]
                p = wilcoxon(gap).pvalue if gap.any() else 1.0
                row += [f"{(gap < 0).sum()} / {(gap > 0).sum()}", points(gap.mean()), f"{p:.2g}"]
            rows.append(row)
    header = ("won / lost", "mean", "p")
    return table(("pair", *header, *(f"new sets: {name}" for name in header)), rows)


def problems(store: Store) -> list[tuple[str, str, str]]:
    """The simulations that were measured, as effect, levels and useless levels."""
    keys = ("effect", "levels", "useless")
    found = {tuple(row[key] for key in keys) for row in store.rows.values()}
    return sorted(found, key=lambda key: (EFFECTS.index(key[0]), int(key[1]), int(key[2])))


def simulation_table(store: Store, distribution: str, gap: bool = False) -> str:
    """Test errors of the encodings on the simulations, or the gap of out-of-bag errors."""
    names = SIMULATED_ENCODINGS
    rows = []
    for effect, levels, useless in problems(store):
        where = {"effect": effect, "levels": levels, "useless": useless}
        row = [effect, levels, useless]
        for name in names:
            error = store.mean("error", distribution=distribution, encoding=name, **where)
            out_of_bag = store.mean("oob_error", distribution=distribution, encoding=name, **where)
            row.append(points(out_of_bag - error) if gap else number(error))
        if not gap:
            row.append(number(store.mean("error", **BOOSTING, **where)))
            row.append(number(store.mean("bayes_error", **where)))
        rows.append(row)
    others = () if gap else ("boosting", "best possible")
    return table((distribution, "levels", "useless", *names, *others), rows)


def time_table(store: Store) -> str:
    """Processor time of encoding and fitting, as multiples of that with one-hot columns."""
    rows = []
    for effect, levels, useless in problems(store):
        where = {"effect": effect, "levels": levels, "useless": useless}
        row = [effect, levels, useless]
        for distribution in DISTRIBUTIONS:
            base = store.mean("fit_s", distribution=distribution, encoding="one-hot", **where)
            for name in ("native", "target"):
                ratio = (
                    store.mean("fit_s", distribution=distribution, encoding=name, **where) / base
                )
                row.append(number(ratio, 2))
        rows.append(row)
    header = [
        f"{distribution}: {name}" for distribution in DISTRIBUTIONS for name in ("native", "target")
    ]
    return table(("", "levels", "useless", *header), rows)


def ablation_table(store: Store) -> str:
    """Test errors with codes from other rows."""
    sources = ("the library", *SOURCES)
    rows = []
    for effect, levels, useless in problems(store):
        where = {"effect": effect, "levels": levels, "useless": useless}
        found = [number(store.mean("error", source=source, **where)) for source in sources]
        rows.append([effect, levels, useless, *found])
    return table(("", "levels", "useless", *sources), rows)


def draw_figure(store: Store, path: Path) -> None:
    """Test errors and out-of-bag gaps of the default forest on the simulations."""
    figure, axes = panels(len(EFFECTS), 2, width=4.6, height=2.7)
    for line, effect in zip(axes, EFFECTS, strict=True):
        chosen = [key for key in problems(store) if key[0] == effect]
        place = np.arange(len(chosen))
        for name in (*ENCODINGS, LEAKING, "boosting"):
            system = (
                BOOSTING if name == "boosting" else {"distribution": "default", "encoding": name}
            )
            error, out_of_bag = (
                np.array(
                    [
                        store.mean(column, effect=effect, levels=levels, useless=useless, **system)
                        for _, levels, useless in chosen
                    ]
                )
                for column in ("error", "oob_error")
            )
            style = {"color": COLORS[name], "marker": "o", "linestyle": "", "label": name}
            line[0].plot(place, error, **style)
            line[1].plot(place, 100 * (out_of_bag - error), **style)
        bayes = [
            store.mean("bayes_error", effect=effect, levels=levels, useless=useless)
            for _, levels, useless in chosen
        ]
        line[0].plot(place, bayes, color="black", marker="_", linestyle="", label="best possible")
        line[1].axhline(0, color="#bbbbbb", linewidth=1, zorder=1)
        ticks = [f"{levels}\n{useless}" for _, levels, useless in chosen]
        for axis in line:
            axis.set_xticks(place, ticks)
            axis.set_xlim(-0.5, len(chosen) - 0.5)
        line[0].set_ylabel(f"{effect}\ntest error")
        line[1].set_ylabel("out-of-bag - test error, points")
    for axis in axes[-1]:
        axis.set_xlabel("levels that matter (above), useless levels (below)")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=8)
    save(figure, path)


def error_table(store: Store, arguments: Arguments) -> str:
    """The errors of every set."""
    index = read_index(arguments.data)
    found = {distribution: collect(store, "error", distribution) for distribution in DISTRIBUTIONS}
    rows = [
        [name, index[name]["n"], *map(number, [*found["default"][name][:-1], *errors])]
        for name, errors in sorted(found["single features"].items())
        if name in found["default"]
    ]
    header = [*ENCODINGS, *(f"single: {name}" for name in ENCODINGS), "boosting"]
    return table(("set", "n", *header), rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("categories", __doc__ or "", seeds=5, argv=argv)
    folder = arguments.output / "measurements"
    uci = Store(folder / "categories.csv", ("dataset", "fold", "distribution", "encoding"), VALUES)
    measure_cells(uci, list_cells(arguments), measure, arguments)
    keys = ("levels", "useless", "effect")
    simulated = Store(
        folder / "categories_simulated.csv",
        (*keys, "distribution", "encoding", "seed"),
        (*VALUES, "bayes_error"),
    )
    measure_cells(simulated, list_simulated_cells(arguments), measure_simulated, arguments)
    ablation = Store(folder / "categories_ablation.csv", (*keys, "source", "seed"), VALUES)
    measure_cells(ablation, list_ablation_cells(arguments), measure_ablation, arguments)
    draw_figure(simulated, arguments.output / "categories.png")
    parts = [
        f"`{arguments.command}`",
        "## UCI sets",
        *(summarise(uci, distribution) for distribution in DISTRIBUTIONS),
        compare(uci),
        "## Simulations",
        "Test error, means over the draws:",
        *(simulation_table(simulated, distribution) for distribution in DISTRIBUTIONS),
        "Out-of-bag error less test error, in points:",
        *(simulation_table(simulated, distribution, gap=True) for distribution in DISTRIBUTIONS),
        "![Errors of encodings on the simulations](categories.png)",
        "Time to encode and fit, over that with one-hot columns:",
        time_table(simulated),
        "## Which samples give the codes",
        f"Single features, {ABLATION_TREES} trees, {ABLATION_SIZES[0]:,} training rows; test "
        "error by whom the codes are learnt from:",
        ablation_table(ablation),
        "## Every set",
        error_table(uci, arguments),
    ]
    page = arguments.output / "categories.md"
    write_measured(page, "Categorical columns", "\n\n".join(parts))


if __name__ == "__main__":
    main()
