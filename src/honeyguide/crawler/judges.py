"""The composition root's part that knows the judges: settings in, a judge and its rules out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from honeyguide.errors import SettingsError, VectorsError
from honeyguide.judge import (
    ClassifierJudge,
    CombinedJudge,
    DocumentFrequencies,
    EmbeddingJudge,
    EmbeddingTfidfJudge,
    Examples,
    KeywordJudge,
    Part,
    RakeJudge,
    RakeRules,
    RelevantWhen,
    Rules,
    TfidfJudge,
    TopicPhrases,
    VectorModelJudge,
    Verdicts,
    chosen_classifier,
    fitted_logistic,
    reward_rule,
    trained_network,
)
from honeyguide.model import Topic
from honeyguide.settings.judge_sections import judge_part
from honeyguide.settings.known import shown
from honeyguide.text import Stems, WordVectors, open_vectors
from honeyguide.text.rake import RakeScore

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.judge import Judge
    from honeyguide.settings import JudgeSettings, Settings, VectorSettings
    from honeyguide.text.vector_files import Converting

    LoadVectors = Callable[[], WordVectors]


def relevance_judge(settings: Settings, topic: Topic, load_vectors: LoadVectors) -> Judge:  # noqa: PLR0911 - one a kind
    """The judge that the settings name; without a topic, one that finds nothing relevant.

    Raises SettingsError where the judge lacks what it needs: a file, examples, a library; VectorsError where no word
    of the topic has a vector and the judge goes by them.
    """
    if topic.is_empty and settings.judge.kind not in ("classifier", "neural"):
        return KeywordJudge(topic)
    match settings.judge.kind:
        case "keyword":
            return KeywordJudge(topic, _stems(settings.judge))
        case "embedding":
            return EmbeddingJudge(topic, _knowing(topic, settings, load_vectors))
        case "tfidf":
            return TfidfJudge(topic, _reference(settings.judge))
        case "embedding-tfidf":
            return EmbeddingTfidfJudge(topic, _knowing(topic, settings, load_vectors), _reference(settings.judge))
        case "rake":
            return RakeJudge(
                topic, _knowing(Topic(topic.name, topic.keywords), settings, load_vectors), _rake_rules(settings.judge)
            )
        case "classifier":
            return _classifier(settings.judge, topic, load_vectors)
        case "neural":
            examples = Examples.of(topic, "neural")
            model = trained_network(examples, load_vectors(), settings.crawl.seed)
            return VectorModelJudge("neural", model, load_vectors())
        case "combined":
            return CombinedJudge([_part(text, settings, topic, load_vectors) for text in settings.judge.parts])
        case unknown:
            raise SettingsError([f"judge.kind is {unknown!r}: no such judge"])


def verdicts(settings: JudgeSettings, judge: Judge, topic: Topic, load_vectors: LoadVectors) -> Verdicts:
    """The judge with the rules that the settings name."""
    rules = Rules(
        reward_rule(settings.reward, settings.reward_values, settings.reward_thresholds),
        RelevantWhen(settings.relevant_when),
        settings.threshold,
    )
    nearness = None
    if rules.need_nearness:
        if isinstance(judge, EmbeddingJudge | EmbeddingTfidfJudge):
            nearness = judge.nearness
        else:
            nearness = EmbeddingJudge(topic, load_vectors()).nearness
    return Verdicts(judge, TopicPhrases(topic.phrases, _stems(settings)), rules, nearness)


def _knowing(topic: Topic, settings: Settings, load_vectors: LoadVectors) -> WordVectors:
    """The vectors, which know the topic: VectorsError if they do not."""
    vectors = load_vectors()
    check_topic(vectors, topic, settings.vectors.source)
    return vectors


def _classifier(settings: JudgeSettings, topic: Topic, load_vectors: LoadVectors) -> Judge:
    if settings.classifier:
        return ClassifierJudge(chosen_classifier(settings.classifier, topic), settings.classifier)
    examples = Examples.of(topic, "classifier")
    return VectorModelJudge("classifier", fitted_logistic(examples, load_vectors()), load_vectors())


def _part(text: str, settings: Settings, topic: Topic, load_vectors: LoadVectors) -> Part:
    kind, weight = judge_part(text)
    alone = replace(settings, judge=replace(settings.judge, kind=kind))
    return Part(kind, weight, relevance_judge(alone, topic, load_vectors))


def _stems(settings: JudgeSettings) -> Stems | None:
    return Stems(settings.language) if settings.stemming else None


def _reference(settings: JudgeSettings) -> DocumentFrequencies | None:
    """The collection that idf comes from; None where it is learned from the pages seen so far."""
    return None if settings.idf == "seen" else DocumentFrequencies.read(settings.idf)


def _rake_rules(settings: JudgeSettings) -> RakeRules:
    return RakeRules(
        lower=settings.lower,
        upper=settings.upper,
        most_keywords=settings.rake_keywords,
        scoring=RakeScore(settings.rake_score),
        is_specific=settings.specific,
        language=settings.language,
    )


def word_vectors(settings: VectorSettings, on_converting: Callable[[Converting], None] = lambda _: None) -> WordVectors:
    """The vectors that are named. A file met for the first time is converted, and `on_converting` told how far."""
    return WordVectors(open_vectors(settings.source, settings.cache_path, on_converting))


def check_vectors(vectors: WordVectors, settings: VectorSettings) -> None:
    """VectorsError if the settings have the digest of other vectors: a crawl must not go on with these unnoticed."""
    if settings.digest and vectors.digest and vectors.digest != settings.digest:
        raise VectorsError(
            f"the vectors of {settings.source} are not those that the run began with (digest {vectors.digest}, then "
            f"{settings.digest}): put the old ones back, or begin a new run; to go on all the same, empty "
            "vectors.digest in its settings.toml"
        )


def check_topic(vectors: WordVectors, topic: Topic, source: str) -> None:
    """VectorsError if what the topic is told by has no vector at all: every page would be equally far from it.

    A topic that is empty is let through, because then nothing is expected to be relevant.
    """
    wanted = replace(topic, unlike=())  # what is not wanted says nothing of what is
    if wanted.is_empty or vectors.topic_vector(wanted).any():
        return
    told_by = ", ".join(topic.phrases) or topic.like[0]
    raise VectorsError(
        f"no word of the topic {shown(told_by)} is among the vectors of {source}: "
        "name it otherwise, or use other vectors"
    )
