"""Forests of every kind on data of every kind; see fuzz_estimators for what is checked."""

import pytest
from faults.fuzz_estimators import check_case


@pytest.mark.parametrize("part", range(4))
def test_first_two_hundred_cases_hold(part, tmp_path):
    for seed in range(50 * part, 50 * (part + 1)):
        check_case(seed, tmp_path)


@pytest.mark.faults
@pytest.mark.parametrize("part", range(48))
def test_five_thousand_cases_hold(part, tmp_path):
    for seed in range(200 + 100 * part, 300 + 100 * part):
        check_case(seed, tmp_path)
