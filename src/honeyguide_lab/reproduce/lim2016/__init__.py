"""Lim (2016), reproduced: queue and stack, the policy that never parses, keywords near search words.

`published` has his figures. `exploration` crawls with each search that he discusses and sets the sizes beside his;
`policy_section` solves his decision process; `similarity` reads the first pages of those crawls for keywords.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from honeyguide.learn.parse_or_skip_model import DISCOUNT, PARSE, PENALTY, SKIP, STATES, published_policies, solve
from honeyguide_lab.reproduce.lim2016.exploration import exploration_section, explorations
from honeyguide_lab.reproduce.lim2016.published import SOURCE, TITLE
from honeyguide_lab.reproduce.lim2016.similarity import similarity_section
from honeyguide_lab.reproduce.study import Paper, Report, Reproduction, Section, Table

if TYPE_CHECKING:
    from honeyguide_lab.reproduce.study import Study

__all__ = ["LIM2016"]

_NO_WIKI: Final = (
    "No wiki is among the worlds: there are no figures on a dump of Wikipedia, a world of one host, and no keywords of "
    "its articles. Name one with `--world wiki:PATH` (see `honeyguide wiki build`)."
)

_WORDS: Final = {False: "skip", True: "parse"}
_POLICY: Final = (
    "Four features of a link make sixteen states; policy iteration finds what to do in each. Lim's policy skips in "
    "every state, and neither a penalty for skipping nor a discount of 1 changes that. He prints no transition "
    "probabilities; ours are reasoned from his definitions and a few stated assumptions; the discount and "
    "the penalty are ours too."
)


def policy_section(seed: int) -> tuple[Section, dict[str, Any]]:
    """The section, and the policies as JSON files by name, in the shape that Lim's program prints."""
    policies = published_policies(seed=seed)
    worth = solve(seed=seed).action_values
    margins = worth[:, SKIP] - worth[:, PARSE]
    table = Table(
        "policy",
        "What to do with a link",
        (
            "host mostly skipped", "previous host relevant", "current host relevant", "URL relevant", "published",
            f"ours, discount {DISCOUNT:g}", f"ours, penalty {PENALTY:g} for skipping", "ours, discount 1",
            "skipping worth more by",
        ),
        tuple(
            (
                *map(str, state),
                "skip",  # as published, in every state
                *(_WORDS[policy[state]] for policy in policies.values()),
                round(float(margins[state.number]), 6),
            )
            for state in STATES
        ),
        note=f"*Skipping worth more by*: the difference of the two actions' values at a discount of {DISCOUNT:g}, "
        "where the reward is the number of true features. The published column holds for all three settings.",
    )  # fmt: skip
    parsed = {name: sum(policy.values()) for name, policy in policies.items()}
    outcome = "; ".join(f"{name}: {_counted(states)}" for name, states in parsed.items())
    document = {name: {str(state): parses for state, parses in policy.items()} for name, policy in policies.items()}
    section = Section("The policy (7.3.2)", (_POLICY, f"States parsed by ours: {outcome}."), (table,))
    return section, {"policy": document}


def _counted(states: int) -> str:
    return f"{states} of {len(STATES)}" if states else "none"


def _begin(study: Study) -> Reproduction:
    explored = explorations(study)

    def report() -> Report:
        policy, policies = policy_section(study.seed)
        similarity, similarities = similarity_section(explored)
        sections = (exploration_section(explored), policy, similarity)
        return Report(TITLE, SOURCE, sections, () if study.has_wiki else (_NO_WIKI,), policies | similarities)

    return Reproduction(tuple(crawl for each in explored for crawl in each.crawl_by_strategy.values()), report)


LIM2016: Final = Paper(
    name="lim2016",
    title=TITLE,
    own_world="synthetic:seed=1,pages=200000,hosts=2000,mean_links=100",
    quick_world="synthetic:seed=1,pages=2000,hosts=60",
    begin=_begin,
)
