"""Bad parameters are explained, nested ones reached, and subclasses held to the contract."""

import re

import numpy as np
import pytest
from projections.registry import CyclicDifferences
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV

from silvan import ForestClassifier
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Dictionary,
    Mixture,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
    SparseSigns,
    UniformCombinations,
    Windows,
)

X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
Y = (X[:, 0] > 0).astype(int)
EYE = np.eye(4)

BAD = [
    (SparseSigns(density=0), "density must be a number in (0, 1] or None, but it is 0; pass the"),
    (SparseSigns(density=1.5), "density must be a number in (0, 1] or None, but it is 1.5; pass"),
    (SparseSigns(density="few"), "density must be a number in (0, 1] or None, but it is 'few'"),
    (SparseSigns(density=np.nan), "density must be a number in (0, 1] or None, but it is nan"),
    (SparseSigns(density=True), "density must be a number in (0, 1] or None, but it is True"),
    (SparseSigns(mean_nonzeros=0.0), "mean_nonzeros must be a finite number above 0 or None"),
    (SparseSigns(mean_nonzeros=np.inf), "mean_nonzeros must be a finite number above 0 or None"),
    (SparseSigns(0.5, 2.0), "density must be None where mean_nonzeros is given"),
    (SparseSigns(counts="normal"), "counts must be one of 'matrix', 'poisson', but it is 'normal'"),
    (UniformCombinations(0), "n_features must be an integer >= 1, but it is 0; pass"),
    (UniformCombinations(2.0), "n_features must be an integer >= 1, but it is 2.0"),
    (Dictionary(np.eye(3)), "shape (3, 3) and X has 4 features; write the atoms for these"),
    (Dictionary(np.ones(4)), "atoms must be a matrix with at least one row, but it has shape (4,)"),
    (Dictionary(np.ones((0, 4))), "atoms must be a matrix with at least one row"),
    (Dictionary(np.diag([1, 0, 0, 1])), "2 of 4 rows have none (the first is row 1); drop them"),
    (Dictionary(csr_array((2, 4))), "2 of 2 rows have none (the first is row 0); drop them"),
    (Dictionary(np.full((2, 4), np.inf)), "atoms must be finite, but it contains NaN, infinity"),
    (Dictionary(EYE * 1e300), "atoms must be finite, but it contains NaN, infinity or a number"),
    (Dictionary(EYE.astype(str)), "atoms must hold real numbers, but its dtype is"),
    (Dictionary(EYE, [1, 1, 1]), "one entry for each of the 4 atoms, but its shape is (3,)"),
    (Dictionary(EYE, [1, -1, 1, 1]), "must not be negative, and one must be positive"),
    (Dictionary(EYE, np.zeros(4)), "must not be negative, and one must be positive"),
    (Dictionary(EYE, [1, np.nan, 1, 1]), "finite numbers, but they contain NaN or infinity"),
    (Dictionary(EYE, ["a"] * 4), "finite numbers, but they contain <U1"),
    (PrincipalComponents(0), "n_features must be an integer >= 1, but it is 0; pass"),
    (PrincipalComponents(None), "n_features must be an integer >= 1, but it is None; pass"),
    (PrincipalComponents(per="leaf"), "per must be one of 'node', 'tree', but it is 'leaf'"),
    (
        PrincipalComponents(max_samples=1),
        "max_samples must be an integer >= 2 or None, but it",
    ),
    (RidgeDirections(2.5), "n_features must be an integer >= 1 or None, but it is 2.5"),
    (
        RidgeDirections(alpha=0),
        "alpha must be a finite number above 0, but it is 0; pass",
    ),
    (RidgeDirections(alpha=np.inf), "alpha must be a finite number above 0, but it is inf"),
    (
        RidgeDirections(max_samples=0.5),
        "max_samples must be an integer >= 2 or None, but i",
    ),
    (CanonicalDirections(-1), "n_features must be an integer >= 1 or None, but it is -1"),
    (CanonicalDirections(bootstrap=1), "bootstrap must be True or False, but it is 1"),
    (CanonicalDirections(max_fits=0), "max_fits must be an integer >= 1 or None, but it is 0"),
    (CanonicalDirections(max_samples="all"), "max_samples must be an integer >= 2 or None"),
    (Mixture([]), "components must be a list of at least one pair (distribution, weight), but it"),
    (Mixture(AxisAligned()), "components must be a list of at least one pair"),
    (Mixture([AxisAligned()]), "components must be a list of at least one pair"),
    (Mixture([("axis", 1.0)]), "components[0][0] must be a ProjectionDistribution, but it is 'ax"),
    (Mixture([(AxisAligned(), -1)]), "components[0][1] must be a finite weight that is not neg"),
    (
        Mixture([(AxisAligned(), 0.0)]),
        "components must be such that at least one weight is positive",
    ),
    (Mixture([(SparseSigns(density=2), 1.0)]), "density must be a number in (0, 1] or None"),
]


@pytest.mark.parametrize(("distribution", "message"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_parameter_is_explained_before_anything_is_drawn(distribution, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        distribution.draw(3, 4)
    with pytest.raises(ValueError, match=re.escape(message)):
        ForestClassifier(2, projections=distribution).fit(X, Y)


def test_a_rotation_of_very_many_features_is_refused():
    with pytest.raises(ValueError, match="sparse for more than 8192 features"):
        RandomRotation().draw(1, 10_000)


@pytest.mark.parametrize(
    "distribution", [PrincipalComponents, RidgeDirections, CanonicalDirections]
)
def test_a_fit_of_very_many_features_is_refused(distribution):
    distribution(10_000).validate(100)
    with pytest.raises(ValueError, match="n_features must be at most 8192, because a fit holds"):
        distribution(10_000).validate(10_000)


def test_rows_to_draw_for_must_have_the_features_and_targets():
    distribution = RidgeDirections()
    with pytest.raises(ValueError, match=r"X must have n_features=3 columns, but it has 4; pass"):
        distribution.draw(2, 3, X=X, y=Y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        distribution.draw(2, 4, X=X, y=Y[:-1])
    drawn = distribution.draw(2, 4, random_state=0, X=X.astype(str), y=np.where(Y, "a", "b"))
    assert np.array_equal(
        drawn.toarray(), distribution.draw(2, 4, random_state=0, X=X, y=1 - Y).toarray()
    )


def test_equality_is_by_class_and_parameters():
    assert SparseSigns(density=0.1) == SparseSigns(density=0.1)
    assert SparseSigns(density=0.1) != SparseSigns(density=0.2)
    assert AxisAligned() != RandomRotation()
    assert AxisAligned() != "AxisAligned()"
    assert Dictionary(EYE) == Dictionary(EYE.copy())
    assert Dictionary(EYE) != Dictionary(EYE * 2)
    assert Dictionary(csr_array(EYE)) == Dictionary(csr_array(EYE))
    assert Dictionary(csr_array(EYE)) != Dictionary(csr_array(EYE[:2]))
    assert Dictionary(csr_array(EYE)) != Dictionary(EYE)
    assert Mixture([(AxisAligned(), 1.0)]) == Mixture([(AxisAligned(), 1.0)])
    assert Mixture([(AxisAligned(), 1.0)]) != Mixture([(AxisAligned(), 2.0)])


def test_repr_of_a_long_list_is_its_length():
    windows = Windows([(10,)] * 259, weights=(1.0,) * 259)
    assert repr(windows) == "Windows(shapes=<259 values>, weights=<259 values>)"


def test_repr_shows_what_differs_from_the_defaults():
    assert repr(AxisAligned()) == "AxisAligned()"
    assert repr(SparseSigns()) == "SparseSigns()"
    assert (
        repr(SparseSigns(density=0.1, counts="poisson"))
        == "SparseSigns(density=0.1, counts='poisson')"
    )
    assert repr(Dictionary(csr_array(EYE))) == "Dictionary(atoms=<4x4 sparse matrix>)"
    assert (
        repr(Dictionary(EYE, np.ones(4)))
        == "Dictionary(atoms=<4x4 array>, probabilities=<4 array>)"
    )


def test_the_parameters_of_components_are_reached_by_name():
    components = [(AxisAligned(), 1.0), (SparseSigns(density=0.1), 2.0)]
    mixture = Mixture(components)
    assert mixture.get_params()["component_1__density"] == 0.1
    assert mixture.get_params()["weight_1"] == 2.0
    mixture.set_params(component_1__density=0.3, weight_0=5.0, component_0=UniformCombinations())
    assert mixture == Mixture([(UniformCombinations(), 5.0), (SparseSigns(density=0.3), 2.0)])
    assert components[0] == (AxisAligned(), 1.0)
    mixture.set_params(component_0=SparseSigns(), component_0__counts="poisson")
    assert mixture.components[0][0] == SparseSigns(counts="poisson")
    mixture.set_params(components=[(AxisAligned(), 1.0)])
    assert mixture == Mixture([(AxisAligned(), 1.0)])


@pytest.mark.parametrize("name", ["component_2", "weight_9", "component_x", "component_0__counts"])
def test_a_component_that_is_not_there_is_an_error(name):
    mixture = Mixture([(AxisAligned(), 1.0), (SparseSigns(), 1.0)])
    with pytest.raises(ValueError, match="Invalid parameter"):
        mixture.set_params(**{name: 1})


def test_a_grid_search_reaches_into_the_projections():
    search = GridSearchCV(
        ForestClassifier(3, projections=SparseSigns(density=0.5), random_state=0),
        {"projections__density": [0.25, 1.0], "projections__counts": ["matrix", "poisson"]},
        cv=2,
    ).fit(X, Y)
    assert search.best_params_["projections__density"] in (0.25, 1.0)
    mixture = Mixture([(AxisAligned(), 1.0), (SparseSigns(), 1.0)])
    search = GridSearchCV(
        ForestClassifier(3, projections=mixture, random_state=0),
        {
            "projections__component_1__mean_nonzeros": [1.0, 3.0],
            "projections__weight_0": [0.0, 1.0],
        },
        cv=2,
    ).fit(X, Y)
    assert mixture.components[1][0] == SparseSigns()
    assert len(search.cv_results_["params"]) == 4


class Faulty(ProjectionDistribution):
    """A subclass that returns what it is given."""

    def __init__(self, result):
        self.result = result

    def sample(self, node, rng):
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


FAULTS = [
    (EYE, TypeError, "sample must return a scipy sparse matrix, but it returned a ndarray; wrap"),
    (None, TypeError, "sample must return a scipy sparse matrix, but it returned a NoneType"),
    (csr_array(EYE * 1j), TypeError, "sample must return real numbers, but its matrix has dtype"),
    (csr_array(EYE[:, :3]), ValueError, "sample must return 1 to 4 rows (n_directions) and 4 col"),
    (csr_array(np.ones((5, 4))), ValueError, "sample must return 1 to 4 rows (n_directions)"),
    (csr_array(np.ones((0, 4))), ValueError, "sample must return 1 to 4 rows (n_directions)"),
    (csr_array(np.diag([1, 0])), ValueError, "sample must return 1 to 4 rows (n_directions)"),
    (
        csr_array(np.diag([1, 0, 1, 1])),
        ValueError,
        "sample returned a wrong matrix: direction 1 is",
    ),
    (
        csr_array(EYE * np.nan),
        ValueError,
        "sample returned a wrong matrix: direction 0 has a coefficient",
    ),
    (csr_array(EYE * 1e99), ValueError, "direction 0 has a coefficient that is not finite"),
]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("result", "error", "message"), FAULTS, ids=range(len(FAULTS)))
def test_what_a_subclass_does_wrong_is_reported_under_its_name(result, error, message, n_jobs):
    forest = ForestClassifier(4, projections=Faulty(result), max_features=4, n_jobs=n_jobs)
    with pytest.raises(error, match=re.escape(message)) as caught:
        forest.fit(X, Y)
    assert str(caught.value).startswith("Faulty.sample")


def test_an_error_in_a_subclass_comes_through_as_it_is():
    with pytest.raises(KeyError, match="my own"):
        ForestClassifier(4, projections=Faulty(KeyError("my own")), n_jobs=2).fit(X, Y)


def test_a_subclass_may_return_unsorted_and_repeated_entries():
    entries = ([1.0, 2.0, 1.0, -1.0, 3.0], ([0, 0, 0, 0, 0], [3, 1, 3, 2, 0]))
    drawn = Faulty(csr_array(entries, shape=(1, 4))).draw(2, 4).toarray()
    assert drawn.tolist() == [[3.0, 2.0, -1.0, 2.0]]


def test_a_class_without_sample_cannot_be_made():
    class Lazy(ProjectionDistribution):
        pass

    with pytest.raises(TypeError, match=r"abstract method '?sample"):
        Lazy()


class Spy(CyclicDifferences):
    """Records what it sees of nodes."""

    def sample(self, node, rng):
        seen.append(
            (node.tree, node.depth, node.n_samples, node.samples, node.X, node.n_directions, node)
        )
        return super().sample(node, rng)


seen = []


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_subclass_sees_the_rows_and_features_of_its_node(dtype, order):
    seen.clear()
    data = np.asarray(X * 20 + 100, dtype=dtype, order=order)
    ForestClassifier(2, projections=Spy(), max_features=3, bootstrap=False).fit(data, Y)
    roots = [node for node in seen if node[1] == 0]
    assert {node[0] for node in roots} == {0, 1}
    assert all(node[2] == len(data) for node in roots)
    for _, _, n_samples, rows, features, n_directions, _ in seen:
        assert len(rows) == n_samples
        assert (np.diff(rows.astype(int)) > 0).all()
        assert features.dtype == dtype
        assert np.array_equal(features, data[rows])
        assert n_directions == 3


def test_a_node_cannot_be_read_after_its_call():
    seen.clear()
    ForestClassifier(1, projections=Spy()).fit(X, Y)
    node = seen[0][-1]
    assert node.n_features == 4
    for attribute in ("tree", "depth", "n_samples", "samples", "X"):
        with pytest.raises(RuntimeError, match="only during the call of sample"):
            getattr(node, attribute)


def test_a_subclass_and_a_dictionary_of_its_atoms_give_equally_good_forests():
    rng = np.random.default_rng(3)
    data = rng.normal(size=(400, 6))
    labels = (data[:, 0] - 0.5 * data[:, 1] > 0).astype(int)
    atoms = np.eye(6) - 0.5 * np.roll(np.eye(6), 1, axis=1)
    scores = [
        ForestClassifier(20, projections=projections, random_state=0)
        .fit(data[:200], labels[:200])
        .score(data[200:], labels[200:])
        for projections in (CyclicDifferences(), Dictionary(atoms))
    ]
    assert min(scores) > 0.9
    assert abs(scores[0] - scores[1]) < 0.05


def test_a_subclass_gives_the_same_forest_for_any_number_of_threads():
    forests = [
        ForestClassifier(6, projections=CyclicDifferences(), n_jobs=n_jobs, random_state=0).fit(
            X, Y
        )
        for n_jobs in (1, 2)
    ]
    assert np.array_equal(*(forest.apply(X) for forest in forests))
