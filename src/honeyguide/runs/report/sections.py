"""Text of strangers on a page of ours: shown, never obeyed.

The parts of the report, each a piece of HTML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.model.counts import count_of
from honeyguide.runs.report.drawing import MapSize, draw_curve, draw_map, host_colours, laid_out
from honeyguide.runs.report.escaping import breakable, link, piece, shown
from honeyguide.runs.report.gathering import MOST_TRAPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.runs import KeptPage
    from honeyguide.runs.report.gathering import Gathered, Result

# Control characters, halves of surrogate pairs, and marks that turn the direction of the text after them.


SHOWN_AT_ONCE: Final = 20
NOTED: Final = frozenset({"vectors.digest", "judge.digest"})
"""Settings that a crawl writes down so as not to go on with other files unnoticed."""
_WIDE_MAP: Final = MapSize(1020, 640, 34, "wide")
_NARROW_MAP: Final = MapSize(360, 460, 22, "narrow")
FEW_ON_MAP: Final = 15
_LOW_MAP: Final = MapSize(1020, 340, 34, "wide")
_LOW_NARROW_MAP: Final = MapSize(360, 280, 22, "narrow")


def head(gathered: Gathered) -> str:
    """What the run was for, and what it came to."""
    counted = gathered.stats
    words = f" · {shown(', '.join(gathered.keywords), 300)}" if gathered.keywords else ""
    when = f" · {gathered.began[:16].replace('T', ' ')} to {gathered.ended[:16].replace('T', ' ')} UTC"
    lines = [
        f"<h1>{shown(counted.topic or 'A crawl without a topic')}</h1>",
        f"<p>{shown(counted.strategy)} on {shown(counted.world)}{words}{when if gathered.began else ''}</p>",
        f"<p>{shown(counted.stop_reason).capitalize() or 'Not finished'}.</p>",
    ]
    per_fetch = f"of {count_of(counted.fetches, 'fetch', 'fetches')}"
    figures = [
        ("relevant pages", f"{counted.relevant:,}", f"of {count_of(counted.pages, 'page')}", "first"),
        ("harvest rate", f"{counted.harvest_rate:.1%}", per_fetch, ""),
        ("hosts asked", f"{counted.hosts:,}", f"of {count_of(counted.domains, 'domain')}", ""),
        ("received", f"{counted.body_bytes / 1e6:,.1f} MB", f"{counted.run_bytes / 1e6:,.1f} MB on disk", ""),
        ("links waiting", f"{counted.waiting_links:,}", "when it stopped", ""),
    ]
    if gathered.traps.pages_found:
        share = gathered.traps.pages_found / max(1, gathered.traps.pages_seen)
        figures.append(("traps and copies", f"{gathered.traps.pages_found:,}", f"pages, {share:.1%} of all", ""))
    tiles = "".join(
        f'<div class="{kind}"><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>'
        for name, value, note, kind in figures
    )
    return f'<header>{"".join(lines)}</header>\n<dl class="figures">{tiles}</dl>'


def harvest(gathered: Gathered) -> str:
    """The curve of relevant pages over fetches."""
    fetches, found = gathered.curve[-1]
    if not fetches:
        return _section("harvest", "Harvest", "Nothing was fetched yet.", "")
    lead = (
        f"{count_of(found, 'relevant page')} after {count_of(fetches, 'fetch', 'fetches')}. Where the curve is steep, "
        "the crawl was finding; the dashed line is a harvest as even as the whole."
    )
    drawn = draw_curve(gathered.curve, 1020, 320, "wide") + draw_curve(gathered.curve, 360, 250, "narrow")
    return _section("harvest", "Harvest", lead, f'<div class="card">{drawn}</div>')


def found(gathered: Gathered) -> str:
    """The best pages with a snippet each."""
    if not gathered.results:
        return _section("found", "What was found", "No page was kept.", "")
    are_relevant = gathered.results[0].page.is_relevant
    total = gathered.stats.relevant if are_relevant else gathered.stats.pages
    what = count_of(total, "relevant page") if are_relevant else f"{count_of(total, 'page')}; none was judged relevant"
    count = len(gathered.results)
    lead = f"The best {count:,} of {what}." if count < total else f"{what}."
    first, rest = gathered.results[:SHOWN_AT_ONCE], gathered.results[SHOWN_AT_ONCE:]
    inner = _results(first, after=0)
    if rest:
        inner += f"<details><summary>{len(rest)} more</summary>{_results(rest, after=SHOWN_AT_ONCE)}</details>"
    return _section("found", "What was found", lead, inner)


def _results(results: Sequence[Result], after: int) -> str:
    items = "\n".join(map(_result, results))
    return f'<ol class="results" style="counter-reset:rank {after}">\n{items}\n</ol>'


def _result(result: Result) -> str:
    page = result.page
    marked = ""
    if result.snippet is not None and result.snippet.text:
        pieces = (
            f"<mark>{piece(text)}</mark>" if is_marked else piece(text) for text, is_marked in result.snippet.pieces()
        )
        marked = f'<p class="snippet">{"".join(pieces)}</p>'
    title = link(page.url.text, shown(page.title) or shown(page.url.text, 120))
    clicks = "a seed" if not page.depth else f"{count_of(page.depth, 'click')} from a seed"
    return (
        f'<li><div><h3>{title}</h3><div class="where">{shown(page.url.text, 110)} · {clicks}, fetch {page.step:,}</div>'
        f'{marked}</div><div class="score">{page.relevance:.3f}{_bar(page.relevance)}</div></li>'
    )


def topic_map(gathered: Gathered) -> str:
    """Relevant pages that are linked to much, and their links."""
    mapped = gathered.topic_map
    if len(mapped.pages) < 2:
        return ""
    if not mapped.links:
        return _section("map", "Map of the topic", "No relevant page links to another.", "")
    places = laid_out([page.url.host for page in mapped.pages], mapped.links)
    count = count_of(len(mapped.pages), "relevant page")
    if mapped.relevant_pages > len(mapped.pages):
        count += f" of {mapped.relevant_pages:,}, chosen by relevance and by how many of the others link to them,"
    links = count_of(len(mapped.links), "link")
    lead = f"{count} and the {links} between them. Larger is more relevant; colours are hosts."
    wide, narrow = (_WIDE_MAP, _NARROW_MAP) if len(mapped.pages) > FEW_ON_MAP else (_LOW_MAP, _LOW_NARROW_MAP)
    upright = places[:, ::-1]  # higher than wide
    drawn = draw_map(mapped, places, wide) + draw_map(mapped, upright, narrow)
    return _section("map", "Map of the topic", lead, f'<div class="card">{drawn}{_key(mapped.pages, gathered)}</div>')


def _key(pages: Sequence[KeptPage], gathered: Gathered) -> str:
    colours = host_colours(gathered.topic_map)
    counts = {host: sum(page.url.host == host for page in pages) for host in colours}
    items = [
        f'<li class="c{number}"><i></i>{shown(host, 60)} ({counts[host]})</li>' for host, number in colours.items()
    ]
    others = len(pages) - sum(counts.values())
    if others:
        items.append(f"<li><i></i>other hosts ({others})</li>")
    return f'<ul class="key">{"".join(items)}</ul>'


def hosts_and_outcomes(gathered: Gathered) -> str:
    """Where pages came from, what became of fetches, how relevant pages were, what took the time."""
    counted = gathered.stats
    if not counted.fetches:
        return ""
    most = max((host.pages for host in counted.top_hosts), default=1) or 1
    hosts = _table(
        f"Hosts, {len(counted.top_hosts):,} of {counted.hosts:,}",
        ("host", "", "relevant", "pages"),
        (
            (
                shown(host.host, 80),
                _bars(host.relevant / most, host.pages / most),
                f"{host.relevant:,}",
                f"{host.pages:,}",
            )
            for host in counted.top_hosts
        ),
    )
    outcomes = _counted("Outcomes of fetches", "outcome", counted.outcomes)
    without_page = _counted("Fetches without a page", "reason", counted.without_page)
    pages = max((count for _, count, _ in counted.depths), default=1)
    depths = _table(
        "Clicks from a seed",
        ("clicks", "", "relevant", "pages"),
        (
            (f"{depth}", _bars(relevant / pages, count / pages), f"{relevant:,}", f"{count:,}")
            for depth, count, relevant in counted.depths[:20]
        ),
    )
    patterns = _table(
        "Shapes of addresses",
        ("shape", "relevant", "pages"),
        (
            (f"<code>{shown(pattern.pattern, 60)}</code>", f"{pattern.relevant:,}", f"{pattern.pages:,}")
            for pattern in counted.patterns[:12]
        ),
    )
    parts = (hosts, outcomes, without_page, _relevance(gathered), depths, patterns, _stages(gathered))
    columns = "".join(f"<div>{part}</div>" for part in parts if part)
    lead = "Bars are pages; their amber part was judged relevant."
    return _section("hosts", "Hosts and outcomes", lead, f'<div class="columns">{columns}</div>')


def _relevance(gathered: Gathered) -> str:
    bins = gathered.stats.relevance
    pairs = [(start / len(bins), bins[start] + bins[start + 1]) for start in range(0, len(bins), 2)]
    most = max((count for _, count in pairs), default=0)
    if not most:
        return ""
    last = max(number for number, (_, count) in enumerate(pairs) if count)
    rows = (
        (f"{low:.1f} to {low + 0.1:.1f}", _bars(0.0, count / most), f"{count:,}") for low, count in pairs[: last + 1]
    )
    return _table("Relevance of pages", ("relevance", "", "pages"), rows)


def _stages(gathered: Gathered) -> str:
    seconds = gathered.stats.stage_seconds
    total = sum(seconds.values())
    if not total:
        return ""
    rows = (
        (shown(stage), _bars(0.0, taken / total), f"{taken:,.1f} s", f"{taken / total:.0%}")
        for stage, taken in sorted(seconds.items(), key=lambda item: -item[1])
    )
    return _table("Time by stage", ("stage", "", "time", "share"), rows)


def traps(gathered: Gathered) -> str:
    """What the guard judged a loop, a trap or a duplicate."""
    summary = gathered.traps
    if not summary.pages_found and not summary.moves:
        said = f"None in {count_of(summary.pages_seen, 'page')} that the guard looked at." if summary.pages_seen else ""
        return _section("traps", "Traps", said, "") if said else ""
    lead = (
        f"{summary.pages_found:,} of {count_of(summary.pages_seen, 'page')} judged part of a loop or a trap, or "
        f"duplicates; {count_of(summary.lowered, 'time')} a link was let wait behind others."
    )
    rows = (
        (
            f"{shown(trap.kind)}<br><code>{breakable(trap.about, 90)}</code>",
            f"{shown(trap.evidence, 220)}",
            f"{trap.pages:,}",
        )
        for trap in summary.traps[:MOST_TRAPS]
    )
    table = _table("", ("kind, and where", "evidence", "pages"), rows, texts=2, first="left")
    left = len(summary.traps) - MOST_TRAPS
    more = f"<p>… and {left:,} more: <code>honeyguide traps</code> shows them.</p>" if left > 0 else ""
    return _section("traps", "Traps", lead, f'<div class="scroll">{table}</div>{more}')


def settings(gathered: Gathered) -> str:
    """Those that were set, and behind a fold all others."""
    chosen = [(key, value) for key, value, is_default in gathered.settings if not is_default and key not in NOTED]
    noted = [(key, value) for key, value, is_default in gathered.settings if not is_default and key in NOTED]
    others = [(key, value) for key, value, is_default in gathered.settings if is_default]
    first = _settings_table(chosen) if chosen else "<p>All as they come.</p>"
    rest = f"<details><summary>{len(others)} left as they come</summary>{_settings_table(others)}</details>"
    if noted:
        rest += f"<details><summary>{len(noted)} noted by the crawl itself</summary>{_settings_table(noted)}</details>"
    return _section("settings", "Settings", "What was asked for.", first + rest)


def _settings_table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td class="left"><code>{breakable(key)}</code></td><td class="name">{shown(value, 300)}</td></tr>'
        for key, value in rows
    )
    heads = '<tr><th class="left" scope="col">setting</th><th scope="col">value</th></tr>'
    return f"<table><thead>{heads}</thead><tbody>{cells}</tbody></table>"


def _section(anchor: str, title: str, lead: str, inner: str) -> str:
    said = f'<p class="lead">{lead}</p>' if lead else ""
    heading = f'<h2 id="{anchor}-title">{title}</h2>'
    return f'<section id="{anchor}" aria-labelledby="{anchor}-title">{heading}{said}{inner}</section>'


def _counted(title: str, name: str, counts: dict[str, int]) -> str:
    if not counts:
        return ""
    most = max(counts.values())
    rows = ((shown(each, 60), _bars(0.0, count / most), f"{count:,}") for each, count in list(counts.items())[:15])
    return _table(title, (name, "", "fetches"), rows)


def _table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]], texts: int = 1, first: str = "name") -> str:
    """A table; the first `texts` columns are text, those without a name bars, the others figures. Cells are markup."""

    def cell(tag: str, inner: str, column: int) -> str:
        scope = ' scope="col"' if tag == "th" and names[column] else ""
        kind = first if not column else "name" if column < texts else "number" if names[column] else "drawn"
        tag = "td" if tag == "th" and not names[column] else tag  # a heading has to say something
        return f'<{tag} class="{kind}"{scope}>{inner}</{tag}>'

    heads = "".join(cell("th", name, column) for column, name in enumerate(names))
    body = "".join(f"<tr>{''.join(cell('td', inner, column) for column, inner in enumerate(row))}</tr>" for row in rows)
    caption = f"<caption>{title}</caption>" if title else ""
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _bars(good: float, whole: float) -> str:
    """A bar for the whole of something, its good part in front."""
    parts = f'<b style="width:{100 * good:.1f}%"></b>' if good else ""
    parts += f'<b class="rest" style="width:{100 * (whole - good):.1f}%"></b>' if whole > good else ""
    return f'<span class="bar stack" aria-hidden="true">{parts}</span>'


def _bar(share: float) -> str:
    return f'<span class="bar" aria-hidden="true"><b style="width:{100 * max(0.0, min(1.0, share)):.0f}%"></b></span>'
