from __future__ import annotations

import random

import numpy as np
import pytest

from evaluation.metrics.calibration import Bin, calibration_error, reliability, risk_coverage


def test_calibration_is_worked_by_hand() -> None:
    """Two answers at .9 of which one is right, two at .3 of which none is: (2 · |.5 - .9| + 2 · |0 - .3|) / 4 = .35."""
    confidences, rights = [0.9, 0.9, 0.3, 0.3], [True, False, False, False]

    assert reliability(confidences, rights) == [Bin(0.2, 0.3, 2, 0.3, 0.0), Bin(0.8, 0.9, 2, 0.9, 0.5)]
    assert calibration_error(confidences, rights) == pytest.approx(0.35)
    assert calibration_error([], []) == 0.0


def test_a_confidence_outside_0_and_1_is_a_fault() -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        calibration_error([1.1], [True])


def test_risk_falls_where_the_sure_ones_are_right() -> None:
    points = risk_coverage([0.9, 0.8, 0.8, 0.2], [True, False, True, False])

    assert points == [(0.25, 0.0), (0.75, pytest.approx(1 / 3)), (1.0, 0.5)]


def test_a_thousand_random_cases_agree_with_a_histogram() -> None:
    draw = np.random.default_rng(5)
    chance = random.Random(5)
    for _ in range(1000):
        count = chance.randint(1, 60)
        confidences = draw.random(count)
        rights = draw.random(count) < 0.5
        place = np.clip(np.ceil(confidences * 10).astype(int) - 1, 0, 9)
        sizes = np.bincount(place, minlength=10)
        gaps = np.abs(np.bincount(place, confidences, 10) - np.bincount(place, rights, 10))

        error = calibration_error(confidences.tolist(), rights.tolist())

        assert error == pytest.approx(gaps[sizes > 0].sum() / count, abs=1e-9)
