"""The convolutional networks of Perry's Table 1, in PyTorch where it is installed."""

from __future__ import annotations

import importlib.util
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

HAS_TORCH = importlib.util.find_spec("torch") is not None


class Training(NamedTuple):
    """Size of a batch, most passes over the samples and fewest steps, and whether to stop early.

    Stopping early is what the authors' program does: from the twelfth pass on, as soon as the
    losses of the last batches of five passes have a standard error below a thousandth.
    """

    batch: int
    passes: int
    min_steps: int
    stops: bool


FIXED = Training(batch=32, passes=30, min_steps=300, stops=False)
STOPPED = Training(batch=250, passes=1000, min_steps=0, stops=True)
FIRST_STOP, WATCHED, PLATEAU = 11, 5, 1e-3


def has_gpu() -> bool:
    """Whether PyTorch is installed and finds a GPU."""
    if not HAS_TORCH:
        return False
    import torch

    return bool(torch.cuda.is_available())


class Layers(NamedTuple):
    """One row of Table 1: two convolutions of 32 and 64 channels, and a hidden layer."""

    shape: tuple[int, ...]
    windows: tuple[int, int]
    hidden: int


TABLE_1 = {
    "circle": Layers((100,), (6, 10), 500),
    "bars": Layers((28, 28), (5, 5), 200),
    "impulse": Layers((100,), (10, 5), 200),
    "mnist": Layers((28, 28), (5, 5), 200),
}


class ConvolutionalNetwork:
    """Convolution, pooling, convolution, pooling, dropout, hidden layer, classes.

    The table says nothing about training; the MORF paper (section 4) stops it early if the loss
    plateaus, without details. `FIXED` is Adam with its defaults, batches of 32, 30 passes over the
    samples and at least 300 steps; `STOPPED` is Adam with batches of 250 until the loss plateaus.
    The table's impulse row mixes layers for series and images; those for series are meant. It
    trains on a GPU where PyTorch finds one.
    """

    def __init__(self, layers: Layers, seed: int, training: Training = FIXED) -> None:
        self.layers = layers
        self.seed = seed
        self.training = training

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> ConvolutionalNetwork:
        """Train on flat rows."""
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        self.classes, codes = np.unique(y, return_inverse=True)
        self.device = "cuda" if has_gpu() else "cpu"
        inputs = self._to_tensor(X)
        targets = torch.from_numpy(codes.astype(np.int64)).to(self.device)
        self.network = build_network(self.layers, len(self.classes)).to(self.device)
        optimizer = torch.optim.Adam(self.network.parameters())
        batch, passes, min_steps, stops = self.training
        steps = math.ceil(len(y) / batch)
        losses: list[float] = []
        self.network.train()
        for done in range(max(passes, math.ceil(min_steps / steps))):
            for rows in torch.randperm(len(y)).to(self.device).split(batch):
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(self.network(inputs[rows]), targets[rows])
                loss.backward()
                optimizer.step()
            if stops and done >= FIRST_STOP and is_flat(losses):
                break
            losses.append(loss.item())
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Most probable classes."""
        import torch

        self.network.eval()
        with torch.no_grad():
            codes = [self.network(part).argmax(1) for part in self._to_tensor(X).split(500)]
        return np.asarray(self.classes[torch.cat(codes).cpu().numpy()])

    def _to_tensor(self, X: NDArray[Any]) -> Any:
        import torch

        rows = np.ascontiguousarray(X, dtype=np.float32)
        tensor = torch.from_numpy(rows).reshape(len(rows), 1, *self.layers.shape)
        return tensor.to(self.device)


def is_flat(losses: list[float]) -> bool:
    """Whether the latest losses hardly differ."""
    latest = np.array(losses[-WATCHED:])
    return bool(latest.std(ddof=1) / math.sqrt(len(latest)) < PLATEAU)


def build_network(layers: Layers, n_classes: int) -> Any:
    """The layers, with rectifiers after convolutions and the hidden layer."""
    from torch import nn

    flat = len(layers.shape) == 1
    convolution, pool = (nn.Conv1d, nn.MaxPool1d) if flat else (nn.Conv2d, nn.MaxPool2d)
    first, second = layers.windows
    sides = [((side - first + 1) // 2 - second + 1) // 2 for side in layers.shape]
    return nn.Sequential(
        convolution(1, 32, first),
        nn.ReLU(),
        pool(2, 2),
        convolution(32, 64, second),
        nn.ReLU(),
        pool(2, 2),
        nn.Dropout(0.5),
        nn.Flatten(),
        nn.Linear(64 * math.prod(sides), layers.hidden),
        nn.ReLU(),
        nn.Linear(layers.hidden, n_classes),
    )
