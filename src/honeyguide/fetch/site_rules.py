"""The rules in a site's files as they apply to us: robots.txt, and where they are asked for tdmrep.json and ai.txt.

The parser copies every rule of a group for every agent of it: 124 KB with 4,500 of each take it over a minute and
1.6 GB. So a file is cut down to the rules that concern us before it is parsed, in time that grows with its length.

`/.well-known/tdmrep.json` is the list of W3C's TDM Reservation Protocol: entries with a `location`, a path written as
in robots.txt, `tdm-reservation` 1 or 0, and maybe a `tdm-policy`. Where one is written otherwise and its meaning is
plain, as by "1" or true, it counts. `/ai.txt`, by which a site closes itself to the training of models, is written as a
robots.txt is. In all three the longest pattern that fits a path counts.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from protego import Protego

from honeyguide.errors import InvalidUrl
from honeyguide.model import NO_DIRECTIVES, Directives, Failed, FailureReason, RefusalReason, Refused, Url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.model import SiteFile

logger = logging.getLogger(__name__)

FRESH_S: Final = 24 * 3600.0
"""How long an answer about robots.txt is believed."""
MAX_BYTES: Final = 500 * 1024
MAX_RULES: Final = 5_000
"""Lines of rules for us that count, the first; every URL is compared with all of them."""
MAX_WILDCARDS: Final = 500
"""Wildcards in rules that count, but for those at an end; of further ones, the rule does not. Each is looked for in
every URL, at up to 10 µs."""
MAX_POLICIES: Final = 10
"""Different policies of one tdmrep.json that are told apart, the first."""
TDMREP: Final = "/.well-known/tdmrep.json"
AI_TXT: Final = "/ai.txt"
LLMS_TXT: Final = "/llms.txt"
RESERVING: Final = (TDMREP, AI_TXT)
PATHS: Final = {"tdmrep.json": TDMREP, "ai.txt": AI_TXT, "llms.txt": LLMS_TXT}

_RESERVATIONS: Final = {"1": True, "true": True, "0": False, "false": False}
_PRODUCT = re.compile(r"(?:.*\bcompatible;)?\s*([^\s/;()]*)", re.IGNORECASE)
# Lines as the parser reads them: some have no colon.
_AGENT_LINE = re.compile(r"(?:user[- ]?agent\s*:|user(?:-|\s+)?agent(?:\s|$))\s*(.*)", re.IGNORECASE)
_SITE_LINE = re.compile(r"(?:site-?maps?|host)(?:\s*:|\s)", re.IGNORECASE)
_RULE_LINE = re.compile(
    r"(?:allow|diss?all?[ao]w|diasllow|crawl[- ]delay|request[- ]rate|visit[- ]time)(?:\s*:|\s)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class OriginRules:
    """The rules of one origin as they apply to us. Without a file everything is allowed."""

    kept: SiteFile
    product: str  # the name by which the file addresses us
    others: tuple[SiteFile, ...] = ()  # files besides robots.txt
    is_strict: bool = False  # whether nothing may be asked for that these reserve
    file: Protego | None = field(init=False)
    reserving: tuple[tuple[str, Protego], ...] = field(init=False)  # paths of files, and the rules in them
    policies: tuple[tuple[str, Protego], ...] = field(init=False)  # each disallows the pages that it is about

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", _rules_in(self.kept, self.product))
        found = [(file.path, _rules_in(file, self.product)) for file in self.others if file.path in RESERVING]
        object.__setattr__(self, "reserving", tuple((path, rules) for path, rules in found if rules is not None))
        policies = (each for file in self.others if file.path == TDMREP for each in _policies_in(file))
        object.__setattr__(self, "policies", tuple(policies))

    @property
    def files(self) -> tuple[SiteFile, ...]:
        return self.kept, *self.others

    @property
    def closing(self) -> SiteFile | None:
        """The file that could not be had, for which reason nothing may be asked for."""
        counted = (file for file in self.others if self.is_strict and file.path in RESERVING)
        return next((file for file in (self.kept, *counted) if file.closed_by is not None), None)

    def refusal_of(self, url: Url) -> Refused | Failed | None:
        """Return the outcome of a URL that may not be asked for; None where it may be."""
        closing = self.closing
        if closing is not None:
            match closing.closed_by:
                case RefusalReason() as reason:
                    return Refused(reason, closing.detail)
                case FailureReason() as reason:
                    return Failed(reason, closing.detail)
        if self.file is not None and not self.file.can_fetch(url.text, self.product):
            return Refused(RefusalReason.ROBOTS, f"{url.origin}/robots.txt disallows {url.path_and_query}")
        for path in self._reserved_by(url) if self.is_strict else ():
            return Refused(RefusalReason.RESERVED, f"{url.origin}{path} reserves {url.path_and_query}")
        return None

    def directives_of(self, url: Url) -> Directives:
        """Return what files besides robots.txt say of a page."""
        paths = tuple(self._reserved_by(url))
        if not paths:
            return NO_DIRECTIVES
        about = (policy for policy, rules in self.policies if not rules.can_fetch(url.text, self.product))
        return Directives(noai=AI_TXT in paths, tdm=TDMREP in paths, tdm_policy=next(about, ""))

    def _reserved_by(self, url: Url) -> Iterator[str]:
        """Yield the paths of the files that reserve a page."""
        return (path for path, rules in self.reserving if not rules.can_fetch(url.text, self.product))

    @property
    def delay_s(self) -> float:
        """The pause between two requests that this origin asks for; 0 when it asks for none."""
        if self.file is None:
            return 0.0
        rate = self.file.request_rate(self.product)
        by_rate = rate.seconds / rate.requests if rate is not None and rate.requests > 0 else 0.0
        return max(self.file.crawl_delay(self.product) or 0.0, by_rate)

    @property
    def size_bytes(self) -> int:
        return sum(len(file.body or b"") for file in self.files)

    def are_fresh(self, now: float) -> bool:
        """Whether none of the files is to be asked for again."""
        return all(is_fresh(file, now) for file in self.files)


def is_fresh(file: SiteFile, now: float) -> bool:
    """Whether a file need not be asked for again."""
    # What is to expire later than anything does was kept before the machine's clock was set back.
    return 0 < file.expires - now <= FRESH_S


def problem_in(file: SiteFile) -> str:
    """Say what of a tdmrep.json is not understood; nothing where all is, and of other files."""
    return _mining_entries(file)[1] if file.path == TDMREP else ""


def rules_for(product: str, text: str) -> list[str]:
    """Return the lines of a robots.txt with rules for `product`, or else for everybody; of no group, none.

    The longest name that `product` has in it decides, and all groups with that name count.
    """
    names_by_group: list[list[str]] = []  # those that may mean us
    rules_by_group: list[list[str]] = []
    is_naming = False  # whether the last line named an agent
    best, best_score = "", 0
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        agent = _AGENT_LINE.match(line)
        if agent is not None:
            if not is_naming:
                names_by_group.append([])
                rules_by_group.append([])
            is_naming = True
            written = agent[1].lower()
            for name in (written, written.replace("*", "")):
                score = _score(name, product.lower())
                if score:
                    names_by_group[-1].append(name)
                if score > best_score:
                    best, best_score = name, score
        elif _SITE_LINE.match(line) is None and (":" in line or _RULE_LINE.match(line)):
            is_naming = False
            if names_by_group and names_by_group[-1] and _RULE_LINE.match(line):
                rules_by_group[-1].append(line)
    groups = zip(names_by_group, rules_by_group, strict=True)
    return [rule for names, rules in groups if best in names for rule in rules]


def _rules_in(file: SiteFile, product: str) -> Protego | None:
    """Read the rules for us of a file; None where it has none."""
    if file.path == TDMREP:
        rules = [entry.line(is_disallowed=entry.is_reserved) for entry in _mining_entries(file)[0]]
    else:
        rules = rules_for(product, _text(file))
    counted = _counted(rules)
    if len(counted) < len(rules):
        logger.info(
            "%s%s has %s rules for us; %s of them count: at most %s, with at most %s wildcards",
            file.origin, file.path, len(rules), len(counted), MAX_RULES, MAX_WILDCARDS,
        )  # fmt: skip
    return _parsed(counted) if counted else None


def _policies_in(file: SiteFile) -> list[tuple[str, Protego]]:
    """Return each policy of a tdmrep.json with rules that disallow the pages whose longest location has it."""
    entries, _ = _mining_entries(file)
    policies = list(dict.fromkeys(entry.policy for entry in entries if entry.is_reserved and entry.policy))
    return [
        (policy, _parsed(_counted([entry.line(is_disallowed=entry.policy == policy) for entry in entries])))
        for policy in policies[:MAX_POLICIES]
    ]


def _parsed(rules: list[str]) -> Protego:
    return Protego.parse("\n".join(("user-agent: *", *rules)))


class _MiningEntry(NamedTuple):
    """An entry of a tdmrep.json."""

    location: str  # a pattern as in robots.txt
    is_reserved: bool
    policy: str

    def line(self, *, is_disallowed: bool) -> str:
        return f"{'disallow' if is_disallowed else 'allow'}: {self.location}"


def _mining_entries(file: SiteFile) -> tuple[list[_MiningEntry], str]:
    """Read a tdmrep.json; return its entries about this host, and words about what is not understood, if anything."""
    try:
        written = json.loads(_text(file) or "[]")
    except (ValueError, RecursionError):
        return [], "is not understood: no JSON"
    listed = written if isinstance(written, list) else [written]
    host = Url.parse(f"{file.origin}/").host
    entries, misread = [], 0
    for each in listed:
        location, reservation = (
            (each.get("location"), each.get("tdm-reservation")) if isinstance(each, dict) else ("", "")
        )
        is_reserved = _RESERVATIONS.get(str(reservation).strip().lower())
        if is_reserved is None or not isinstance(location, str) or not _is_line(location):
            misread += 1
        elif (path := _path_on(host, location.strip())) is not None:
            policy = each.get("tdm-policy")
            entries.append(_MiningEntry(path, is_reserved, policy.strip() if isinstance(policy, str) else ""))
    return entries, f"is not understood in {misread:,} of {len(listed):,} entries" if misread else ""


def _path_on(host: str, location: str) -> str | None:
    """Return the pattern of paths that a location means on this host; None where it is a URL of another host."""
    scheme, mark, rest = location.partition("://")
    if not mark or scheme.lower() not in ("http", "https"):
        return location if location.startswith(("/", "*")) else f"/{location}"
    name, _, path = rest.partition("/")
    try:
        return f"/{path}" if Url.parse(f"{scheme}://{name}/").host == host else None
    except InvalidUrl:
        return None


def _is_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and "#" not in text


def _counted(rules: list[str]) -> list[str]:
    """Return the rules that are few and simple enough together to compare every URL with; the first come first."""
    wildcards = accumulate(rule.rstrip("*").count("*") for rule in rules)
    pairs = zip(rules, wildcards, strict=True)
    return [rule for rule, so_far in pairs if so_far <= MAX_WILDCARDS or "*" not in rule.rstrip("*")][:MAX_RULES]


def _score(name: str, product: str) -> int:
    """Return how well the name of a group fits: its length where `product` has it at the start of a word, else 0."""
    if name == "*":
        return 1
    found = product.find(name) if name else -1
    while found > 0 and (product[found - 1].isalnum() or product[found - 1] in "-_"):
        found = product.find(name, found + 1)
    return len(name) if found >= 0 else 0


def product_of(user_agent: str) -> str:
    """Find the name a robots.txt would address us by: the first product, or the one said to be compatible."""
    found = _PRODUCT.match(user_agent)
    return (found and found[1]) or user_agent.strip()


def _text(file: SiteFile) -> str:
    body = file.body or b""
    if len(body) >= MAX_BYTES:
        # Cut in the middle of a line: half a rule would say something its author did not.
        body = body[: body.rfind(b"\n") + 1]
    return body.decode("utf-8-sig", errors="replace")
