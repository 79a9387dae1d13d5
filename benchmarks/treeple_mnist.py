"""treeple's patch forest on MNIST with the patches of Perry's Table 2, for comparison.

``.bench/treeple/bin/python -m benchmarks.treeple_mnist``, with SILVAN_DATA set, prints the test
error after every 25 of 500 trees: forests of 25, whose probabilities are averaged.
"""

from __future__ import annotations

import numpy as np

from benchmarks.data import default_source, load_mnist

SMALLEST, LARGEST, SHAPE = (2, 2), (2, 5), (28, 28)
N_DIRECTIONS = 28
N_TREES, STEP = 500, 25


def main() -> None:
    """Grow the forests and print their joint error."""
    from treeple import PatchObliqueRandomForestClassifier

    (X, y), (X_test, y_test) = load_mnist(default_source())
    X, X_test = X.astype(np.float32), X_test.astype(np.float32)
    total = np.zeros((len(X_test), 10))
    for seed in range(N_TREES // STEP):
        forest = PatchObliqueRandomForestClassifier(
            STEP,
            min_patch_dims=np.array(SMALLEST),
            max_patch_dims=np.array(LARGEST),
            data_dims=np.array(SHAPE),
            max_features=N_DIRECTIONS,
            random_state=seed,
        ).fit(X, y)
        total += forest.predict_proba(X_test)
        error = np.mean(total.argmax(axis=1) != y_test)
        print(f"{(seed + 1) * STEP} trees: {error:.2%}", flush=True)


if __name__ == "__main__":
    main()
