from __future__ import annotations

import pickle

from colbench_gym.errors import AgentError, ColbenchError, IsolationUnavailable, MissingExtra, SimulatorError


def test_boundaries():
    assert AgentError.boundary == "agent"
    assert SimulatorError.boundary == "simulator"
    assert IsolationUnavailable.boundary == "infrastructure"


def test_missing_extra_names_the_mend_and_survives_pickle():
    error = pickle.loads(pickle.dumps(MissingExtra("hub", "Downloading x")))
    assert isinstance(error, ColbenchError)
    assert str(error).endswith("pip install 'colbench-gym[hub]'")
    assert (error.extra, error.what) == ("hub", "Downloading x")
