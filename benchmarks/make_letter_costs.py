"""Make the table of letter costs from a Wikipedia dump.

Run `python benchmarks/make_letter_costs.py DUMP > src/honeyguide/text/letter_costs.txt`. The shipped one is from the
first 10^8 bytes of the English Wikipedia of 2006-03-03. A word counts when it stands there at least twice.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dump_text import dump_text
from honeyguide.text import LetterModel

SEEN_AT_LEAST = 2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("dump", type=Path)
    counts = dump_text(options.parse_args().dump).count_by_word
    kept = [word for word, count in counts.items() if count >= SEEN_AT_LEAST]
    sys.stdout.write(f"# Letter costs of {len(kept):,} words; see letter_model.py\n")
    sys.stdout.write(LetterModel.from_words(kept).to_text())


if __name__ == "__main__":
    main()
