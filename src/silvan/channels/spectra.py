"""The channel whose axis is frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_flag, invalid
from silvan.channels.base import Channel, State, is_positive_number, quiet_overflow
from silvan.channels.plane import Plane


@dataclass(eq=False, repr=False)
class Spectrum(Channel):
    """The strength of each frequency along the last axis: the absolute Fourier transform.

    The mean is subtracted first. An axis of T steps has frequencies 0, 1, ..., T // 2, in cycles
    per axis; frequency 0 is left out, because it is then zero. A missing value makes the whole
    spectrum missing.

    Parameters
    ----------
    log : bool, default=False
        Whether to take logarithms, which turns ratios of strengths into differences. Strengths
        below a millionth of the median strength of the training samples are raised to it.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Spectrum, fit_channels
    >>> time = np.arange(16)
    >>> X = np.sin(2 * np.pi * 3 * time / 16)[None]
    >>> fit_channels([Spectrum()], X).transform(X).round(2)
    array([[0., 0., 8., 0., 0., 0., 0., 0.]], dtype=float32)
    """

    log: bool = False

    def names(self, plane: Plane) -> list[str]:
        """One array, called spectrum."""
        return ["log spectrum" if self.log else "spectrum"]

    def validate(self, plane: Plane) -> None:
        """Require two steps."""
        check_flag("log", self.log)
        if plane.shape[-1] < 2:
            raise invalid(
                "channels",
                "such that a Spectrum has at least 2 steps along the last axis",
                plane.shape,
                "leave Spectrum out",
            )

    def accepts(self, state: State, plane: Plane) -> bool:
        """Whether there is a floor, if logarithms are taken."""
        return not self.log or is_positive_number(state.get("floor"))

    def learn(self, samples: NDArray[Any], plane: Plane, rng: np.random.Generator) -> State:
        """Learn what counts as no strength at all, for logarithms."""
        if not self.log:
            return {}
        known = self._strengths(samples)
        known = known[np.isfinite(known)]
        typical = float(np.median(known)) if len(known) else 0.0
        return {"floor": np.float32(typical * 1e-6 or 1e-30).reshape(1)}

    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Absolute values of the Fourier transform."""
        strengths = self._strengths(samples)
        if self.log:
            strengths = np.log(np.maximum(strengths, state["floor"]))
        return strengths[:, None]

    @quiet_overflow
    def _strengths(self, samples: NDArray[Any]) -> NDArray[np.float32]:
        values = samples.astype(np.float64)
        values -= values.mean(axis=-1, keepdims=True)
        strengths: NDArray[np.float32] = np.abs(np.fft.rfft(values, axis=-1)[..., 1:]).astype(
            np.float32
        )
        return strengths
