"""Forests without targets: densities and embeddings."""

from silvan.unsupervised.density import DensityForest
from silvan.unsupervised.embedding import ManifoldEmbedding

__all__ = ["DensityForest", "ManifoldEmbedding"]
