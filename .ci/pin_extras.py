"""Write .ci/extras.txt: every package that the checks install besides PyTorch, with its version and hash.

    python .ci/pin_extras.py > .ci/extras.txt

The hashes are those of the files that pip chooses here, so the file is for Python 3.11 on 64-bit Linux. It names no
index: pip takes the one that it is set to, and refuses a file that is not the one listed.
"""

from __future__ import annotations

import json
import subprocess
import sys

EXTRAS = ".[dev,browser,docs,cluster]"


def main() -> None:
    """Ask pip what it would install, and print it."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    report = json.loads(subprocess.run([*command, EXTRAS], check=True, stdout=subprocess.PIPE).stdout)  # noqa: S603
    print("# Made by .ci/pin_extras.py for Python 3.11 on 64-bit Linux.")
    print_requirements(report)


def print_requirements(report: dict[str, list[dict[str, dict[str, str]]]]) -> None:
    """Print the packages of one of pip's reports, by name."""
    for each in sorted(report["install"], key=lambda each: each["metadata"]["name"].lower()):
        about, place = each["metadata"], each["download_info"]
        if about["name"] != "honeyguide":
            print(f"{about['name']}=={about['version']} --hash=sha256:{place['archive_info']['hashes']['sha256']}")


if __name__ == "__main__":
    main()
