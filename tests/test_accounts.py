"""What an episode uses up, and what a run may."""

from __future__ import annotations

import threading
import time

import pytest

from colbench_gym.accounts import Account, BudgetSpent, GivenUp, Price, Purse, charged_to, current_account
from colbench_gym.errors import ConfigError


def test_charges_go_to_the_party_at_work_and_to_the_purse():
    purse = Purse(prices={"agent": Price(1.0, 10.0), "user": Price(2.0, 0.0)})
    account = Account(purse)
    account.charge(requests=1, prompt_tokens=1_000_000, completion_tokens=100_000)
    account.party = "user"
    account.charge(requests=2, prompt_tokens=500_000)
    assert account.usage == {
        "agent": {"requests": 1, "prompt_tokens": 1_000_000, "completion_tokens": 100_000},
        "user": {"requests": 2, "prompt_tokens": 500_000, "completion_tokens": 0},
    }
    assert purse.used == account.usage
    assert not purse.is_limited
    assert Purse(max_cost=3.0, prices=purse.prices).exceeded({"requests": 3, "tokens": 0, "cost": 3.01}, 1)


@pytest.mark.parametrize(("limit", "amount"), [("max_requests", 3), ("max_tokens", 40), ("max_cost", 40e-6)])
def test_nothing_is_asked_once_a_limit_is_reached(limit, amount):
    purse = Purse(**{limit: amount}, prices={"agent": Price(1.0, 1.0)})
    account = Account(purse)
    for _ in range(3):
        account.before_request()
        account.charge(requests=1, prompt_tokens=10, completion_tokens=4)
    with pytest.raises(BudgetSpent, match=rf"{limit} = .* used\)\. Mend: raise that limit"):
        account.before_request()


def test_what_is_foreseen_may_meet_a_limit_but_not_exceed_it():
    purse = Purse(max_tokens=100)
    purse.charge("agent", {"requests": 1, "prompt_tokens": 40, "completion_tokens": 0})
    mean = {"requests": 1.0, "tokens": 20.0, "cost": 0.0}
    assert purse.exceeded(mean, 3) is None
    assert purse.exceeded(mean, 4) == "max_tokens = 100 (40 used)"


def test_the_account_of_the_context():
    account = Account()
    stray = current_account()
    assert stray is not account
    with charged_to(account):
        assert current_account() is account
        found: list[Account] = []
        thread = threading.Thread(target=lambda: found.append(current_account()))
        thread.start()
        thread.join()
        assert found[0] is not account, "a thread has a context of its own"
    assert current_account() is not account


def test_waits_do_not_count():
    account = Account()
    with account.waiting():
        with account.waiting():
            time.sleep(0.05)
        time.sleep(0.05)
        waiting = account.seconds
    assert account.seconds < 0.05
    assert waiting < 0.05
    time.sleep(0.05)
    assert account.seconds >= 0.05
    account.begin_turn()
    assert account.turn_seconds < 0.05 <= account.seconds


def test_giving_up_reaches_those_who_listen_and_those_who_come_late():
    account = Account()
    heard: list[str] = []
    with account.on_given_up(lambda: heard.append("first")):
        account.give_up()
    with account.on_given_up(lambda: heard.append("late")):
        pass
    assert heard == ["first", "late"]
    with pytest.raises(GivenUp):
        account.before_request()


def test_bad_limits_and_prices():
    assert Price.parse("0.15/0.60") == Price(0.15, 0.6)
    for text in ("", "1", "1/2/3", "a/b", "-1/2", "nan/1"):
        with pytest.raises(ConfigError, match="is no price"):
            Price.parse(text)
    with pytest.raises(ConfigError, match="what tokens cost"):
        Purse(max_cost=1.0)
    with pytest.raises(ConfigError, match="max_tokens=-1"):
        Purse(max_tokens=-1)
