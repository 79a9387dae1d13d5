"""Named systems are configured forests: distributions, rules, and what may be changed."""

import inspect

import numpy as np
import pytest
from scipy.sparse import diags_array
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_digits

from silvan import ManifoldForestClassifier, ManifoldForestRegressor, presets
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    GraphNeighborhoods,
    Patches,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
    WeightedCombinations,
)

PATH = diags_array([1.0] * 11, offsets=1, shape=(12, 12)).tocsr()
# What each system must be given.
NEEDED = {"s_rerf": {"shape": (3, 4)}, "graph_morf": {"graph": PATH}}
DISTRIBUTIONS = {
    "rf": AxisAligned(),
    "f_rc": UniformCombinations(2),
    "frank": UniformCombinations(2),
    "guided": WeightedCombinations(trees_per_round=20),
    "agnostic": SparseSigns(),
    "rr_rf": RandomRotation(),
    "rot_for": PrincipalComponents(3, per="tree"),
    "o_rf": RidgeDirections(),
    "ccf": CanonicalDirections(max_fits=1),
    "rerf": SparseSigns(),
    "sporf": SparseSigns(counts="poisson"),
    "s_rerf": Patches((3, 4), boundary="inside", coefficients="uniform"),
    "graph_morf": GraphNeighborhoods(PATH),
}


def make(name, *args, **options):
    return getattr(presets, name)(*args, **NEEDED.get(name, {}), **options)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    return X, X[:, 0] + X[:, 1] > 0


@pytest.mark.parametrize("name", presets.__all__)
def test_every_system_fits_and_predicts(name, rows):
    X, y = rows
    forest = make(name, 30, random_state=0)
    assert is_classifier(forest)
    assert clone(forest).fit(X, y).score(X, y) > 0.9
    numbers = make(name, 30, task="regression", random_state=0)
    assert is_regressor(numbers)
    assert numbers.fit(X, X[:, 0]).score(X, X[:, 0]) > 0.3


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_systems_draw_their_directions_by_the_right_distribution(name):
    assert make(name).projections == DISTRIBUTIONS[name]
    assert make(name, task="regression").projections == DISTRIBUTIONS[name]


@pytest.mark.parametrize("name", presets.__all__)
def test_options_win_over_the_rules_of_a_system(name):
    forest = make(name, 7, max_features=3, voting="soft", honest=True, scaling="standard")
    assert forest.n_estimators == 7
    assert (forest.max_features, forest.voting) == (3, "soft")
    assert (forest.honest, forest.scaling) == (True, "standard")


@pytest.mark.parametrize("name", presets.__all__)
def test_every_system_cites_its_source(name):
    doc = inspect.getdoc(getattr(presets, name))
    assert "References\n----------" in doc
    assert "Examples\n--------" in doc


def test_trees_vote_and_draw_the_square_root_of_p_directions():
    forest = presets.rf()
    assert (forest.voting, forest.max_features, forest.bootstrap) == ("hard", "sqrt", True)
    assert presets.rf(task="regression").max_features == pytest.approx(1 / 3)


def test_fitted_systems_are_set_as_published():
    rotation, oblique, canonical = presets.rot_for(), presets.o_rf(), presets.ccf()
    assert (rotation.bootstrap, rotation.max_features, rotation.voting) == (False, None, "soft")
    assert presets.rot_for(per="node").projections.per == "node"
    assert (oblique.bootstrap, oblique.max_features) == (True, 1)
    assert (canonical.bootstrap, canonical.max_features) == (False, None)
    assert canonical.projections.bootstrap


def test_a_node_of_a_canonical_correlation_forest_makes_one_fit():
    X, y = load_digits(return_X_y=True)
    X = X + np.random.default_rng(0).normal(size=X.shape)  # no pixel is constant
    distribution = presets.ccf().projections
    # log2(64) + 1 features are drawn.
    for n_classes, n_found in ((2, 1), (4, 3), (10, 7)):
        seen = y < n_classes
        directions = distribution.draw(64, 64, random_state=0, X=X[seen], y=y[seen])
        assert directions.shape[0] == n_found
        assert len({tuple(row) for row in np.split(directions.indices, n_found)}) == 1


class CountedFits(ProjectionDistribution):
    """Canonical directions in Python, with a count of nodes asked and of fits made."""

    def __init__(self, distribution):
        self.distribution, self.n_nodes, self.n_fits = distribution, 0, 0

    def sample(self, node, rng):
        self.n_nodes += 1
        fit = self.distribution._fit

        def count(*args):
            self.n_fits += 1
            return fit(*args)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.distribution, "_fit", count, raising=False)
            return self.distribution.sample(node, rng)


def test_a_canonical_correlation_forest_fits_once_a_node():
    X, y = load_digits(return_X_y=True)
    forest = presets.ccf(2, random_state=0)
    counted = CountedFits(forest.projections)
    # An object is cloned by its parameters; this one keeps its count.
    counted.__sklearn_clone__ = lambda: counted
    forest.set_params(projections=counted).fit(X[:300], y[:300])
    assert counted.n_nodes > 40
    assert counted.n_fits == counted.n_nodes


def test_frank_is_f_rc_on_ranks(rows):
    X, y = rows
    frank = presets.frank(20, random_state=0).fit(X, y)
    ranks = np.argsort(np.argsort(X, axis=0), axis=0) + 1.0
    f_rc = presets.f_rc(20, random_state=0).fit(ranks, y)
    np.testing.assert_array_equal(frank.predict_proba(X), f_rc.predict_proba(ranks))


def test_manifold_systems_differ_in_how_patches_meet_the_ends():
    assert isinstance(presets.morf(), ManifoldForestClassifier)
    assert isinstance(presets.mf(task="regression"), ManifoldForestRegressor)
    assert (presets.morf().boundary, presets.mf().boundary) == ("corner", "pad")
    assert presets.morf(boundary="wrap").boundary == "wrap"


def test_control_of_structured_rerf_shuffles_the_cells():
    assert presets.s_rerf(shape=(3, 4), shuffled=True).projections.shuffled


def test_unknown_tasks_and_options_are_refused():
    with pytest.raises(ValueError, match="task must be one of 'classification', 'regression'"):
        presets.rf(task="ranking")
    with pytest.raises(TypeError, match="max_branches"):
        presets.rf(max_branches=3)


def test_rerf_leaves_out_empty_directions_as_the_r_package_does(rows):
    X, y = rows
    assert presets.rerf().projections.empty == "fill"
    forest = presets.rerf(20, density=0.05, empty="drop", random_state=0)
    assert forest.projections == SparseSigns(0.05, empty="drop")
    assert forest.fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match=r"^empty must be one of 'fill', 'drop'"):
        presets.rerf(empty="leave").fit(X, y)
