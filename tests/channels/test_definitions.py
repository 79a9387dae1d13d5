"""Each channel against a plain definition, at the ends of axes and with missing values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from silvan import _core
from silvan.channels import (
    Convolutions,
    Difference,
    Gradients,
    LocalContrast,
    Plane,
    Raw,
    Spectrum,
    fit_channels,
)
from silvan.channels.convolutions import convolve
from silvan.channels.gradients import directions

SERIES = np.random.default_rng(0).normal(size=(30, 40)).astype(np.float32)
IMAGES = np.random.default_rng(1).integers(0, 256, size=(20, 9, 7), dtype=np.uint8)
VOLUMES = np.random.default_rng(2).normal(size=(6, 5, 6, 7)).astype(np.float32)
ENDS = pytest.mark.parametrize("boundary", ["pad", "wrap"])


def neighbour(sample, place, step, boundary):
    """The value `step` away from a place, beyond the end its other end or its last cell."""
    at = np.asarray(place) + step
    if boundary == "wrap":
        at %= sample.shape
    else:
        at = np.clip(at, 0, np.asarray(sample.shape) - 1)
    return float(sample[tuple(at)])


@ENDS
@pytest.mark.parametrize("order", [1, 2, 3])
def test_differences_are_those_of_numpy(boundary, order):
    made = fit_channels([Difference(order)], SERIES, boundary=boundary).transform(SERIES)
    if boundary == "wrap":
        expected = SERIES
        for _ in range(order):
            expected = np.roll(expected, -1, axis=1) - expected
    else:
        expected = np.diff(SERIES, n=order)
    np.testing.assert_allclose(made, expected, atol=1e-6)


def test_differences_run_along_the_axis_that_is_named():
    made = fit_channels([Difference(axis=0)], VOLUMES[:, 0]).transform(VOLUMES[:, 0])
    np.testing.assert_array_equal(made.reshape(6, 5, 7), np.diff(VOLUMES[:, 0], axis=1))


@pytest.mark.parametrize("length", [24, 25])
def test_spectra_are_absolute_fourier_transforms_of_centred_series(length):
    series = SERIES[:, :length].astype(np.float64)
    time = np.arange(length)
    expected = [
        np.abs((series * np.exp(-2j * np.pi * frequency * time / length)).sum(axis=1))
        for frequency in range(1, length // 2 + 1)
    ]
    made = fit_channels([Spectrum()], series).transform(series)
    np.testing.assert_allclose(made, np.transpose(expected), rtol=1e-4, atol=1e-5)
    shifted = fit_channels([Spectrum()], series).transform(series + 1000)
    np.testing.assert_allclose(shifted, made, atol=2e-2)


def test_logarithms_of_silent_spectra_are_finite():
    silent = np.vstack([SERIES, np.zeros((1, 40), dtype=np.float32)])
    made = fit_channels([Spectrum(log=True)], silent).transform(silent)
    assert np.isfinite(made).all()
    np.testing.assert_allclose(
        made[:-1], np.log(fit_channels([Spectrum()], SERIES).transform(SERIES)), rtol=1e-5
    )


def slope_at(sample, place, boundary):
    return [
        (neighbour(sample, place, step, boundary) - neighbour(sample, place, -step, boundary)) / 2
        for step in np.eye(sample.ndim, dtype=int)
    ]


@ENDS
@pytest.mark.parametrize("n_orientations", [4, 5, 8])
def test_gradients_are_sums_of_the_two_nearest_directions(n_orientations, boundary):
    samples = IMAGES.astype(np.float32)
    fitted = fit_channels([Gradients(n_orientations)], samples, boundary=boundary)
    magnitude, *oriented = fitted.arrays(samples)
    vectors = directions(n_orientations, 2)
    for place in product(range(9), range(7)):
        slope = slope_at(samples[3], place, boundary)
        assert magnitude[3][place] == pytest.approx(np.linalg.norm(slope), rel=1e-5)
        parts = np.array([array[3][place] for array in oriented])
        np.testing.assert_allclose(parts @ vectors, slope, rtol=1e-4, atol=1e-3)
        assert (parts >= 0).all()
        nearest = set(np.argsort(-vectors @ slope)[:2].tolist())
        assert set(np.flatnonzero(parts > 1e-3).tolist()) <= nearest


@ENDS
def test_gradients_of_volumes_are_counted_for_the_nearest_direction(boundary):
    magnitude, *oriented = fit_channels([Gradients(9)], VOLUMES, boundary=boundary).arrays(VOLUMES)
    vectors = directions(9, 3)
    for place in product(range(5), range(6), range(7)):
        slope = slope_at(VOLUMES[3], place, boundary)
        assert magnitude[3][place] == pytest.approx(np.linalg.norm(slope), rel=1e-5)
        expected = np.zeros(9)
        expected[(vectors @ slope).argmax()] = magnitude[3][place]
        np.testing.assert_array_equal([array[3][place] for array in oriented], expected)


@pytest.mark.parametrize("n_axes", [2, 3])
def test_directions_are_unit_vectors_far_apart(n_axes):
    vectors = directions(8, n_axes)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    np.testing.assert_allclose(vectors.sum(axis=0), 0, atol=0.5)
    assert (vectors @ vectors.T - np.eye(8)).max() < 0.8


@ENDS
def test_local_contrast_is_a_value_in_units_of_its_neighbourhood(boundary):
    samples = IMAGES.astype(np.float32)
    fitted = fit_channels([LocalContrast(3)], samples, boundary=boundary)
    floor = fitted.states[0][0]["floor"][0]
    [made] = fitted.arrays(samples)
    for place in product(range(9), range(7)):
        around = [
            neighbour(samples[5], place, np.array(step), boundary)
            for step in product((-1, 0, 1), repeat=2)
        ]
        expected = (samples[5][place] - np.mean(around)) / (np.std(around) + floor)
        assert made[5][place] == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_local_contrast_keeps_its_accuracy_far_from_zero():
    samples = np.round(SERIES * 4)
    fitted = fit_channels([LocalContrast()], samples)
    np.testing.assert_allclose(
        fitted.transform(samples + 1e6), fitted.transform(samples), atol=1e-2
    )


@ENDS
@pytest.mark.parametrize(
    "samples", [SERIES, IMAGES.astype(np.float32), VOLUMES], ids=["1-D", "2-D", "3-D"]
)
def test_convolutions_are_indicators_of_dilated_kernels(samples, boundary):
    fitted = fit_channels([Convolutions(6, max_length=None)], samples, boundary=boundary, seed=3)
    state, shape = fitted.states[0][0], samples.shape[1:]
    size = 9 if len(shape) == 1 else 3
    offsets = [np.array(at) - size // 2 for at in product(range(size), repeat=len(shape))]
    for kernel, array in enumerate(fitted.arrays(samples)):
        chosen = state["chosen"][kernel].tolist()
        assert len(set(chosen)) == len(offsets) // 3
        for place in list(product(*(range(length) for length in shape)))[::5]:
            values = [
                neighbour(samples[2], place, at * state["dilations"][kernel], boundary)
                for at in offsets
            ]
            result = sum((2 if cell in chosen else -1) * value for cell, value in enumerate(values))
            above = state["thresholds"][kernel]
            if abs(result - above) > 1e-3:
                assert array[2][place] == float(result > above)


@ENDS
def test_convolutions_of_differences_are_those_of_the_series_of_differences(boundary):
    options = {"boundary": boundary, "seed": 3}
    extended = np.append(SERIES, SERIES[:, :2], axis=1) if boundary == "wrap" else SERIES
    differences = np.diff(extended, n=2)
    fitted = fit_channels([Convolutions(6, max_length=7, order=2)], SERIES, **options)
    other = fit_channels([Convolutions(6, max_length=7)], differences, **options)
    assert fitted.layout.shapes == other.layout.shapes
    np.testing.assert_array_equal(fitted.transform(SERIES), other.transform(differences))
    assert fitted.layout.names[1] == "convolution 2 of difference of order 2"


@ENDS
@pytest.mark.parametrize(("length", "step"), [(1, 1), (7, 1), (40, 3), (64, 16), (101, 101)])
def test_the_core_convolves_series_as_numpy_does(length, step, boundary):
    rng = np.random.default_rng(length)
    series = rng.normal(size=(12, length)).astype(np.float32)
    series[3, length // 2] = np.nan
    series[5, 0] = np.inf
    plane = Plane((length,), (boundary == "wrap",))
    state = {
        "chosen": np.sort(rng.permuted(np.tile(np.arange(9), (10, 1)), axis=1)[:, :3]).astype("i4"),
        "dilations": np.sort(rng.integers(1, length + 1, size=10)).astype(np.int32),
    }
    with np.errstate(invalid="ignore"):
        results = [result for _, result in convolve(series, plane, state)]
    # Thresholds that are values themselves: a single rounding that differs shows.
    thresholds = np.array([result[0, length // 3] for result in results])
    counts = _core.convolve_series(
        series, plane.wrap[0], state["chosen"], state["dilations"], thresholds, step
    ).reshape(12, 10, -1)
    for kernel, result in enumerate(results):
        above = np.where(np.isnan(result), np.nan, result > thresholds[kernel])
        runs = [above[:, start : start + step].sum(axis=1) for start in range(0, length, step)]
        np.testing.assert_array_equal(counts[:, kernel], np.stack(runs, axis=1))


def test_thresholds_divide_the_cells_of_training_samples():
    fitted = fit_channels([Convolutions(64, max_length=None)], SERIES, seed=0)
    shares = fitted.transform(SERIES).reshape(30, 64, 40).mean(axis=(0, 2))
    assert 0.3 < shares.mean() < 0.7
    assert ((shares > 0.02) & (shares < 0.98)).mean() > 0.8


def test_long_convolutions_count_neighbouring_cells():
    cells = fit_channels([Convolutions(3, max_length=None)], SERIES).arrays(SERIES)
    counts = fit_channels([Convolutions(3, max_length=15)], SERIES).arrays(SERIES)
    for whole, short in zip(cells, counts, strict=True):
        assert short.shape == (30, 14)  # 13 runs of 3 cells, and one of 1
        np.testing.assert_array_equal(short[:, 4], whole[:, 12:15].sum(axis=1))
        np.testing.assert_array_equal(short[:, 13], whole[:, 39])


@pytest.mark.parametrize(
    ("channel", "touched"),
    [
        (Raw(), {10}),
        (Difference(), {9, 10}),
        (Difference(2), {8, 9, 10}),
        (LocalContrast(3), {9, 10, 11}),
        (Spectrum(), set(range(20))),
    ],
    ids=repr,
)
def test_a_missing_value_makes_missing_what_is_computed_from_it(channel, touched):
    samples = SERIES.copy()
    samples[4, 10] = np.nan
    made = fit_channels([channel], SERIES).transform(samples)
    assert set(np.flatnonzero(np.isnan(made[4])).tolist()) == touched
    assert not np.isnan(np.delete(made, 4, axis=0)).any()


def test_a_missing_value_is_missing_to_gradients_and_convolutions_that_touch_it():
    images = IMAGES.astype(np.float32)
    gapped = images.copy()
    gapped[2, 4, 3] = np.nan
    magnitude, *oriented = fit_channels([Gradients(4)], images).arrays(gapped)
    expected = np.zeros((9, 7), dtype=bool)
    expected[[3, 5, 4, 4], [3, 3, 2, 4]] = True
    for array in (magnitude, *oriented):
        np.testing.assert_array_equal(np.isnan(array[2]), expected)

    fitted = fit_channels([Convolutions(1, max_length=None)], SERIES)
    dilation = int(fitted.states[0][0]["dilations"][0])
    series = SERIES.copy()
    series[0, 20] = np.nan
    at = 20 + dilation * np.arange(-4, 5)
    at = at[(at >= 0) & (at < 40)]
    assert np.flatnonzero(np.isnan(fitted.transform(series)[0])).tolist() == at.tolist()


def test_planes_end_where_their_boundary_says():
    plane = Plane((3, 2), wrap=(True, False))
    padded = plane.pad(np.arange(6).reshape(1, 3, 2), 1)
    assert padded[0].tolist() == [
        [4, 4, 5, 5],
        [0, 0, 1, 1],
        [2, 2, 3, 3],
        [4, 4, 5, 5],
        [0, 0, 1, 1],
    ]
