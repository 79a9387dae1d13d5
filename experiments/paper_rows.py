"""What is known of each figure and table of the four works: how it was published, ours, and why."""

from __future__ import annotations

from typing import NamedTuple


class Runs(NamedTuple):
    """Where repetitions are counted: distinct entries of a column, in groups of rows alike."""

    file: str
    unit: str
    groups: tuple[str, ...] = ("system",)
    column: str = "seed"


class Row(NamedTuple):
    """One figure or table: where it is, what repeats it, and how ours and theirs differ."""

    item: str
    work: str
    shows: str
    command: str
    document: str
    published: str
    runs: Runs | str
    differs: str


SIMULATIONS = Runs("simulations", "draws", ("problem", "system", "n"))
IMAGES = Runs("mnist", "draws", ("system", "n"))
GRID = Runs("randomer", "draws", ("problem", "system", "n"))
ROBUST = Runs("robustness", "draws", ("problem", "p", "transformation", "system"))
SETS = Runs("uci_transformations", "sets", ("data_are", "system"), "dataset")
MARKERS = Runs("markers", "draws", ("training", "system"))
FOLDS = Runs("uci_systems", "folds", ("dataset", "system"), "fold")
STRENGTH = Runs("strength", "draws", ("problem", "system", "n"))
RUN_SIMULATIONS = "experiments.simulations --seeds 5"
RUN_MNIST = "experiments.mnist --seeds 3"
RUN_RANDOMER = "experiments.randomer --seeds 10"
RUN_ROBUST = "experiments.robustness --seeds 10"
RUN_SETS = "experiments.uci_transformations --seeds 1"
RUN_FOLDS = "experiments.uci_folds --seeds 1"
RUN_MARKERS = "experiments.markers --seeds 10"
RUN_STRENGTH = "experiments.strength --seeds 10"
NOTHING = "Nothing."

ROWS = (
    Row(
        "Figure 1",
        "MORF, p. 5; Perry, p. 11",
        "circle, bars, impulse: error",
        RUN_SIMULATIONS,
        "simulations",
        "1 draw, 100 trees; network 5 runs",
        SIMULATIONS,
        "With 2,000 samples of the impulse, a linear problem, linear and RBF classifiers are .1 to "
        ".3 points ahead of MORF, under both rules at the border; the captions say 10,000 test "
        "samples, the authors' result files have 2,000, too few to tell. Bars with few samples "
        "miss targets that were read off the authors' first program; the files of their later one "
        "have what we have with equal classes.",
    ),
    Row(
        "Figure 2",
        "MORF, p. 6; Perry, p. 12",
        "the same: training and test time",
        RUN_SIMULATIONS,
        "simulations",
        "1 draw",
        SIMULATIONS,
        "Forests train far faster than the network, as published. On bars MORF takes 2.3 to 4.7 "
        "times as long to predict as SPORF: its patches have many cells.",
    ),
    Row(
        "Figure 3",
        "MORF, p. 7; Perry, p. 13",
        "MNIST: error against n",
        RUN_MNIST,
        "mnist",
        "1 draw, 500 trees; network 5 runs",
        IMAGES,
        "The MORF paper has its forest ahead of all but the network at every n. On grey values "
        "LogReg is ahead with 100 images, by .2 to 1.5 points, and the RBF SVM from 1,000 to "
        "10,000, by .4 to .8, with either rule at the border and either size of patches; MLP is "
        "ahead of patches of 1 to 3 pixels with 100, by .5 to .8, and level with the others with "
        "10,000. The "
        "authors' program standardises pixels: tested up to 3,000 images, MORF is then ahead of "
        "all of them, because the others get worse.",
    ),
    Row(
        "Figure 4",
        "MORF, p. 8; Perry, p. 14",
        "importance of pixels of 3 and 5",
        "experiments.importance_maps --seeds 5",
        "importance_maps",
        "1 draw",
        Runs("importance_maps", "draws"),
        "MORF puts more importance on background pixels than RF, which can put none there: a "
        "constant pixel never splits. The papers say so of SPORF only, and that holds.",
    ),
    Row(
        "Table 1",
        "Perry, p. 29",
        "the networks: layers as in the table",
        RUN_SIMULATIONS,
        "simulations",
        "settings",
        "settings",
        "Training is not in the table: two ways are measured, one of them that of the authors' "
        "program, which has smaller layers on the circle than the table.",
    ),
    Row(
        "Table 2",
        "Perry, p. 30",
        "the settings of MF, RF, SPORF and others",
        RUN_SIMULATIONS,
        "simulations",
        "settings",
        "settings",
        "Nothing: *MF, Table 2* is measured with them.",
    ),
    Row(
        "Theorem 1",
        "Perry, p. 8",
        "leaves are convex polytopes",
        "pytest tests/inspection/test_polytopes.py",
        "../guide/inspection",
        "proof",
        "test",
        "Nothing: the inequalities of a leaf hold exactly for its samples (drawn in the guide).",
    ),
    Row(
        "Theorem 2",
        "Perry, p. 9",
        "honest forests are consistent",
        "experiments.honesty --seeds 5",
        "honesty",
        "proof",
        Runs("honesty", "draws", ("problem", "system", "n")),
        "The Brier score falls to that of Bayes as the theorem says, and the error with it. It "
        "does not say that honest "
        "forests are better with few samples: with five and ten features they are not, because "
        "half of the samples cost more than overconfidence.",
    ),
    Row(
        "Corollary 1",
        "Perry, p. 9",
        "the same of forests of sparse directions",
        "experiments.honesty --seeds 5",
        "honesty",
        "proof",
        Runs("honesty", "draws", ("problem", "system", "n")),
        "Nothing: the forests of the page have such directions.",
    ),
    Row(
        "Graphs",
        "Perry, p. 6",
        "neighbouring nodes or edges",
        "experiments.graph --seeds 5",
        "graph",
        "suggested",
        Runs("graph", "draws", ("system", "n")),
        "Nothing to compare with. Nodes are measured; neighbourhoods of edges are tested against "
        "those of nodes in the line graph.",
    ),
    Row(
        "Theorem 2",
        "Tomita, p. 6",
        "Breiman's bound of the error",
        RUN_STRENGTH,
        "strength",
        "proof",
        STRENGTH,
        "Nothing: the bound holds in every repetition, and is loose.",
    ),
    Row(
        "Figure 2.1",
        "Tomita, p. 18",
        "first split on sparse parity",
        "experiments.first_splits --seeds 10",
        "first_splits",
        "1 draw",
        Runs("first_splits", "draws", ("problem", "system")),
        NOTHING,
    ),
    Row(
        "Figure 2.2",
        "Tomita, p. 20",
        "posteriors on sparse parity",
        "experiments.posteriors --seeds 5",
        "posteriors",
        "1 draw",
        Runs("posteriors", "draws", ("kind", "system")),
        "The thesis has all but RR-RF(r) suffer from affine data. With factors uniform on [1e-5, "
        "1e5], as in its text, RR-RF does not; with factors as in the authors' scripts, whose "
        "logarithm is uniform, it does (tested).",
    ),
    Row(
        "Figure 2.3",
        "Tomita, p. 23",
        "error and time against p",
        RUN_ROBUST,
        "robustness",
        "10 draws, 500 or 1,000 trees",
        ROBUST,
        "With two and five features of sparse parity RF is ahead of F-RC, by 1.0 and 2.4 points, "
        "where the thesis has them level; the rest of what it says holds. 100 trees; p² with 500 "
        "features is left out.",
    ),
    Row(
        "Figure 2.4",
        "Tomita, p. 25",
        "error on transformed data",
        RUN_ROBUST,
        "robustness",
        "10 draws, 500 or 1,000 trees",
        ROBUST,
        "F-RC suffers less from scaling: factors are uniform on [1e-5, 1e5], as in the text, "
        "and mostly differ by a few times only. The authors' scripts draw their logarithm "
        "uniformly (tested on UCI sets, Table 2.1), and corrupt training samples only.",
    ),
    Row(
        "Figure 2.5",
        "Tomita, p. 26",
        "ways to scale",
        RUN_ROBUST,
        "robustness",
        "10 draws, 500 or 1,000 trees",
        ROBUST,
        "Nothing: ranks help on corrupted data, ranges and z-scores do not.",
    ),
    Row(
        "Table 2.1",
        "Tomita, p. 28",
        "signs against RF on transformed sets",
        RUN_SETS,
        "uci_transformations",
        "114 sets, 500 or 1,000 trees",
        SETS,
        "16 of 20 signs are those of the thesis. F-RC on scaled, F-RC and RR-RF on affine data: "
        "with factors as in the authors' scripts (tested) two of these three have the sign of the "
        "thesis, and F-RC on affine data has none. Frank on raw data: better than RF on 49 sets "
        "and worse on 37, which is not significant (p = .08); with 400 training samples at most "
        "it was. All sets at full size, 100 trees.",
    ),
    Row(
        "Figure 2.6",
        "Tomita, p. 29",
        "histograms of the same",
        RUN_SETS,
        "uci_transformations",
        "114 sets",
        SETS,
        "As Table 2.1.",
    ),
    Row(
        "Figure 2.7",
        "Tomita, p. 30",
        "scalings of corrupted sets",
        RUN_SETS,
        "uci_transformations",
        "114 sets",
        SETS,
        NOTHING,
    ),
    Row(
        "Guided search",
        "Tomita, p. 32",
        "ways to narrow down the search for directions",
        "pytest tests/forests/test_guided.py",
        "../guide/projections",
        "suggested",
        "test",
        "Nothing to compare with: features are drawn by their importance in earlier trees. "
        "[Among useless columns](useless_columns.md) that helps, elsewhere it does not.",
    ),
    Row(
        "Table 3.1",
        "Tomita, p. 36",
        "the distributions of forests",
        "experiments.uci_systems --seeds 1",
        "uci_systems",
        "definitions",
        Runs("uci_systems", "sets", ("system",), "dataset"),
        "The table has definitions: `silvan.presets` has a function for each. Measured besides, "
        "tuned alike, on all 105 sets, those of more than 1,000 samples on one or two folds: all "
        "but RR-RF(r) are better than RF, and RR-RF(r) is not in the thesis's Table 2.1 either.",
    ),
    Row(
        "Figure 3.1",
        "Tomita, p. 39",
        "first split on parallel hyperplanes",
        "experiments.first_splits --seeds 10",
        "first_splits",
        "50 trees",
        Runs("first_splits", "draws", ("problem", "system")),
        "RF is not blind: x2 reaches a little further in one class than in the other.",
    ),
    Row(
        "Figure 3.2",
        "Tomita, p. 45",
        "sparse parity and orthant: error against n",
        RUN_RANDOMER,
        "randomer",
        "10 draws, 1,000 trees",
        GRID,
        "With 200 samples of orthant, which the thesis does not have, RerF is 1.6 points behind "
        "RF. Orthant has 1,000 trees in the forests that were chosen with 100; sparse parity has "
        "100, since 1,000 take two hours of one core, and no 10,000 samples. RF errs on .231 "
        "± .023 of sparse parity, where above .25 was expected: chance.",
    ),
    Row(
        "Figure 3.3",
        "Tomita, p. 46",
        "sensitivity to λ",
        RUN_RANDOMER,
        "randomer",
        "10 draws, 1,000 trees",
        GRID,
        "On orthant RerF depends on λ as F-RC does, where the thesis has it far less. The "
        "authors' script (plot_sparsity_sensitivity_synthetic_data.R) takes RerF's errors from "
        "n = 4,000 and F-RC's from n = 400. Tested so: RerF depends less on λ then, but not far "
        "less (standard deviations .091 and .119; .154 at 400). We do not know what else differs.",
    ),
    Row(
        "Table 3.2",
        "Tomita, pp. 47 to 50",
        "RF, RerF and F-RC on 105 sets",
        RUN_FOLDS,
        "uci_folds",
        "105 sets, 5 folds, 1,000 trees",
        FOLDS,
        "RerF and F-RC beat RF as in the thesis; RerF does not beat F-RC, where the thesis has "
        "a mean difference of .015. On 19 sets RF itself is far from the table; we do not know "
        "why. 300 trees, 100 for large sets: with 1,000 means move by .002 at most (tested on "
        "every sixth set). d = p² is cut off at 100,000 over n, or p. With all of it, tried on "
        "one fold of hill_valley-noise, errors fall by one and three test samples; on three other "
        "sets they do not fall beyond chance.",
    ),
    Row(
        "Figure 3.4",
        "Tomita, p. 51",
        "histograms of the same",
        RUN_FOLDS,
        "uci_folds",
        "105 sets, 5 folds",
        FOLDS,
        "As Table 3.2.",
    ),
    Row(
        "Figure 3.5",
        "Tomita, p. 53",
        "strength and correlation of trees",
        RUN_STRENGTH,
        "strength",
        "10 draws, 1,000 trees",
        STRENGTH,
        "Trunk, n = 100: RerF's and F-RC's trees are less correlated than RF's here, not more, "
        "unless their d is p². Ties of the out-of-bag error, which leaves d open, are broken as in "
        "the authors' scripts; the thesis does not say which d came out. Orthant: RerF's trees are "
        "neither stronger nor more correlated than RF's, at any d, and without empty columns they "
        "are weaker still (tested). The package that measured it sets the margin of a sample that "
        "all trees classify correctly to the number of its class instead of 1 (R/StrCorr.R), which "
        "changes correlations of many classes, but not strength: we do not know why that differs. "
        "The caption has p = 10 for sparse parity, the script that drew it p = 20: both hold.",
    ),
    Row(
        "Figure 3.6",
        "Tomita, p. 56",
        "bias and variance",
        "experiments.bias_variance --seeds 20",
        "bias_variance",
        "100 training sets",
        Runs("bias_variance", "training sets at each n", ("system", "n"), "repeats"),
        "What the thesis says holds up to 2,000 samples, with 20 training sets; that bias is gone "
        "from about 3,000 on was not measured. F-RC errs a little less than RerF with 500.",
    ),
    Row(
        "Theorem 3",
        "Tomita, p. 57",
        "data-agnostic RerF is consistent",
        "experiments.consistency --seeds 3",
        "consistency",
        "proof",
        Runs("consistency_theorem", "draws", ("n", "leaves", "trees")),
        "Forests come within half a point of the Bayes error; single trees, for which the proof "
        "is, are still five points away at 100,000 samples: their cells shrink slowly.",
    ),
    Row(
        "Figure 3.7",
        "Tomita, p. 60",
        "best projections on Trunk",
        "experiments.top_projections --seeds 10",
        "top_projections",
        "1 draw",
        Runs("top_projections", "draws", ("system", "d")),
        "RerF's ten are all combinations with d = 2, as published; with d = 4 and p "
        "the first feature alone is often among them, and the thesis does not name its d. RF puts "
        "the ninth feature third in the published draw, and eighth at best in ten of ours with "
        "three d: we do not know why.",
    ),
    Row(
        "Figure 3.8",
        "Tomita, p. 62",
        "training time",
        RUN_RANDOMER,
        "randomer",
        "10 draws, 1,000 trees, 40 cores",
        GRID,
        NOTHING,
    ),
    Row(
        "Figure 3.9",
        "Tomita, p. 62",
        "at most p directions",
        RUN_RANDOMER,
        "randomer",
        "10 draws, 1,000 trees",
        GRID,
        "Orthant as in Figure 3.2. With 500 samples of sparse parity all nearly guess (.47).",
    ),
    Row(
        "Figure 3.10",
        "Tomita, p. 65",
        "time per tree against threads",
        "experiments.cores",
        "cores",
        "1 to 48 cores, 100 trees",
        "1 to 16 cores, 32 trees",
        "Sixteen cores, the most there were at hand. Higgs and p53 are simulated tables of their "
        "size. scikit-learn's forest stands in for ranger, a package of R, which on two cores "
        "[takes 6 to 17 times as long as RerF](speed_ranger.md). On Higgs XGBoost is faster: its "
        "trees end at depth 6. On p53 RerF gains least from threads, where the thesis has it "
        "between ranger and XGBoost: its whole fit takes less than a second.",
    ),
    Row(
        "Figure 3.11",
        "Tomita, p. 66",
        "structured RerF on stripes",
        "experiments.stripes --seeds 10",
        "stripes",
        "10 draws, 500 trees",
        Runs("stripes", "draws", ("system", "n")),
        "Nothing with sums over patches, which the authors' package draws. With random "
        "coefficients, as in the text, ten samples are not enough (.26).",
    ),
    Row(
        "Biau's example",
        "Tomita, p. 68",
        "an error of 1/6 that RerF does not have",
        "experiments.consistency --seeds 3",
        "consistency",
        "conjecture",
        Runs("consistency_squares", "draws", ("system", "n", "depth")),
        "Nothing: the thesis expected it and did not show it.",
    ),
    Row(
        "Figure 4.1",
        "Tomita, p. 74",
        "errors of single markers",
        RUN_MARKERS,
        "markers",
        "34 patients",
        MARKERS,
        "The data are of patients and not public: a simulation of their size stands in.",
    ),
    Row(
        "Figure 4.2",
        "Tomita, p. 76",
        "best projections of markers",
        RUN_MARKERS,
        "markers",
        "34 patients",
        MARKERS,
        "As Figure 4.1.",
    ),
    Row(
        "Figure 4.3",
        "Tomita, p. 77",
        "false positive and negative rates",
        RUN_MARKERS,
        "markers",
        "34 patients, 32 to test",
        MARKERS,
        "Selection helps RF with 34 patients, but not with 100, which the thesis has not; logistic "
        "regression on two features is behind RerF on two, where the thesis has them equal: how "
        "strong the second marker is decides that, and it is ours to choose.",
    ),
    Row(
        "Figure A.1",
        "Tomita, p. 80",
        "angles of random directions",
        "experiments.angles --seeds 10000",
        "angles",
        "10,000 nodes",
        Runs("angles", "nodes", ("p", "system", "target"), "nodes"),
        NOTHING,
    ),
    Row(
        "density forests",
        "note on Criminisi",
        "densities of toys",
        "experiments.density",
        "density",
        "no figures",
        Runs("density", "draws", ("toy", "system")),
        "The note has formulas only.",
    ),
    Row(
        "manifold forests",
        "note on Criminisi",
        "embeddings by three affinities",
        "experiments.embedding --seeds 3",
        "embedding",
        "no figures",
        Runs("embedding", "draws", ("set", "system", "trees")),
        "The note has formulas only. Of eigenvectors that repeat each other it says nothing; the "
        "default leaves them out.",
    ),
)
