"""
Text, without making it dense
=============================

A table of word counts has a column for every word and is almost empty. Forests read such sparse
matrices as they are: memory and time grow with the values that are not zero, and the forest is that
of the dense table, bit for bit.
"""

# %%
# 3,000 short reports about three subjects, made of 30,000 words. A tenth of the words of a report
# belong to its subject, the others are any words, frequent ones more often than rare ones.

import numpy as np

SUBJECTS = {
    "weather": ["rain", "storm", "wind", "cloud", "thunder", "frost", "fog", "hail", "drizzle"],
    "sport": ["goal", "match", "referee", "league", "striker", "penalty", "coach", "medal"],
    "music": ["melody", "violin", "chorus", "rhythm", "guitar", "concert", "opera", "sonata"],
}
rng = np.random.default_rng(0)
frequency = 1 / (np.arange(30_000) + 50)
y = rng.choice(list(SUBJECTS), size=3000)
reports = []
for subject in y:
    n_words = rng.integers(20, 60)
    common = rng.choice(30_000, size=n_words, p=frequency / frequency.sum())
    own = rng.choice(SUBJECTS[subject], size=rng.binomial(n_words, 0.1))
    reports.append(" ".join([*(f"word{k}" for k in common), *own]))

# %%
# ``TfidfVectorizer`` makes a sparse matrix of them, and a pipeline needs no step in between:

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from silvan import ForestClassifier

train, test, y_train, y_test = train_test_split(reports, y, random_state=0)
model = make_pipeline(
    TfidfVectorizer(), ForestClassifier(100, max_features="sqrt", oob_score=True, random_state=0)
)
model.fit(train, y_train)
X = model[0].transform(train)
print(f"{X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / np.prod(X.shape):.2%} of the values not zero")
print(f"out of bag {model[-1].oob_score_:.3f}, new reports {model.score(test, y_test):.3f}")

# %%
# The importances are those of words, and the vectorizer knows their names. Of the twenty most
# important, how many are about a subject?

import matplotlib.pyplot as plt

names = model[0].get_feature_names_out()
importances = model[-1].feature_importances_
best = np.argsort(-importances)[:20]
colours = dict(zip(SUBJECTS, ("#2166ac", "#1b7837", "#e08214"), strict=True))
subject_of = {word: subject for subject, words in SUBJECTS.items() for word in words}
print(sum(name in subject_of for name in names[best]), "of 20")

figure, axis = plt.subplots(figsize=(7, 4.4), layout="constrained")
axis.barh(
    names[best],
    100 * importances[best],
    color=[colours.get(subject_of.get(name), "0.6") for name in names[best]],
)
axis.invert_yaxis()
axis.set(xlabel="share of the importance, %", xlim=(0, None))
axis.spines[["top", "right"]].set_visible(False)
for subject, colour in colours.items():
    axis.barh(names[best[0]], 0, color=colour, label=subject)
axis.legend(frameon=False, loc="lower right")

# %%
# :doc:`/results/sparse` has time and memory on a table of 20,000 x 100,000 beside scikit-learn's
# forest, :doc:`/guide/random_forest` what else carries over from it.
