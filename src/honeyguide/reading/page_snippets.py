"""Snippets of the stored pages of a run: of each, the part that speaks of the run's topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.reading.page_texts import PageTexts
from honeyguide.reading.snippets import Snippets

if TYPE_CHECKING:
    from honeyguide.reading.snippets import Snippet
    from honeyguide.store import KeptPage, KeptPages, Run


class PageSnippets:
    """Cuts snippets of the pages of a run that is open."""

    def __init__(self, run: Run, pages: KeptPages) -> None:
        settings = run.settings
        self._texts = PageTexts(run, pages)
        self._cut = Snippets((settings.topic.name, *settings.topic.keywords), settings.judge.language)

    def of(self, page: KeptPage) -> Snippet | None:
        """What to show below the title, with which a text mostly begins; None where the body was not kept."""
        text = self._texts.main_text(page)
        return None if text is None else self._cut.of(text.removeprefix(page.title).lstrip())
