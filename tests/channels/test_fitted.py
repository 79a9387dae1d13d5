"""Fitted channels: layouts, planes, bytes and floats, learnt state, blocks, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.base import clone

from silvan.channels import (
    Channel,
    ChannelLayout,
    Convolutions,
    Difference,
    FittedChannels,
    Function,
    Gradients,
    LocalContrast,
    Raw,
    Spectrum,
    fit_channels,
)
from silvan.channels import fitted as fitted_module
from silvan.channels.plane import PlaneGrid

RNG = np.random.default_rng(0)
SERIES = RNG.normal(size=(50, 30))
IMAGES = RNG.integers(0, 256, size=(40, 12, 10), dtype=np.uint8)
COLOUR = RNG.integers(0, 256, size=(30, 12, 10, 3), dtype=np.uint8)
SENSORS = RNG.normal(size=(20, 6, 25))
ALL = [
    Raw(),
    Difference(),
    Difference(2),
    Spectrum(),
    Spectrum(log=True),
    LocalContrast(),
    Convolutions(5),
    Convolutions(4, order=1),
    np.abs,
]
CASES = {
    "series": (SERIES, ALL, {}),
    "circle": (SERIES, ALL, {"boundary": "wrap"}),
    "sensors": (SENSORS, ALL, {"contiguous": (False, True)}),
    "image": (IMAGES, [Raw(), Gradients(), LocalContrast(), Convolutions(3)], {}),
    "floats": (IMAGES / 255, [Raw(), Gradients(), Difference(axis=0)], {}),
    "colour": (COLOUR, [Raw(), Gradients(4)], {}),
    "volume": (RNG.normal(size=(5, 6, 7, 8)), [Raw(), Gradients(7)], {}),
}


@pytest.fixture(params=CASES)
def case(request):
    samples, channels, options = CASES[request.param]
    return samples, fit_channels(channels, samples, seed=1, **options)


def test_layouts_name_every_array_once_and_cover_all_cells(case):
    samples, fitted = case
    layout = fitted.layout
    cells = fitted.transform(samples)
    assert cells.shape == (len(samples), layout.n_cells)
    assert cells.flags.c_contiguous
    assert cells.dtype == fitted.dtype
    assert len(set(layout.names)) == len(layout.names) == layout.n_channels
    assert layout.n_cells == sum(math.prod(shape) for shape in layout.shapes)
    assert {len(shape) for shape in layout.shapes} == {len(fitted.planes.plane.shape)}
    assert fitted.bytes_per_sample * len(samples) == cells.nbytes
    assert len(fitted.sources) == layout.n_channels
    fitted.check()


def test_a_sample_does_not_depend_on_the_others_or_on_blocks(case, monkeypatch):
    samples, fitted = case
    cells = fitted.transform(samples)
    monkeypatch.setattr(fitted_module, "_BLOCK_CELLS", 3 * fitted.layout.n_cells)
    np.testing.assert_array_equal(fitted.transform(samples), cells)
    np.testing.assert_array_equal(
        fitted.transform(samples[7:8] if len(samples) > 7 else samples[4:5]),
        cells[7:8] if len(samples) > 7 else cells[4:5],
    )
    flat = samples.reshape(len(samples), -1)
    np.testing.assert_array_equal(fitted.transform(flat), cells)


def test_credit_on_the_grid_keeps_its_sum(case):
    samples, fitted = case
    credit = np.random.default_rng(3).random((4, fitted.layout.n_cells))
    spread = fitted.credit_on_grid(credit)
    assert spread.shape == (4, *samples.shape[1:])
    np.testing.assert_allclose(spread.reshape(4, -1).sum(axis=1), credit.sum(axis=1))
    assert (spread >= 0).all()


def test_planes_are_put_together_as_they_were_divided():
    planes = fit_channels([Raw()], COLOUR).planes
    divided = planes.divide(COLOUR.reshape(len(COLOUR), -1))
    np.testing.assert_array_equal(divided[:, 2], COLOUR[..., 2])
    np.testing.assert_array_equal(planes.unite(divided), COLOUR)


def test_credit_goes_to_the_cells_that_a_channel_reads():
    fitted = fit_channels([Raw(), Difference(), Spectrum()], SERIES)
    credit = np.zeros(fitted.layout.n_cells)
    credit[4] = 1  # value 4
    credit[30 + 9] = 2  # the difference of values 9 and 10
    credit[30 + 29] = 30  # the lowest frequency
    [spread] = fitted.credit_on_grid(credit[None])
    expected = np.ones(30)
    expected[4] += 1
    expected[[9, 10]] += 1
    np.testing.assert_allclose(spread, expected)


def test_colours_and_few_sensors_are_planes_and_sensors_are_where_they_are_said_to_be():
    assert fit_channels([Raw()], COLOUR).planes.n_planes == 3
    assert fit_channels([Raw()], np.moveaxis(COLOUR, -1, 1)).planes.n_planes == 3
    assert fit_channels([Raw()], COLOUR, contiguous=(True, True, True)).planes.n_planes == 1
    assert fit_channels([Raw()], SENSORS).planes.n_planes == 1
    assert fit_channels([Raw()], SENSORS, contiguous=(False, True)).planes.n_planes == 6
    assert fit_channels([Raw()], np.zeros((5, 3))).planes.n_planes == 1
    assert fit_channels([Raw()], np.zeros((5, 4, 4))).planes.n_planes == 1


@pytest.mark.parametrize("channel", [Raw(), Gradients(5)], ids=repr)
def test_each_plane_has_the_channels_that_it_would_have_alone(channel):
    together = fit_channels([channel], COLOUR.astype(float))
    for colour in range(3):
        alone = fit_channels([channel], COLOUR[..., colour].astype(float)).arrays(
            COLOUR[..., colour]
        )
        n = len(alone)
        arrays = together.arrays(COLOUR.astype(float))[colour * n : (colour + 1) * n]
        for one, other in zip(alone, arrays, strict=True):
            np.testing.assert_array_equal(one, other)
    assert together.layout.names[-1].endswith(" of plane 2")


def test_bytes_stay_as_they_are_and_other_arrays_of_images_are_scaled_to_bytes():
    fitted = fit_channels([Raw(), Gradients(4)], IMAGES)
    floats = fit_channels([Raw(), Gradients(4)], IMAGES.astype(float))
    value, *gradients = fitted.arrays(IMAGES)
    np.testing.assert_array_equal(value, IMAGES)
    for number, (made, exact) in enumerate(
        zip(gradients, floats.arrays(IMAGES)[1:], strict=True), start=1
    ):
        low, step = fitted.scales[number]
        assert low == 0
        assert made.max() == 255  # some values lie beyond the quantile
        assert (made == 255).mean() < 0.01
        inside = made < 255
        assert np.abs(made * step - exact)[inside].max() <= step / 2 + 1e-3
    assert floats.dtype == "float32"


def test_signed_arrays_of_images_keep_their_sign_in_bytes():
    fitted = fit_channels([LocalContrast()], IMAGES)
    [codes], [exact] = (
        fitted.arrays(IMAGES),
        fit_channels([LocalContrast()], IMAGES.astype(float)).arrays(IMAGES),
    )
    low, step = fitted.scales[0]
    inside = (codes > 0) & (codes < 255)
    assert np.abs(low + codes * step - exact)[inside].max() <= step / 2 + 1e-3


def test_floats_that_are_whole_numbers_give_the_bytes_of_uint8():
    fitted = fit_channels([Raw(), Gradients(), Convolutions(2)], IMAGES)
    for dtype in (np.float64, np.float32, np.int64):
        again = fitted.transform(IMAGES.astype(dtype))
        assert again.dtype == np.uint8
        np.testing.assert_array_equal(again, fitted.transform(IMAGES))


def test_missing_values_of_images_that_are_bytes_stay_missing():
    fitted = fit_channels([Raw(), Gradients(4)], IMAGES)
    gapped = IMAGES.astype(float)
    gapped[3, 5, 5] = np.nan
    cells = fitted.transform(gapped)
    assert cells.dtype == np.float32
    assert np.isnan(cells[3]).sum() == 1 + 5 * 4
    rest = np.delete(np.arange(40), 3)
    np.testing.assert_array_equal(cells[rest], fitted.transform(IMAGES)[rest])


def test_constant_images_have_a_scale():
    constant = np.full((5, 6, 6), 7, dtype=np.uint8)
    fitted = fit_channels([Raw(), Gradients(4), LocalContrast()], constant)
    assert fitted.transform(constant)[:, 36:].max() == 0
    fitted.check()


def test_kernels_depend_on_the_seed_and_on_training_samples_alone():
    def cells(seed):
        return fit_channels([Convolutions(8)], SERIES, seed=seed).transform(SERIES)

    np.testing.assert_array_equal(cells(1), cells(1))
    assert (cells(1) != cells(2)).any()


def test_two_planes_have_kernels_of_their_own():
    fitted = fit_channels([Convolutions(4)], SENSORS, contiguous=(False, True))
    first, second = (states[0]["chosen"] for states in fitted.states[:2])
    assert (first != second).any()


def test_functions_stand_for_channels_and_have_their_name():
    fitted = fit_channels([np.square, Function(lambda x: x[..., ::2], "half")], SERIES)
    assert fitted.layout == ChannelLayout(("square", "half"), ((30,), (15,)))
    np.testing.assert_allclose(fitted.arrays(SERIES)[1], SERIES[:, ::2].astype(np.float32))


class Lagged(Channel):
    def __init__(self, lag=2):
        self.lag = lag

    def names(self, plane):
        return [f"lag {self.lag}"]

    def compute(self, samples, plane, state):
        return (samples[..., self.lag :] - samples[..., : -self.lag])[:, None]


def test_a_channel_of_ones_own_has_parameters_as_projections_have():
    assert clone(Lagged(3), safe=False) == Lagged(3)
    assert repr(Lagged(3)) == "Lagged(lag=3)"
    assert fit_channels([Lagged()], SERIES).layout.shapes == ((28,),)


class WrongShape(Lagged):
    def compute(self, samples, plane, state):
        return samples


@pytest.mark.parametrize(
    ("channels", "message"),
    [
        ([], "channels must be"),
        ("spectrum", 'channels must be "auto", "raw" or a sequence'),
        ([3], "channels must be"),
        ([Difference(0)], "order must be an integer >= 1"),
        ([Difference(30)], "order must be below 30"),
        ([Difference(axis=1)], "axis must be an integer from -1 to 0"),
        ([Gradients(3)], "n_orientations must be 0 or an integer from 4"),
        ([Gradients()], "use Difference along a series"),
        ([LocalContrast(4)], "size must be an odd integer"),
        ([Convolutions(0)], "n_kernels must be an integer from 1"),
        ([Convolutions(order=-1)], "order must be an integer >= 0"),
        ([Convolutions(order=30)], "order must be below 30, the length of the axis"),
        ([Convolutions(max_length=0)], "max_length must be an integer >= 1 or None"),
        ([Spectrum(log=2)], "log must be True or False"),
        ([WrongShape()], "WrongShape.compute must return an array of shape"),
        ([lambda x: x.sum()], "keep the axis of samples"),
        ([Function(3)], "function must be a callable"),
        ([Function(np.abs, name=3)], "name must be a string or None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_errors_name_the_parameter_and_the_remedy(channels, message):
    with pytest.raises(ValueError, match=message):
        fit_channels(channels, SERIES)


def test_axes_without_neighbours_have_no_channels():
    with pytest.raises(ValueError, match='pass channels="raw"'):
        fit_channels([Raw()], SENSORS, contiguous=False)
    with pytest.raises(ValueError, match="leave Spectrum out"):
        fit_channels([Spectrum()], SERIES[:, :1])


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "int8"},
        {"scales": np.zeros((3, 2))},
        {"scales": np.ones((2, 2))},
        {"states": []},
        {"layout": ChannelLayout(("a", "b", "c"), ((30,), (30,), (15,)))},
        {"channels": (Raw(), Difference(31), Spectrum())},
        {"channels": (Raw(), Raw(), 3)},
        {"channels": ()},
        {"planes": PlaneGrid((30, 2), (True,), (False,))},
        {"planes": PlaneGrid((30,), (False,), (False,))},
        {"planes": PlaneGrid((-30,), (True,), (False,))},
    ],
    ids=str,
)
def test_what_does_not_fit_together_is_refused(change):
    fitted = fit_channels([Raw(), Difference(), Spectrum()], SERIES)
    with pytest.raises(ValueError, match=r"fit it again|must be"):
        FittedChannels(**{**vars(fitted), **change}).check()


@pytest.mark.parametrize(
    ("channel", "name", "value"),
    [
        (Convolutions(3), "dilations", np.array([1, 2, 2**31 - 1], dtype=np.int32)),
        (Convolutions(3), "dilations", np.array([0, 1, 1], dtype=np.int32)),
        (Convolutions(3), "chosen", np.full((3, 3), 9, dtype=np.int32)),
        (Convolutions(3), "thresholds", np.full(3, np.nan, dtype=np.float32)),
        (Convolutions(3), "thresholds", np.zeros(4, dtype=np.float32)),
        (LocalContrast(), "floor", np.zeros(1, dtype=np.float32)),
        (Spectrum(log=True), "floor", np.ones(2, dtype=np.float32)),
    ],
    ids=str,
)
def test_what_no_channel_has_learnt_is_refused(channel, name, value):
    fitted = fit_channels([channel], SERIES)
    fitted.check()
    fitted.states[0][0][name] = value
    with pytest.raises(ValueError, match="fit it again"):
        fitted.check()
    del fitted.states[0][0][name]
    with pytest.raises(ValueError, match="fit it again"):
        fitted.check()


def test_channels_cannot_write_to_the_samples():
    X = SERIES.astype(np.float32)
    before = X.copy()
    with pytest.raises(ValueError, match="read-only"):
        fit_channels([lambda samples: np.add(samples, 1, out=samples)], X)
    assert np.array_equal(X, before)
    assert X.flags.writeable


@pytest.mark.parametrize("dtype", [np.complex64, "U8", object])
def test_channels_of_other_than_real_numbers_are_refused(dtype):
    with pytest.raises(ValueError, match=r"must return real numbers, .* convert it to floats"):
        fit_channels([lambda samples: samples.astype(dtype)], SERIES)
