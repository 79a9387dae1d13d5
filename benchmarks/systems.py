"""How each library is configured to do the same work.

Imported in every peer's environment, so it needs NumPy alone and imports a library only to use it.
"""

from __future__ import annotations

import importlib
import logging
import pickle
from dataclasses import dataclass, fields
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

IMAGE = (28, 28)


@dataclass(frozen=True)
class Work:
    """A forest to grow: the part of the settings that all libraries share.

    Attributes
    ----------
    n_trees : int
        Number of trees, each grown on a bootstrap sample until its leaves are pure.
    n_directions : int
        Number d of candidate directions per node.
    mean_nonzeros : float or None
        Mean number of features in a direction, with weights of plus or minus one; None for single
        features.
    n_jobs : int
        Number of threads.
    seed : int
        Seed of the forest.
    max_size : int or None
        Directions are sums over patches of 1 to so many pixels along both axes of a square image;
        a library without patches draws single features instead.
    """

    n_trees: int
    n_directions: int
    mean_nonzeros: float | None = None
    n_jobs: int = 1
    seed: int = 0
    max_size: int | None = None


class System:
    """One library. Preparing its input is not timed, fitting and predicting are."""

    name = ""
    module = ""
    distribution = ""
    # Folder of the environment that is tried when the module is not importable here.
    environment = ""
    # Whether a process can fit only once (rerf keeps its data in global state).
    one_fit_per_process = False

    def version(self) -> str:
        """Import the library, which raises where it is absent or broken, and return its version."""
        importlib.import_module(self.module)
        return metadata.version(self.distribution)

    def prepare_fit(self, X: NDArray[Any], y: NDArray[Any]) -> Any:
        return X, y

    def fit(self, work: Work, data: Any) -> Any:
        X, y = data
        return self.estimator(work).fit(X, y)

    def estimator(self, work: Work) -> Any:
        raise NotImplementedError

    def prepare_predict(self, model: Any, X: NDArray[Any]) -> Any:
        return X

    def predict(self, model: Any, data: Any, n_jobs: int) -> NDArray[Any]:
        model.n_jobs = n_jobs
        return np.asarray(model.predict(data))

    def model_bytes(self, model: Any) -> int:
        return len(pickle.dumps(model))


class Silvan(System):
    name = "silvan"
    module = distribution = "silvan"

    def estimator(self, work: Work) -> Any:
        from silvan import ForestClassifier
        from silvan.projections import AxisAligned, Patches, ProjectionDistribution, SparseSigns

        directions: ProjectionDistribution = AxisAligned()
        if work.max_size is not None:
            directions = Patches(IMAGE, 1, work.max_size)
        elif work.mean_nonzeros is not None:
            directions = SparseSigns(mean_nonzeros=work.mean_nonzeros, counts="poisson")
        return ForestClassifier(
            work.n_trees,
            projections=directions,
            max_features=work.n_directions,
            n_jobs=work.n_jobs,
            random_state=work.seed,
        )

    def model_bytes(self, model: Any) -> int:
        arrays = (getattr(model.forest_, field.name) for field in fields(model.forest_))
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def force_instruction_set(name: str | None) -> str:
    """Make silvan grow with these kernels from now on; return the name of those in use."""
    from silvan import _core

    def forced(make_options: Any) -> Any:
        def options() -> Any:
            made = make_options()
            made.instruction_set = name
            return made

        options()  # raises where this processor lacks them
        return options

    if name is None:
        return _core.GrowOptions().instruction_set
    for kind in ("GrowOptions", "BoostOptions"):
        setattr(_core, kind, forced(getattr(_core, kind)))
    return name


class SilvanRandomThresholds(Silvan):
    # The same forest but for its thresholds: bootstrap samples, too.
    name = "silvan random thresholds"

    def estimator(self, work: Work) -> Any:
        return super().estimator(work).set_params(thresholds="random")


class SilvanExtraTrees(Silvan):
    # Random thresholds without bootstrap samples, as in scikit-learn's ExtraTrees.
    name = "silvan extra trees"

    def estimator(self, work: Work) -> Any:
        return super().estimator(work).set_params(thresholds="random", bootstrap=False)


class RandomForest(System):
    name = "scikit-learn RF"
    module, distribution = "sklearn.ensemble", "scikit-learn"
    estimator_name = "RandomForestClassifier"

    def estimator(self, work: Work) -> Any:
        if work.mean_nonzeros is not None:
            raise ValueError(f"{self.name} has no oblique splits; leave mean_nonzeros out.")
        return getattr(importlib.import_module(self.module), self.estimator_name)(
            work.n_trees,
            max_features=work.n_directions,
            n_jobs=work.n_jobs,
            random_state=work.seed,
        )


class ExtraTrees(RandomForest):
    # Neither bootstrap nor exact search: its random thresholds are its idea of the same work.
    name = "scikit-learn ExtraTrees"
    estimator_name = "ExtraTreesClassifier"


class LightGbmForest(System):
    """LightGBM's random forest: histograms of at most 255 bins, samples without replacement."""

    name = "LightGBM rf"
    module = distribution = environment = "lightgbm"

    def estimator(self, work: Work) -> Any:
        from lightgbm import LGBMClassifier

        # It must have a limit of leaves: with enough for pure ones a forest takes minutes.
        return LGBMClassifier(
            boosting_type="rf",
            n_estimators=work.n_trees,
            num_leaves=1_024,
            min_child_samples=1,
            min_child_weight=0.0,
            subsample=0.632,
            subsample_freq=1,
            n_jobs=work.n_jobs,
            random_state=work.seed,
            verbose=-1,
        )

    def fit(self, work: Work, data: Any) -> Any:
        X, y = data
        share = work.n_directions / X.shape[1]
        return self.estimator(work).set_params(feature_fraction_bynode=share).fit(X, y)


class Treeple(System):
    name = "treeple"
    module = distribution = environment = "treeple"

    def estimator(self, work: Work) -> Any:
        from treeple import (
            ObliqueRandomForestClassifier,
            PatchObliqueRandomForestClassifier,
            RandomForestClassifier,
        )

        shared = {
            "n_estimators": work.n_trees,
            "max_features": work.n_directions,
            "n_jobs": work.n_jobs,
            "random_state": work.seed,
        }
        if work.max_size is not None:
            return PatchObliqueRandomForestClassifier(
                min_patch_dims=(1, 1),
                max_patch_dims=(work.max_size, work.max_size),
                data_dims=IMAGE,
                **shared,
            )
        if work.mean_nonzeros is None:
            return RandomForestClassifier(**shared)
        # Left out, feature_combinations means 1.5 nonzeros per direction.
        return ObliqueRandomForestClassifier(feature_combinations=work.mean_nonzeros, **shared)


class Rerf(System):
    name = "rerf"
    module = distribution = environment = "rerf"
    one_fit_per_process = True

    def estimator(self, work: Work) -> Any:
        from rerf.rerfClassifier import rerfClassifier

        return rerfClassifier(
            projection_matrix="Base" if work.mean_nonzeros is None else "RerF",
            n_estimators=work.n_trees,
            max_features=work.n_directions,
            feature_combinations=work.mean_nonzeros or 1.0,
            n_jobs=work.n_jobs,
            random_state=work.seed + 1,
        )


class Ydf(System):
    """YDF, given its own columnar data set ready made: only its training is timed."""

    name = "YDF"
    module = distribution = environment = "ydf"

    def version(self) -> str:
        version = super().version()
        importlib.import_module("ydf").verbose(0)
        logging.getLogger("absl").setLevel(logging.ERROR)
        return version

    def prepare_fit(self, X: NDArray[Any], y: NDArray[Any]) -> Any:
        import ydf

        label = [("label", ydf.Semantic.CATEGORICAL)]
        arrays = {"x": X, "label": y}
        return ydf.create_vertical_dataset(arrays, columns=label, include_all_columns=True)

    def fit(self, work: Work, data: Any) -> Any:
        return self.estimator(work).train(data)

    def estimator(self, work: Work) -> Any:
        import ydf

        if work.mean_nonzeros is None:
            directions: dict[str, Any] = {"num_candidate_attributes": work.n_directions}
        else:
            # It tries min(ceil(p^exponent), max_num_projections) directions: the exponent has only
            # to be large enough.
            directions = {
                "split_axis": "SPARSE_OBLIQUE",
                "sparse_oblique_num_projections_exponent": 2.0,
                "sparse_oblique_max_num_projections": work.n_directions,
                "sparse_oblique_projection_density_factor": float(work.mean_nonzeros),
                "sparse_oblique_weights": "BINARY",
                "sparse_oblique_normalization": "NONE",
            }
        # Unlike the others it stops at depth 16 and at five rows, takes one vote per tree and
        # computes an out-of-bag score unless configured otherwise.
        return ydf.RandomForestLearner(
            label="label",
            num_trees=work.n_trees,
            max_depth=-1,
            min_examples=1,
            winner_take_all=False,
            compute_oob_performances=False,
            num_threads=work.n_jobs,
            random_seed=work.seed + 1,
            **directions,
        )

    def prepare_predict(self, model: Any, X: NDArray[Any]) -> Any:
        import ydf

        label = np.zeros(len(X), np.int64)
        return ydf.create_vertical_dataset({"x": X, "label": label}, data_spec=model.data_spec())

    def predict(self, model: Any, data: Any, n_jobs: int) -> NDArray[Any]:
        probability = model.predict(data, num_threads=n_jobs)
        chosen = probability > 0.5 if probability.ndim == 1 else probability.argmax(axis=1)
        return np.array([int(name) for name in model.label_classes()])[np.asarray(chosen, np.intp)]

    def model_bytes(self, model: Any) -> int:
        return len(model.serialize())


class YdfFromArrays(Ydf):
    """YDF as its users call it: from NumPy arrays, converted while the clock runs."""

    name = "YDF from arrays"

    def prepare_fit(self, X: NDArray[Any], y: NDArray[Any]) -> Any:
        return {"x": X, "label": y}

    def prepare_predict(self, model: Any, X: NDArray[Any]) -> Any:
        return {"x": X}


_ALL = (
    Silvan(),
    SilvanRandomThresholds(),
    SilvanExtraTrees(),
    RandomForest(),
    ExtraTrees(),
    LightGbmForest(),
    Ydf(),
    YdfFromArrays(),
    Treeple(),
    Rerf(),
)
SYSTEMS: dict[str, System] = {system.name: system for system in _ALL}
