"""
A stream of a sensor, window by window
======================================

Accelerometers, machines and meters record without end. What goes on at a time is read off a window:
the stream is cut into windows, a forest learns those of some recordings, and then labels another
recording from its first second to its last.
"""

# %%
# Six people wear an accelerometer (three axes, 20 values a second) while they rest, walk and run
# in turn for two minutes. Each has their own pace and way of wearing the sensor.

import matplotlib.pyplot as plt
import numpy as np

RATE = 20
ACTIVITIES = ("rest", "walk", "run")
PACE, SWING = np.array([0.0, 1.8, 2.7]), np.array([0.0, 0.5, 0.8])


def record(rng):
    """The stream of one person, and what the person does at each moment."""
    doing = np.repeat(rng.integers(0, 3, 12), 10 * RATE)
    pace = PACE[doing] * rng.normal(1, 0.08)
    phase = 2 * np.pi * np.cumsum(pace) / RATE
    strength = SWING[doing] * rng.uniform(0.7, 1.3)
    swing = strength * np.stack([np.sin(phase), np.cos(phase), np.sin(2 * phase)])
    rotation = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return rotation @ swing + rng.normal(scale=0.3, size=(3, len(doing))), doing


rng = np.random.default_rng(0)
people = [record(rng) for _ in range(6)]

# %%
# Windows of three seconds, a new one each second. The label of a window is what is done in its
# middle:

from numpy.lib.stride_tricks import sliding_window_view

WIDTH = 3 * RATE


def cut(stream, doing):
    """Windows of a stream, and the activity in the middle of each."""
    windows = sliding_window_view(stream, WIDTH, axis=1)[:, ::RATE].swapaxes(0, 1)
    return windows, doing[WIDTH // 2 :: RATE][: len(windows)]


pieces = [cut(*person) for person in people]
X, y = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
person = np.repeat(np.arange(6), [len(labels) for _, labels in pieces])
print(X.shape)

# %%
# Windows of one person resemble each other, and overlap. Whole people are therefore held out, two
# at a time:

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GroupKFold, cross_val_score

from silvan import ManifoldForestClassifier

forest = ManifoldForestClassifier(30, contiguous=(False, True), random_state=0)
folds = {"groups": person, "cv": GroupKFold(3)}
plain = cross_val_score(
    RandomForestClassifier(30, random_state=0), X.reshape(len(X), -1), y, **folds
)
print(f"random forest    {plain.mean():.2f}")
print(f"manifold forest  {cross_val_score(forest, X, y, **folds).mean():.2f}")

# %%
# The last person, by a forest that was fitted on the other five:

forest.fit(X[person < 5], y[person < 5])
probability = forest.predict_proba(X[person == 5])
seconds = np.arange(len(probability)) + WIDTH / RATE / 2
figure, axes = plt.subplots(2, 1, figsize=(9, 4), sharex=True, layout="constrained")
stream, doing = people[5]
axes[0].plot(np.arange(stream.shape[1]) / RATE, stream.T, linewidth=0.4)
axes[0].set(ylabel="acceleration", title="the stream, and the probability of each activity")
axes[1].stackplot(seconds, probability.T, labels=ACTIVITIES, colors=("0.85", "#7fbf7b", "#1b7837"))
axes[1].set(xlabel="seconds", ylabel="probability", ylim=(0, 1), xlim=(0, 120))
figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right upper", frameon=False)

# %%
# Most errors lie at the changes, where a window holds two activities. :doc:`/guide/tuning` says
# more about samples that come in groups, :doc:`/guide/channels` what the forest looks at in a
# window.
