"""Ctrl-C takes effect within a second wherever the core works."""

import sys
from textwrap import dedent

import pytest
from faults.children import interrupt_latency

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

# Many rows along directions of many features, so that little memory is long work.
_WIDE = """
    X, y = make_data(400, 600)
    wide = UniformCombinations(600)
    forest = {estimator}(60, projections=wide, max_features=1, random_state=0).fit(X, {y})
    X = rng.normal(size=(40_000, 600)).astype(np.float32)
    say("ready")
"""

WORK = {
    "many trees": """
        X, y = make_data(20_000)
        say("ready")
        ForestClassifier(10_000).fit(X, y)
    """,
    "a rotation": """
        X, y = make_data(50, 2500)
        say("ready")
        ForestClassifier(1, projections=RandomRotation()).fit(X, y)
    """,
    "a direction of a rotation": """
        say("ready")
        RandomRotation().draw(1, 2500, random_state=0)
    """,
    "a wide principal component": """
        X, y = make_data(4000, 1500)
        say("ready")
        ForestClassifier(1, projections=PrincipalComponents(1500)).fit(X, y)
    """,
    "many perturbations": """
        X, y = make_data(200)
        say("ready")
        ForestClassifier(1, projections=PerturbedHyperplanes(n_perturbations=10**9)).fit(X, y)
    """,
    "predict_proba": _WIDE.format(estimator="ForestClassifier", y="y")
    + "    forest.predict_proba(X)",
    "predict": _WIDE.format(estimator="ForestRegressor", y="X[:, 0]") + "    forest.predict(X)",
    "apply": _WIDE.format(estimator="ForestClassifier", y="y") + "    forest.apply(X)",
    "densities": """
        X, y = make_data(1000, 5)
        forest = DensityForest(200, random_state=0).fit(X)
        X = np.repeat(X, 1000, axis=0)
        say("ready")
        forest.score_samples(X)
    """,
    "out-of-bag prediction": """
        X, y = make_data(20_000, 600)
        wide = UniformCombinations(600)
        forest = ForestClassifier(400, projections=wide, max_features=1, max_depth=2, n_jobs=2)
        forest.set_params(random_state=0).fit(X, y).set_params(n_jobs=1)
        samples = forest._read_samples(forest._check_fit(X, y, None), forest._sampling.seed)
        say("ready")
        forest._score_out_of_bag(samples)
    """,
    "a round of boosting": """
        X, y = make_data(300_000, 60)
        say("ready")
        BoostedForestClassifier(1, max_leaf_nodes=10_000, min_samples_leaf=1).fit(X, y)
    """,
    "boosting of many classes": """
        X, _ = make_data(20_000, 30)
        say("ready")
        BoostedForestClassifier(100, early_stopping=False).fit(X, np.arange(20_000) % 100)
    """,
    "boosted prediction": """
        X, y = make_data(2000, 50)
        forest = BoostedForestClassifier(500, early_stopping=False).fit(X, y)
        X = np.repeat(X, 500, axis=0)
        say("ready")
        forest.predict_proba(X)
    """,
    "Shapley values": """
        from silvan.explanations import shapley_values
        X, y = make_data(2000, 50)
        forest = ForestClassifier(50).fit(X, y)
        say("ready")
        shapley_values(forest, X, background=X[:500])
    """,
    "windows on channels of images": """
        X, _ = make_data(2000, 784)
        say("ready")
        ManifoldForestClassifier(1000, shape=(28, 28)).fit(X, np.arange(2000) % 10)
    """,
    "windows on channels of series": """
        X, _ = make_data(1000, 2000)
        say("ready")
        ManifoldForestClassifier(1000).fit(X, np.arange(1000) % 10)
    """,
    "sparse samples": """
        from scipy import sparse
        X = sparse.random(20_000, 3000, 0.02, format="csr", random_state=0)
        say("ready")
        ForestClassifier(1000).fit(X, np.arange(20_000) % 10)
    """,
    "many categories": """
        X = rng.integers(0, 10_000, size=(20_000, 20))
        forest = ForestClassifier(1000, categorical_features=list(range(20)))
        say("ready")
        forest.fit(X, np.arange(20_000) % 10)
    """,
    "draws of huge weights": """
        X, y = make_data(400)
        say("ready")
        ForestClassifier(100_000).fit(X, y, sample_weight=np.full(400, 5_000_000))
    """,
    "as many draws as there can be": """
        X, y = make_data(400)
        say("ready")
        ForestClassifier(100_000, max_samples=2**31 - 1).fit(X, y)
    """,
}

QUICK = {"predict_proba", "a rotation", "apply"}


@pytest.mark.parametrize(
    "what", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.faults) for name in WORK]
)
def test_interrupt_takes_effect_within_a_second(what):
    latency, how = interrupt_latency(dedent(WORK[what]))
    assert latency < 1.0
    assert how == "stopped"


@pytest.mark.faults
@pytest.mark.parametrize("n_jobs", [1, 2, 4])
@pytest.mark.parametrize("what", ["many trees", "predict_proba"])
def test_interrupt_takes_effect_on_every_number_of_threads(what, n_jobs):
    script = WORK[what].replace("Classifier(", f"Classifier(n_jobs={n_jobs}, n_estimators=")
    latency, how = interrupt_latency(dedent(script))
    assert how == "stopped"
    assert latency < 1.0 * n_jobs
