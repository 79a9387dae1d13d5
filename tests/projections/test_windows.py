"""Windows: drawn from the distribution that the reference spells out, and checked like others."""

import numpy as np
import pytest
from projections.test_distributions import assert_same_distribution
from sklearn.base import clone

from silvan import ForestClassifier, _core
from silvan.projections import AxisAligned, Mixture, Node, Patches, Window, Windows
from silvan.projections.windows import read_windows

ALL = ("mean", "spread", "slope")
CASES = {
    "series": Windows([5], 1, 4),
    "statistics": Windows([4, 3], 1, 3, "inside", statistics=ALL),
    "weights": Windows([4, 3, 5], 1, 2, "corner", weights=(1, 0, 3)),
    "shifts": Windows([4], 1, 2, shift=2, shift_probability=0.7, statistics=("mean", "spread")),
    "pairs": Windows([4, 3], 1, 3, n_patches=2, reach=1),
    "three on a circle": Windows([4], 2, 3, "wrap", n_patches=3, reach=1),
    "wholes": Windows([5, 3], 1, 2, n_patches=2, shift=1, statistics=ALL, whole_probability=0.4),
    "whole images": Windows([(3, 2), (2, 3)], 1, 2, "wrap", whole_probability=0.3),
    "image": Windows([(3, 2), (2, 3)], (1, 2), 2, ("pad", "inside")),
    "volume": Windows([(2, 2, 3)], 1, 2),
}
cases = pytest.mark.parametrize("name", CASES)


def n_cells(windows):
    return sum(int(np.prod(shape)) for shape in windows.shapes)


def draw_natively(windows, n):
    native = windows._to_native(n_cells(windows))
    for tree in range(n):
        (_, _, coefficients), table = _core.sample_windows(native, _core.NodePlace(7, tree), 1)
        yield sorted(zip(coefficients.tolist(), read_windows(table), strict=True))


@cases
def test_the_core_draws_from_the_distribution_of_the_reference(name):
    windows = CASES[name]
    n = 6_000
    rng = np.random.default_rng(3)
    ours = [repr(terms) for terms in draw_natively(windows, n)]
    reference = [repr(sorted(terms)) for terms in windows.sample_windows(n, rng)]
    assert len(set(ours)) > 5
    assert_same_distribution(np.array(ours), np.array(reference))


@pytest.mark.parametrize("name", ["series", "weights", "pairs", "three on a circle", "image"])
def test_linear_windows_are_drawn_over_the_cells(name):
    windows, p = CASES[name], n_cells(CASES[name])
    drawn = windows.draw(40, p, random_state=1).toarray()
    channels = np.split(np.eye(p), np.cumsum([np.prod(shape) for shape in windows.shapes])[:-1], 1)
    wraps = [axis.boundary == "wrap" for axis in windows._channels()[0]]
    for row, terms in zip(drawn, windows.draw_windows(40, random_state=1), strict=True):
        expected = np.zeros(p)
        for coefficient, window in terms:
            shape = np.atleast_1d(windows.shapes[window.channel])
            cells = channels[window.channel].reshape(p, *shape)
            expected += coefficient * window.values(cells, wraps)
        np.testing.assert_allclose(row, expected, atol=1e-6)
    by_reference = windows.sample(Node(p, 40), np.random.default_rng(0))
    assert by_reference.shape == (40, p)
    assert (np.diff(by_reference.indptr) > 0).all()


def test_windows_that_are_not_linear_are_not_drawn_over_the_cells():
    spread = Windows([6], 2, 3, statistics=("spread",))
    with pytest.raises(ValueError, match="spread of a window is no sum of its cells"):
        spread.draw(3, 6)
    with pytest.raises(ValueError, match="spreads and shifts are not; use sample_windows"):
        spread.sample(Node(6, 3), np.random.default_rng(0))
    with pytest.raises(ValueError, match="a window that is shifted is no sum of its cells"):
        Windows([6], shift=1, shift_probability=1).draw(3, 6)


WRONG = {
    "shapes must be a list": {"shapes": 4},
    "shapes must be a list of": {"shapes": []},
    "all of the same one to 3 axes": {"shapes": [(2, 2), 4]},
    "one to 3 axes": {"shapes": [(2, 2, 2, 1)]},
    "have 6 cells but X has 8 features": {"shapes": [6]},
    "min_size must be an integer >= 1": {"min_size": 0},
    r"min_size must be at most max_size \(2": {"min_size": 3, "max_size": 2},
    "max_size must be an integer >= 1 or None": {"max_size": 0},
    "max_size must be one value or one for each of the 1 axes": {"max_size": (1, 2)},
    "boundary must be one of": {"boundary": "subset"},
    "n_patches must be": {"n_patches": 0},
    "reach must be": {"reach": -1},
    "statistics must be one of": {"statistics": ("median",)},
    "statistics must be some of": {"statistics": ()},
    "each once": {"statistics": ("mean", "mean")},
    "shift must be an integer from 0 to 127": {"shift": 128},
    "shift_probability must be a number from 0 to 1": {"shift_probability": 1.5},
    "whole_probability must be a number from 0 to 1": {"whole_probability": -0.1},
    "weights must be None or 1 numbers": {"weights": (1, 2)},
    "one above 0": {"weights": (0,)},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_parameters_are_refused(message):
    X, y = np.zeros((10, 8)), np.arange(10) % 2
    windows = Windows(**({"shapes": [8]} | WRONG[message]))
    with pytest.raises(ValueError, match=message):
        ForestClassifier(2, projections=windows).fit(X, y)


def test_parameters_are_kept_by_clone_and_repr():
    windows = Windows([(4, 4)], max_size=2, statistics=("mean", "slope"))
    assert clone(windows, safe=False) == windows
    assert repr(windows) == "Windows(shapes=[(4, 4)], max_size=2, statistics=('mean', 'slope'))"
    assert windows.set_params(shift=1).shift == 1


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (Windows([20, 20]), r"channels of shapes \[\[20\], \[20\]\] with wrap=\(False,\)"),
        (Windows([40], boundary="wrap"), r"channels of shapes \[\[40\]\] with wrap=\(True,\)"),
        (Patches(40, 1, 40), r"shape \(40,\) with contiguous=\(True,\)"),
    ],
)
def test_a_mixture_needs_windows_on_the_same_channels(other, named):
    mixture = Mixture([(Windows([40]), 1.0), (AxisAligned(), 1.0), (other, 1.0)])
    with pytest.raises(ValueError, match=rf"same grid .* components\[2\] has {named}; give them"):
        mixture.validate(40)


def test_windows_of_a_mixture_may_differ_in_sizes_and_statistics():
    mixture = Mixture(
        [(Windows([8], 1, 5), 1.0), (Windows([8], 2, 3, statistics=("slope", "spread")), 1.0)]
    )
    mixture.validate(8)
    windows = mixture._to_native(8).columns.windows
    assert (windows.max_size, windows.statistics) == ([5], [0, 1, 2])


def test_memory_is_known_before_work():
    """16 bits up to windows of 257 cells, 32 above, more for several sums; float64 for floats."""
    plane = 29 * 29
    assert Windows([(28, 28)], max_size=16).bytes_per_sample() == _padded(2 * plane)
    assert Windows([(28, 28)], max_size=(16, 17)).bytes_per_sample() == _padded(4 * plane)
    spread = Windows([(28, 28)], max_size=4, statistics=("mean", "spread"))
    assert spread.bytes_per_sample() == _padded(4 * plane)  # 12 bits and 20
    assert spread.bytes_per_sample("float32") == _padded(16 * plane) + 4
    assert spread.set_params(max_size=(4, 5)).bytes_per_sample() == _padded(8 * plane)
    three = Windows([(28, 28)], max_size=16, statistics=("mean", "spread", "slope"))
    assert three.bytes_per_sample() == _padded(8 * plane)
    wholes = Windows([(28, 28)], max_size=16, whole_probability=0.5)
    assert wholes.bytes_per_sample() == _padded(4 * plane)
    assert three.set_params(max_size=28).bytes_per_sample() == _padded(24 * plane)


def test_memory_of_small_whole_numbers_and_of_series_is_known_before_work():
    """Sums and positions of 32 indicators fit into 16 bits; series have their sums twice."""
    windows = Windows([32, 32, 20], statistics=("mean", "spread", "slope"))
    floats = 2 * (_padded(24 * (33 + 33 + 21)) + 3 * 4)
    assert windows.bytes_per_sample("float32") == floats
    packed = 72 + 136 + 24 * 21  # rounded up to 8 bytes
    assert windows.bytes_per_sample("float32", [1, 5, None]) == 2 * (_padded(packed) + 4)


def _padded(n_bytes):
    """Samples begin at multiples of a cache line."""
    return -(-n_bytes // 64) * 64


def test_a_window_reads_as_words():
    assert Window(2, (1, 0), (3, 4)).describe() == "mean of channel 2 [1:3, 0:4]"
    shifted = Window(0, (1,), (3,), "mean", -2)
    assert shifted.describe("raw") == "smallest mean of raw [1:3] +-2"
