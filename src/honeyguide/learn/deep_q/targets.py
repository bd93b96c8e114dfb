"""What a link should have been worth: the targets of Q-learning and its variants, as functions of plain numbers.

    ordinary         r + γ max_a' Q'(s', a')                                   Mnih et al. (2015), Pertejo (2021) 2.6.1
    double           r + γ Q'(s', argmax_a' Q(s', a'))                         van Hasselt et al. (2015)
    clipped double   r + γ min_i Q'_i(s', argmax_a' Q_1(s', a'))               Fujimoto et al. (2018), equation 10

Q is the network that learns, Q' its slowly following copy; the clipped form has two of each. (Pertejo's text, 2.6.2,
has Q and Q' the other way round; the library he ran, keras-rl, has them as here.) Of equal values the first counts.

Dueling (Wang et al. 2015, equations 8 and 9) is a form of Q rather than of its target:

    Q(s, a) = V(s) + A(s, a) - mean_a' A(s, a')        or        V(s) + A(s, a) - max_a' A(s, a')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from honeyguide.learn.deep_q.rules import Dueling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.floating]


def ordinary(target: Values) -> float:
    """The value of what follows, from the values of the next links by the target network."""
    return float(target.max())


def double(online: Values, target: Values) -> float:
    """The same, where the learning network chooses the link and the target network says what it is worth."""
    return float(target[online.argmax()])


def clipped_double(online: Values, target: Values, other_target: Values) -> float:
    """The same, with the lower of what two target networks say."""
    chosen = online.argmax()
    return float(min(target[chosen], other_target[chosen]))


def bootstrapped(reward: float, following: float | None, discount: float) -> float:
    """What a link should have been worth; `following` is None where nothing follows."""
    return reward if following is None else reward + discount * following


def baseline(advantages: Values, dueling: Dueling) -> float:
    """What is taken off an advantage, from the advantages of all links in the same state."""
    match dueling:
        case Dueling.NONE:
            return 0.0
        case Dueling.MEAN:
            return float(advantages.mean())
        case Dueling.MAX:
            return float(advantages.max())
        case _:
            assert_never(dueling)
