from __future__ import annotations

import pytest

from colbench_gym.evaluation import summarize, wilson

BACKEND_GRADE = {"tests_total": 10, "similarity": None}


def episode(success: bool | None, passed: int = 0, turns: int = 2, boundary: str = "simulator") -> dict:
    failed = success is None
    return {
        "status": "failed" if failed else "ok",
        "error": {"boundary": boundary} if failed else None,
        "grade": None if failed else BACKEND_GRADE | {"success": success, "tests_passed": passed},
        "messages": [{"role": "assistant"}] * turns + [{"role": "user"}],
        "usage": {"agent": {"prompt_tokens": 5, "completion_tokens": 1}},
        "timings": {"total_s": 0.5},
    }


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 10, 0.4901625, 0.9433178), (0, 10, 0.0, 0.2775328), (10, 10, 0.7224672, 1.0)],
)
def test_wilson_against_published_values(successes: int, trials: int, low: float, high: float):
    assert wilson(successes, trials) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize(("successes", "trials"), [(404, 1000), (1, 3), (199, 200)])
def test_wilson_inverts_the_score_test(successes: int, trials: int):
    """Its bounds are the shares p at which the observed one lies exactly 1.96 standard errors *of p* away."""
    for bound in wilson(successes, trials) or ():
        distance = abs(successes / trials - bound) / (bound * (1 - bound) / trials) ** 0.5
        assert distance == pytest.approx(1.959964, abs=1e-5)


def test_wilson_of_nothing():
    assert wilson(0, 0) is None


def test_summary():
    summary = summarize(
        [episode(True, 10, turns=3), episode(False, 4, turns=1), episode(None), episode(None, boundary="agent")]
    )
    assert (summary["episodes"], summary["graded"]) == (4, 2)
    assert summary["failed"] == {"simulator": 1, "agent": 1}
    assert summary["failed_share"] == 0.5
    assert summary["success_rate"] == 0.5, "failed episodes are no zeros"
    assert summary["tests_passed"] == pytest.approx(0.7)
    assert summary["turns"] == 2
    assert summary["usage"] == {"agent": {"prompt_tokens": 20, "completion_tokens": 4}}
    assert summary["seconds_per_episode"] == pytest.approx(0.5)


def test_nothing_and_only_failures():
    for episodes in ([], [episode(None)]):
        summary = summarize(episodes)
        assert summary["success_rate"] is None
        assert summary["success_interval"] is None
        assert summary["graded"] == 0


def test_similarities():
    graded = [episode(False), episode(False), episode(True)]
    for record, similarity in zip(graded, (0.4, 0.7, 1.0), strict=True):
        record["grade"] = {
            "success": similarity == 1,
            "tests_total": None,
            "tests_passed": None,
            "similarity": similarity,
        }
    summary = summarize([*graded, episode(None)])
    assert summary["similarity"] == pytest.approx(0.7), "failed episodes are no zeros"
    # Three values with standard deviation 0.3: the mean plus and minus 1.96 * 0.3 / sqrt(3).
    assert summary["similarity_interval"] == pytest.approx([0.36052, 1.03948], abs=1e-5)
    assert summary["tests_passed"] is None
    assert summarize(graded[:1])["similarity_interval"] is None
    assert summarize([])["similarity"] is None
