from __future__ import annotations

import json

from colbench_gym.types import Detail, Grade, Task, fingerprint

TASK = Task(
    id="t1",
    domain="backend",
    description="Add tax. def f(x)",
    reference="def f(x):\n    return x * 1.2",
    tests={"test1": "f(1)"},
    details=(Detail("rate", ("tax", "rate"), "The rate is 20%.", 0.2, 0.1),),
    source="here",
    family="tax",
)


def test_task_round_trip():
    assert Task.from_dict(json.loads(json.dumps(TASK.to_dict()))) == TASK


def test_fingerprint_sees_content_and_order_but_not_the_place():
    other = Task.from_dict({**TASK.to_dict(), "id": "t2"})
    moved = Task.from_dict({**TASK.to_dict(), "source": "there"})
    assert fingerprint([TASK]) == fingerprint([moved])
    assert fingerprint([TASK, other]) != fingerprint([other, TASK])
    assert len(fingerprint([TASK])) == 64


def test_public_details_hold_no_exception_text():
    grade = Grade(
        reward=0.5,
        success=False,
        profile="strict",
        tests_passed=1,
        tests_total=2,
        details={
            "tests": {"a": {"kind": "pass"}, "b": {"kind": "raised", "exception": "KeyError", "message": "'secret'"}},
            "note": "n",
        },
    )
    assert grade.public_details() == {
        "tests": {"a": {"kind": "pass"}, "b": {"kind": "raised", "exception": "KeyError"}},
        "note": "n",
    }
    assert json.loads(json.dumps(grade.to_dict()))["details"]["tests"]["b"]["message"] == "'secret'"
