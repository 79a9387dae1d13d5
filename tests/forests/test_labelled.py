"""Samples on a grid as scientists have them: xarray, epochs of MNE, series of unequal length."""

import re

import numpy as np
import pytest
import xarray
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import silvan
from silvan import BoostedManifoldForestClassifier, ManifoldForestClassifier
from silvan.export import to_dict, to_text
from silvan.inspection import importance_map, top_windows
from silvan.plotting import ContributionDisplay, ImportanceDisplay
from silvan.tuning import OutOfBagSearch

N, SENSORS, TIMES = 40, ["Fz", "Cz", "Pz"], np.arange(20) / 100
Y = np.arange(N) % 2
X = np.random.default_rng(0).normal(size=(N, 3, 20)).astype(np.float32)
X[Y == 1, 1, 5:12] += 2
OPTIONS = {"contiguous": (False, True), "random_state": 0, "n_estimators": 5}


class Epochs:
    """What MNE's epochs have."""

    ch_names, times = SENSORS, TIMES

    def get_data(self):
        return X.astype(np.float64)


LABELLED = {
    "xarray": xarray.DataArray(
        X, dims=("trial", "channel", "time"), coords={"channel": SENSORS, "time": TIMES}
    ),
    "epochs": Epochs(),
}


@pytest.fixture(scope="module")
def plain():
    return ManifoldForestClassifier(**OPTIONS).fit(X, Y)


@pytest.mark.parametrize("kind", LABELLED)
def test_labelled_samples_give_the_forest_of_their_values(kind, plain, tmp_path):
    forest = ManifoldForestClassifier(**OPTIONS).fit(LABELLED[kind], Y)
    expected = plain.predict_proba(X)
    assert np.array_equal(forest.predict_proba(LABELLED[kind]), expected)
    assert np.array_equal(forest.predict_proba(X), expected)
    assert forest.axes_.names == ("channel", "time")
    assert forest.axes_.coords[0].tolist() == SENSORS
    forest.save(tmp_path / "forest")
    again = silvan.load(tmp_path / "forest").axes_
    assert again.names == forest.axes_.names
    assert np.array_equal(again.coords[1], TIMES)
    assert plain.axes_ is None


def test_maps_can_be_labelled_like_the_samples():
    forest = ManifoldForestClassifier(**OPTIONS).fit(LABELLED["xarray"], Y)
    labelled = forest.axes_.label(importance_map(forest))
    assert labelled.sel(channel="Cz").sum() > labelled.sel(channel="Fz").sum()
    assert labelled.dims == ("channel", "time")


def test_plots_have_names_and_coordinates_of_axes():
    forest = ManifoldForestClassifier(**OPTIONS).fit(LABELLED["epochs"], Y)
    axis = ImportanceDisplay.from_estimator(forest, LABELLED["epochs"]).ax_
    assert axis.get_xlabel() == "time"
    assert [text.get_text() for text in axis.get_legend().get_texts()] == SENSORS
    assert axis.lines[0].get_xdata()[-1] == TIMES[-1]
    shown = ContributionDisplay.from_estimator(forest, X[:2]).axes_[0]
    assert shown.get_xlabel() == "time"
    named = ImportanceDisplay.from_estimator(
        forest, axis_names=("sensor", "step"), coords=(None, None)
    ).ax_
    assert named.get_xlabel() == "step"
    assert named.get_legend().get_texts()[0].get_text() == "sensor 0"


def test_images_have_ticks_where_axes_have_coordinates():
    display = ImportanceDisplay.from_importances(
        np.eye(8), axis_names=("depth", "width"), coords=(np.arange(8) * 0.5, None)
    )
    assert display.ax_.get_ylabel() == "depth"
    assert display.ax_.get_yticklabels()[-1].get_text() == "3.5"
    assert len(display.ax_.get_xticks()) == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"axis_names": ("time",)}, "axis_names must be None or one entry for each of the 2 axes"),
        ({"coords": (None, np.arange(3))}, "coords of axis 1 must have 20 entries"),
    ],
)
def test_labels_that_do_not_fit_are_refused(plain, wrong, message):
    with pytest.raises(ValueError, match=message):
        ImportanceDisplay.from_estimator(plain, **wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda D: D[:, ::-1], "place 0 is 'Pz' and was 'Fz'; put them in the same order"),
        (
            lambda D: D.isel(time=slice(3)).transpose("trial", "time", "channel"),
            "must have the axes .'channel', 'time'. that it had in fit",
        ),
    ],
    ids=["order", "transposed"],
)
def test_other_axes_than_those_of_fit_are_refused(change, message):
    square = LABELLED["xarray"].isel(time=slice(3))
    grown = ManifoldForestClassifier(2, channels="raw", random_state=0).fit(square, Y)
    with pytest.raises(ValueError, match=message):
        grown.predict(change(square))
    later = square.assign_coords(time=[7.0, 8.0, 9.0])
    unnamed = xarray.DataArray(square.to_numpy())
    for same in (later, unnamed):
        assert np.array_equal(grown.predict_proba(same), grown.predict_proba(square))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda x: np.ma.masked_greater(x, 1), "must not have masked entries"),
        (lambda x: x * 1e300, "contains infinity or a value too large"),
        (lambda x: np.append(x, np.inf), "contains infinity or a value too large"),
        (lambda x: x * 1j, "must hold numbers, but the dtype of one is complex"),
        (lambda x: x.astype("M8[D]"), "must hold numbers, but the dtype of one is datetime64"),
        (lambda x: x.astype(str), "must hold numbers, but the dtype of one is <U"),
    ],
    ids=["masked", "large", "infinite", "complex", "dates", "text"],
)
@pytest.mark.parametrize("lengths", [[20, 18], [20, 20]], ids=["unequal", "equal"])
def test_series_of_odd_values_are_refused(spoil, message, lengths):
    series = [spoil(x[0, :length].astype(np.float64)) for x in X for length in lengths]
    with pytest.raises(ValueError, match=message):
        ManifoldForestClassifier(2).fit(series, np.repeat(Y, 2))


def test_unequal_series_may_be_lists_or_an_array_of_objects():
    series = [x[0, : 20 - k % 4] for k, x in enumerate(X)]
    grown = ManifoldForestClassifier(2, channels="raw", random_state=0).fit(series, Y)
    objects = np.empty(N, dtype=object)
    objects[:] = series
    for same in ([x.tolist() for x in series], objects):
        assert np.array_equal(grown.predict_proba(same), grown.predict_proba(series))


def test_series_of_unequal_length_end_in_missing_values():
    series = [x[:, : 20 - k % 4] for k, x in enumerate(X)]
    filled = np.where(np.arange(20) < 20 - np.arange(N)[:, None, None] % 4, X, np.nan)
    forest = ManifoldForestClassifier(**OPTIONS).fit(series, Y)
    same = ManifoldForestClassifier(**OPTIONS).fit(filled, Y)
    assert np.array_equal(forest.predict_proba(series), same.predict_proba(filled))
    short = [x[:, :10] for x in X[:5]]
    assert forest.predict(short).shape == (5,)
    with pytest.raises(ValueError, match="a series of length 25, but those of fit had up to 20"):
        forest.predict([np.zeros((3, 25)), np.zeros((3, 20))])
    with pytest.raises(ValueError, match="must have the same channels, but their shapes are"):
        ManifoldForestClassifier(2).fit([np.zeros((3, 20)), np.zeros((2, 20))], [0, 1])


def test_boosted_forests_and_pipelines_take_three_dimensions(plain):
    boosted = BoostedManifoldForestClassifier(3, contiguous=(False, True), random_state=0)
    assert boosted.fit(LABELLED["xarray"], Y).axes_.names == ("channel", "time")
    pipeline = make_pipeline(
        FunctionTransformer(lambda X: X - X.mean(axis=-1, keepdims=True)),
        ManifoldForestClassifier(**OPTIONS),
    )
    assert pipeline.fit(X, Y).score(X, Y) > 0.9


def test_windows_are_named_by_sensors():
    forest = ManifoldForestClassifier(**OPTIONS).fit(LABELLED["xarray"], Y)
    best = top_windows(forest, 1)
    assert re.search(r" of Cz \[\d+:\d+\]$", best.formulas()[0])
    assert "value of Pz" in importance_map(forest, by_channel=True)
    assert "value of Pz" in to_dict(forest)["channels"]
    assert " of Cz [" in to_text(forest)
    numbered = LABELLED["xarray"].assign_coords(channel=[1.5, 2.5, 4.0])
    forest = ManifoldForestClassifier(**OPTIONS).fit(numbered, Y)
    assert "value of channel 2.5" in importance_map(forest, by_channel=True)


def test_several_axes_without_order_keep_the_numbers_of_planes():
    cube = xarray.DataArray(X.reshape(N, 3, 2, 10), dims=("trial", "a", "b", "time"))
    labelled = cube.assign_coords(a=SENSORS, b=["left", "right"])
    forest = ManifoldForestClassifier(**OPTIONS | {"contiguous": (False, False, True)})
    assert "value of plane 5" in importance_map(forest.fit(labelled, Y), by_channel=True)


@pytest.fixture(scope="module")
def epochs():
    mne = pytest.importorskip("mne")
    info = mne.create_info(SENSORS, 100.0, "eeg")
    return mne.EpochsArray(X.astype(np.float64), info, tmin=-0.05, verbose="error")


def test_epochs_of_mne(epochs):
    forest = ManifoldForestClassifier(**OPTIONS).fit(epochs, Y)
    assert forest.axes_.names == ("channel", "time")
    assert forest.axes_.coords[0].tolist() == SENSORS
    assert forest.axes_.coords[1][0] == -0.05
    assert forest.predict(epochs).shape == (N,)
    with pytest.raises(ValueError, match="place 0 is 'Pz' and was 'Fz'"):
        forest.predict(epochs.copy().reorder_channels(SENSORS[::-1]))


def test_epochs_are_cross_validated(epochs):
    scores = cross_val_score(ManifoldForestClassifier(**OPTIONS), epochs, Y, cv=4)
    values = epochs.get_data()
    expected = cross_val_score(ManifoldForestClassifier(**OPTIONS), values, Y, cv=4)
    np.testing.assert_array_equal(scores, expected)
    search = OutOfBagSearch(
        ManifoldForestClassifier(**OPTIONS | {"n_estimators": 30}), {"max_size": [(1, 3), (2, 9)]}
    ).fit(epochs, Y)
    assert search.best_estimator_.axes_.names == ("channel", "time")


def test_spectra_of_epochs_have_frequencies(epochs):
    spectra = epochs.compute_psd(fmax=40, verbose="error")
    forest = ManifoldForestClassifier(**OPTIONS).fit(spectra, Y)
    assert forest.axes_.names == ("channel", "frequency")
    assert np.array_equal(forest.axes_.coords[1], spectra.freqs)
    both = epochs.compute_tfr(
        "morlet", np.array([20.0, 30.0]), n_cycles=1, decim=2, average=False, verbose="error"
    )
    options = OPTIONS | {"contiguous": (False, True, True), "channels": "raw"}
    forest = ManifoldForestClassifier(**options).fit(both, Y)
    assert forest.axes_.names == ("channel", "frequency", "time")


def test_a_single_recording_is_refused(epochs):
    for single in (epochs.average(), epochs.get_data(copy=True)[0]):
        message = "cut it into epochs" if hasattr(single, "ch_names") else "inconsistent numbers"
        with pytest.raises(ValueError, match=message):
            ManifoldForestClassifier(2).fit(single, Y)


def test_collections_of_aeon():
    aeon = pytest.importorskip("aeon.testing.data_generation")
    equal, y = aeon.make_example_3d_numpy(n_cases=12, n_channels=2, n_timepoints=15, random_state=0)
    unequal, z = aeon.make_example_3d_numpy_list(
        n_cases=12, n_channels=2, min_n_timepoints=10, max_n_timepoints=15, random_state=0
    )
    for samples, labels in ((equal, y), (unequal, z)):
        forest = ManifoldForestClassifier(**OPTIONS).fit(samples, labels)
        assert forest.predict(samples).shape == (12,)


class ManyEpochs:
    """Epochs with more sensors than a single True takes for planes."""

    ch_names, times = [f"E{k}" for k in range(6)], TIMES

    def get_data(self):
        return np.tile(X, (1, 2, 1)).astype(np.float64)


def test_axes_called_channel_or_sensor_have_no_order():
    values = ManyEpochs().get_data()
    expected = ManifoldForestClassifier(**OPTIONS).fit(values, Y).predict_proba(values)
    options = {**OPTIONS, "contiguous": True}
    labelled = [
        ManyEpochs(),
        xarray.DataArray(values, dims=("trial", "Sensors", "time")),
        xarray.DataArray(values, dims=("trial", "electrode", "time")),
    ]
    for samples in labelled:
        forest = ManifoldForestClassifier(**options).fit(samples, Y)
        assert forest.channels_.planes.n_planes == 6
        assert np.array_equal(forest.predict_proba(values), expected)
    images = xarray.DataArray(values, dims=("trial", "height", "width"))
    forest = ManifoldForestClassifier(**{**options, "contiguous": (True, True)}).fit(images, Y)
    assert forest.channels_.planes.n_planes == 1
    only = xarray.DataArray(values[:, 0], dims=("trial", "channel"))
    assert ManifoldForestClassifier(**options).fit(only, Y).channels_.planes.n_planes == 1


@pytest.mark.parametrize(
    ("shape", "remedy"), [((6, 40), "(False, True)"), ((40, 6), "(True, False)")]
)
def test_recordings_that_are_taken_for_images_give_a_warning(shape, remedy):
    samples = np.random.default_rng(0).normal(size=(20, *shape))
    labels = np.arange(20) % 2
    message = (
        f"samples of shape {shape} are taken for images; if they are recordings of 6 sensors, "
        f"pass contiguous={remedy}, and (True, True) if they are images."
    )
    forest = ManifoldForestClassifier(2)
    with pytest.warns(UserWarning, match=re.escape(message)):
        forest.fit(samples, labels)
    with pytest.warns(UserWarning, match="are taken for images"):
        clone(forest).set_params(shape=shape).fit(samples.reshape(20, -1), labels)
    forest.set_params(contiguous=(True, True)).fit(samples, labels)
    forest.set_params(contiguous=True).fit(np.abs(100 * samples).astype(np.uint8), labels)
    forest.set_params(channels="raw").fit(samples, labels)
    forest.set_params(channels="auto").fit(samples.reshape(20, 15, 16), labels)
