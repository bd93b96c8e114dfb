"""Parse or skip, learned: the table, lessons that wait for their reward, and the count of links met."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import StrategyError
from honeyguide.learn import ParseOrSkipQ, ParseOrSkipQSettings
from honeyguide.learn import parse_or_skip_q as links_met
from honeyguide.learn import parse_or_skip_q as open_lessons
from honeyguide.learn.parse_or_skip_model import PARSE, SKIP, State
from honeyguide.learn.parse_or_skip_q import Lesson, LinksMet, OpenLessons, corrected
from honeyguide.model import Decision, Topic, Transition, Url
from pages import candidates_of, sighting_of
from vectors_by_hand import CompassVectors, compass_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Row, Rows


GREEDY = ParseOrSkipQSettings(exploration_start=0.0, exploration_end=0.0, reserve=0, mean_cost=0.0, host_relevance=0.5)
NO_CHANCE = np.random.default_rng(0)
NEW_HOST = State(True, False, True, False).number
NEW_HOST_GOOD_URL = State(True, False, True, True).number


class Driver:
    """Tells a strategy what an engine would, one fetch at a time or with answers that come late."""

    def __init__(self, settings: ParseOrSkipQSettings = GREEDY, *, counts_features: bool = False) -> None:
        self.strategy = ParseOrSkipQ(Topic("north"), compass_vectors(), settings, counts_features=counts_features)
        self.chance = np.random.default_rng(7)

    def rows(self, *urls: str) -> Rows:
        return self.strategy.describe(candidates_of(*(sighting_of(url, relevance=0.5) for url in urls)))

    def row(self, url: str) -> Row:
        row: Row = self.rows(url)[0]
        return row

    def asked(self, url: str) -> bool:
        """Whether it would parse this link now."""
        return self.strategy.skip(Url.parse(url), self.row(url), self.chance) is None

    def decide(self, url: str, *, parses: bool) -> None:
        self.strategy.notice(Decision(Url.parse(url), self.row(url), is_skipped=not parses))

    def arrive(self, url: str, reward: float, shows: Sequence[str] = (), relevance: float = 0.1) -> None:
        transition = Transition(1, Url.parse(url), self.row(url), reward, relevance, False, self.rows(*shows))
        assert self.strategy.learn(transition) is False, "links wait in the order found, whatever was learned"

    def see_many(self, count: int = 50) -> None:
        """Pages with so many links have come in."""
        self.strategy.learn(
            Transition(
                1,
                Url.parse("http://start.test/"),
                self.row("http://start.test/"),
                0.0,
                0.0,
                False,
                self.rows(*(f"http://far.test/{number}" for number in range(count))),
            )
        )


def test_one_update_by_hand() -> None:
    values = np.zeros((16, 2))
    values[5] = [2.0, 3.0]
    values[1, PARSE] = 1.0
    # Target 0.5 + 0.8 · max(2, 3) = 2.9; a quarter of the way from 1: 1.475.
    after = corrected(values, Lesson(1, PARSE, 0.5, following=5), rate=0.25, discount=0.8)
    assert after[1, PARSE] == pytest.approx(1.475)
    values[1, PARSE] = after[1, PARSE]
    assert np.array_equal(after, values), "nothing else has changed"


def test_a_parse_pays_the_reward_less_what_a_fetch_costs() -> None:
    driver = Driver(replace(GREEDY, fetch_cost=0.1, mean_cost=0.5))
    driver.decide("http://a.test/1", parses=True)
    driver.arrive("http://a.test/1", 0.8)  # the mean so far is 0: 0.8 - 0.1
    driver.decide("http://b.test/1", parses=True)
    assert driver.strategy.values[NEW_HOST, PARSE] == pytest.approx(0.7)
    driver.arrive("http://b.test/1", 0.4)  # 0.4 - 0.1 - 0.5 · 0.8 = -0.1, the second lesson of this kind: the mean
    driver.decide("http://c.test/1", parses=True)
    assert driver.strategy.values[NEW_HOST, PARSE] == pytest.approx(0.3)


def test_a_skip_pays_the_penalty_and_the_state_that_follows() -> None:
    driver = Driver(replace(GREEDY, skip_penalty=0.25, discount=0.5))
    driver.decide("http://a.test/1", parses=True)
    driver.arrive("http://a.test/1", 0.8)
    driver.decide("http://b.test/1", parses=False)
    assert driver.strategy.values[NEW_HOST].tolist() == [0.0, pytest.approx(0.8)]
    driver.decide("http://c.test/1", parses=False)
    # The skip of b led to the state of c, again that of a new host: -0.25 + 0.5 · 0.8.
    assert driver.strategy.values[NEW_HOST, SKIP] == pytest.approx(0.15)


def test_rewards_that_come_late_teach_the_same_states() -> None:
    """The state that follows is the one at the next decision, not the one when the page came."""
    driver = Driver()
    driver.decide("http://a.test/1", parses=True)
    driver.decide("http://north/1", parses=True)
    driver.decide("http://c.test/1", parses=True)
    assert not driver.strategy.values.any()
    driver.arrive("http://north/1", 0.6)
    driver.arrive("http://a.test/1", 0.2)
    assert driver.strategy.values[NEW_HOST_GOOD_URL, PARSE] == pytest.approx(0.6)
    assert driver.strategy.values[NEW_HOST, PARSE] == pytest.approx(0.2)


def test_it_parses_what_it_knows_nothing_of() -> None:
    driver = Driver()
    driver.see_many()
    assert driver.asked("http://a.test/1")


def test_seeds_are_fetched_even_where_parsing_does_not_pay() -> None:
    driver = Driver(replace(GREEDY, fetch_cost=1.0))
    driver.see_many()
    driver.decide("http://a.test/1", parses=True)
    driver.arrive("http://a.test/1", 0.0)
    driver.decide("http://b.test/1", parses=True)
    assert not driver.asked("http://c.test/1")
    (row,) = driver.strategy.describe(candidates_of(sighting_of("http://c.test/1")))
    assert driver.strategy.skip(Url.parse("http://c.test/1"), row, NO_CHANCE) is None


def play(driver: Driver, rounds: int) -> list[tuple[str, bool]]:
    """A toy web: a page of the good host pays 1, any other 0; hosts turn up by turns. What was decided."""
    story = []
    for number in range(rounds):
        host = "north" if number % 3 == 0 else f"dull{number % 5}"
        url = f"http://{host}/{number}"
        parses = driver.asked(url)
        story.append((host, parses))
        driver.decide(url, parses=parses)
        if parses:
            reward = float(host == "north")
            driver.arrive(url, reward, [f"http://new.test/{number}/{link}" for link in range(9)], relevance=reward)
    return story


def test_it_learns_to_parse_what_pays_and_to_skip_the_rest() -> None:
    driver = Driver(
        replace(GREEDY, mean_cost=1.0, exploration_start=0.3, exploration_end=0.05, exploration_decisions=300)
    )
    story = play(driver, 600)[-200:]
    good = [parses for host, parses in story if host == "north"]
    dull = [parses for host, parses in story if host != "north"]
    assert np.mean(good) > 0.9
    assert np.mean(dull) < 0.1


def test_without_a_cost_there_is_no_reason_to_skip() -> None:
    assert all(parses for _, parses in play(Driver(GREEDY), 100))


def test_it_skips_only_while_its_reserve_waits() -> None:
    driver = Driver(replace(GREEDY, fetch_cost=1.0, reserve=20))
    driver.decide("http://a.test/1", parses=True)
    driver.arrive("http://a.test/1", 0.0)
    driver.decide("http://b.test/1", parses=True)  # parsing a new host is now known not to pay
    driver.see_many(28)
    asked = []
    for number in range(9):
        asked.append(driver.asked(f"http://new{number}.test/"))
        if not asked[-1]:
            driver.decide(f"http://new{number}.test/", parses=False)
    # 28 links were seen; two decisions, then so many more, until no more than 20 wait.
    assert asked == [False] * 6 + [True] * 3
    assert driver.strategy.waiting == 20


def test_links_seen_twice_are_not_counted_as_more() -> None:
    driver = Driver()
    driver.see_many(30)
    driver.see_many(30)
    assert driver.strategy.waiting == 30


def test_a_decision_takes_a_link_from_those_that_wait_unless_it_is_a_seed_that_no_page_has_shown() -> None:
    driver = Driver()
    driver.see_many(30)
    (seed_row,) = driver.strategy.describe(candidates_of(sighting_of("http://seed.test/")))
    driver.strategy.notice(Decision(Url.parse("http://seed.test/"), seed_row, is_skipped=False))
    assert driver.strategy.waiting == 30
    driver.decide("http://far.test/1", parses=True)
    assert driver.strategy.waiting == 29


def test_exploration_falls_from_its_first_share_to_its_last() -> None:
    settings = replace(GREEDY, exploration_start=0.4, exploration_end=0.2, exploration_decisions=4)
    driver = Driver(settings)
    shares = [driver.strategy.exploration]
    for number in range(6):
        driver.decide(f"http://a.test/{number}", parses=False)
        shares.append(driver.strategy.exploration)
    assert shares == pytest.approx([0.4, 0.35, 0.3, 0.25, 0.2, 0.2, 0.2])


def test_a_random_decision_parses_every_other_time() -> None:
    driver = Driver(replace(GREEDY, exploration_start=1.0, exploration_end=1.0))
    driver.see_many()
    assert np.mean([driver.asked("http://a.test/1") for _ in range(2000)]) == pytest.approx(0.5, abs=0.05)


def test_the_same_seed_gives_the_same_story() -> None:
    settings = replace(GREEDY, mean_cost=1.0, exploration_start=0.5, exploration_end=0.2)
    one, two = Driver(settings), Driver(settings)
    assert play(one, 200) == play(two, 200)
    assert one.strategy.save() == two.strategy.save()
    assert len({parses for _, parses in play(one, 50)}) == 2


def test_saved_in_the_midst_of_open_lessons_it_goes_on_the_same() -> None:
    settings = replace(GREEDY, mean_cost=1.0)
    one, two = Driver(settings), Driver(settings)
    play(one, 40)
    one.decide("http://late.test/1", parses=True)
    one.decide("http://late.test/2", parses=False)
    one.decide("http://late.test/3", parses=True)
    two.strategy.load(one.strategy.save())
    for driver in (one, two):
        driver.arrive("http://late.test/3", 0.7, ["http://x.test/"])
        driver.arrive("http://late.test/1", 0.3)
        driver.decide("http://late.test/4", parses=True)
    assert two.strategy.save() == one.strategy.save()
    assert np.array_equal(two.strategy.values, one.strategy.values)
    two.chance = np.random.default_rng(9)
    one.chance = np.random.default_rng(9)
    assert play(one, 40) == play(two, 40)


def test_asking_changes_nothing() -> None:
    driver = Driver(replace(GREEDY, exploration_start=0.5, exploration_end=0.5))
    play(driver, 10)
    before = driver.strategy.save()
    for number in range(20):
        driver.asked(f"http://a.test/{number}")
    assert driver.strategy.save() == before


def test_with_lims_reward_a_decision_pays_the_true_features_of_the_state_it_led_to() -> None:
    driver = Driver(replace(GREEDY, skip_penalty=0.5), counts_features=True)
    driver.decide("http://a.test/1", parses=True)
    driver.arrive("http://a.test/1", 0.9, relevance=0.9)
    driver.decide("http://a.test/2", parses=False)
    # Just parsed and relevant: (False, True, True, False) has two true features, whatever the page earned.
    just_parsed = State(False, True, True, False).number
    assert driver.strategy.values[NEW_HOST, PARSE] == pytest.approx(2.0)
    driver.decide("http://north/1", parses=True)
    # The skip led to (True, True, True, True), less the penalty.
    assert driver.strategy.values[just_parsed, SKIP] == pytest.approx(3.5)
    assert driver.strategy.values[just_parsed, PARSE] == 0.0


def test_words_without_vectors_leave_no_trace_of_nan() -> None:
    strategy = ParseOrSkipQ(Topic("nowhere"), compass_vectors(), ParseOrSkipQSettings())
    assert CompassVectors().vectors(["nowhere"]).tolist() == [[0.0, 0.0]]
    rows = strategy.describe(
        candidates_of(sighting_of("http://zzz.test/?q=%00", relevance=0.0), sighting_of("http://q/"))
    )
    for step, row in enumerate(rows):
        url = Url.parse(f"http://zzz.test/{step}")
        strategy.notice(Decision(url, row, is_skipped=False))
        strategy.learn(Transition(step, url, row, 0.0, 0.0, False, rows))
    assert np.isfinite(rows).all()
    assert np.isfinite(strategy.values).all()
    assert b"NaN" not in strategy.save()


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"null", b'{"values": [1]}', b"\xff"])
def test_a_state_that_is_none_is_refused_and_changes_nothing(state: bytes) -> None:
    driver = Driver()
    play(driver, 5)
    before = driver.strategy.save()
    with pytest.raises(StrategyError, match="parse-or-skip-q"):
        driver.strategy.load(state)
    assert driver.strategy.save() == before


def test_a_state_with_one_part_damaged_is_refused_and_changes_nothing() -> None:
    driver = Driver()
    play(driver, 5)
    before = driver.strategy.save()
    with pytest.raises(StrategyError, match="parse-or-skip-q"):
        driver.strategy.load(before.replace(b'"previous"', b'"previously"'))
    assert driver.strategy.save() == before


A, B, C = (Url.parse(f"http://{letter}.test/") for letter in "abc")


def test_one_fetch_at_a_time_the_reward_comes_first() -> None:
    lessons = OpenLessons()
    assert lessons.decided(A, 3, PARSE, None) is None
    assert lessons.rewarded(A, 0.5) is None
    assert lessons.decided(B, 7, PARSE, None) == Lesson(3, PARSE, 0.5, following=7)
    assert len(lessons) == 1


def test_with_several_at_once_the_following_state_comes_first() -> None:
    lessons = OpenLessons()
    lessons.decided(A, 3, PARSE, None)
    lessons.decided(B, 7, PARSE, None)
    lessons.decided(C, 1, PARSE, None)
    assert lessons.rewarded(B, 0.25) == Lesson(7, PARSE, 0.25, following=1)
    assert lessons.rewarded(A, 0.5) == Lesson(3, PARSE, 0.5, following=7)
    assert lessons.rewarded(C, 1.0) is None, "nothing has followed it yet"


def test_a_skip_waits_for_the_next_decision_only() -> None:
    lessons = OpenLessons()
    lessons.decided(A, 3, SKIP, -0.1)
    assert lessons.decided(B, 5, SKIP, -0.1) == Lesson(3, SKIP, -0.1, following=5)


def test_a_reward_that_nobody_waits_for_teaches_nothing() -> None:
    assert OpenLessons().rewarded(A, 1.0) is None


def test_fetches_that_never_pay_are_forgotten_in_time() -> None:
    lessons = OpenLessons()
    urls = [Url.parse(f"http://r.test/{number}") for number in range(open_lessons.MOST_OPEN + 50)]
    for url in urls:
        lessons.decided(url, 0, PARSE, None)
    assert len(lessons) == open_lessons.MOST_OPEN
    assert lessons.rewarded(urls[49], 1.0) is None
    assert lessons.rewarded(urls[50], 1.0) == Lesson(0, PARSE, 1.0, following=0)


@given(st.data())
def test_any_interleaving_teaches_every_lesson_once_and_survives_saving_anywhere(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 8))
    urls = [Url.parse(f"http://h.test/{number}") for number in range(count)]
    due = data.draw(st.permutations(range(count)))
    lessons, taught = OpenLessons(), []
    made, unpaid = 0, list(due)
    while made < count or unpaid:
        payable = [number for number in unpaid if number < made]
        if made < count and (not payable or data.draw(st.booleans())):
            taught.append(lessons.decided(urls[made], made, PARSE, None))
            made += 1
        else:
            unpaid.remove(payable[0])
            taught.append(lessons.rewarded(urls[payable[0]], float(payable[0])))
        if data.draw(st.booleans()):
            lessons = OpenLessons.loaded(lessons.saved())
    learned = sorted((lesson for lesson in taught if lesson is not None), key=lambda lesson: lesson.state)
    assert learned == [Lesson(n, PARSE, float(n), following=n + 1) for n in range(count - 1)]
    assert len(lessons) == 1, "the last decision has no follower"


def urls(count: int, start: int = 0) -> list[Url]:
    return [Url.parse(f"http://h{number % 7}.test/page/{number}") for number in range(start, start + count)]


def counted(*batches: list[Url]) -> LinksMet:
    met = LinksMet()
    for batch in batches:
        met.note(links_met.columns(batch))
    return met


@pytest.mark.parametrize("count", [0, 1, 1000, 20_000])
def test_different_links_are_counted_closely(count: int) -> None:
    assert counted(urls(count)).count() == pytest.approx(count, rel=0.005, abs=0.1)


def test_a_link_counts_once_however_often_it_is_met() -> None:
    once, again = counted(urls(500)), counted(urls(500), urls(300), urls(500), urls(1) * 9)
    assert again.count() == once.count()


@given(st.permutations(urls(40)), st.integers(0, 40))
def test_neither_order_nor_batches_matter(shuffled: list[Url], cut: int) -> None:
    assert counted(shuffled[:cut], shuffled[cut:]).saved() == counted(urls(40)).saved()


def test_the_columns_of_an_address_are_exact_in_half_precision_and_the_same_in_any_batch() -> None:
    many = urls(3000)
    together = links_met.columns(many)
    assert together.dtype == np.float16
    assert together.shape == (3000, links_met.PLACE_COLUMNS)
    assert len(np.unique(together.astype(np.int64) @ [10_000, 1])) > 2980, "hardly two of them share a place"
    assert np.array_equal(np.concatenate([links_met.columns([url]) for url in many[:50]]), together[:50])
    assert links_met.columns([]).shape == (0, links_met.PLACE_COLUMNS)


def test_when_all_places_are_taken_the_count_stays_finite() -> None:
    met = LinksMet()
    one, other = np.divmod(np.arange(links_met.PLACES), 1024)
    met.note(np.stack((one, other), axis=1).astype(np.float16))
    assert np.isfinite(met.count())
    assert met.count() > 10_000_000


def test_a_count_survives_saving_and_goes_on() -> None:
    met = counted(urls(700))
    back = LinksMet.loaded(met.saved())
    assert back.count() == met.count()
    for each in (met, back):
        each.note(links_met.columns(urls(700, start=350)))
    assert back.count() == met.count() == pytest.approx(1050, abs=3)


@pytest.mark.parametrize("saved", ["", "!", "AAAA", "eJwLAAAAAAE="])
def test_what_is_no_saved_count_is_refused(saved: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        LinksMet.loaded(saved)
