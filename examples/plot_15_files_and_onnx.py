"""
Keep a forest, and take it elsewhere
====================================

A forest is saved without pickle, loads without running code, and goes to other languages as an
ONNX model. Each of them predicts the same.
"""

# %%
# Something to keep:

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import silvan

digits = load_digits()
X, y = digits.images.astype(np.float32), digits.target
forest = silvan.ManifoldForestClassifier(50, channels="raw", max_size=4, random_state=0)
forest.fit(X[:1500], y[:1500])

# %%
# ``save`` writes a safetensors file, with a checksum. Loading checks everything before use, and
# ``memory_map=True`` lets several processes share one copy.

folder = Path(tempfile.mkdtemp())
path = folder / "digits.safetensors"
forest.save(path)
same = silvan.load(path, memory_map=True)
print(f"{path.stat().st_size / 1e6:.1f} MB")
print(np.array_equal(same.predict_proba(X[1500:]), forest.predict_proba(X[1500:])))

# %%
# A file that was damaged on the way is refused:

content = bytearray(path.read_bytes())
content[len(content) // 2] ^= 1
damaged = folder / "damaged.safetensors"
damaged.write_bytes(content)
try:
    silvan.load(damaged)
except silvan.files.FileFormatError as error:
    print(error)

# %%
# ONNX models run in many languages without Python. The runtime sends every sample to the leaf where
# silvan sends it:

import onnxruntime

from silvan.export import to_onnx

session = onnxruntime.InferenceSession(to_onnx(forest).SerializeToString())
label, probabilities = session.run(None, {"X": X[1500:]})
print(np.array_equal(label, forest.predict(X[1500:])))
print(np.abs(probabilities - forest.predict_proba(X[1500:])).max() < 1e-12)

# %%
# For people there is text, and a plot of any tree. Splits on a grid are drawn in its shape:

from silvan.export import to_text
from silvan.plotting import TreeDisplay

print(to_text(same, tree=3, max_depth=2))
TreeDisplay.from_estimator(same, tree=3)

# %%
# :doc:`/guide/files` and :doc:`/guide/export` have the details and the limits.
