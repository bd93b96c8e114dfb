"""Which failures are worth another try."""

from __future__ import annotations

import pytest

from honeyguide.model import Failed, FailureReason


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_host_in_trouble_may_be_asked_again(status: int) -> None:
    assert Failed(FailureReason.HTTP_STATUS, "", status).is_temporary


@pytest.mark.parametrize("status", [304, 400, 401, 403, 404, 410, 451, 501, 505, 511])
def test_a_host_that_has_made_up_its_mind_is_not_asked_again(status: int) -> None:
    assert not Failed(FailureReason.HTTP_STATUS, "", status).is_temporary


@pytest.mark.parametrize("reason", [reason for reason in FailureReason if reason is not FailureReason.HTTP_STATUS])
def test_only_time_and_connection_heal_by_themselves(reason: FailureReason) -> None:
    is_temporary = reason in (FailureReason.TIMEOUT, FailureReason.CONNECTION)

    assert Failed(reason, "", 200).is_temporary is is_temporary
