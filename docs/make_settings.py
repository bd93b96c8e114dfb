"""Write the reference of settings from their declarations: `python docs/make_settings.py > docs/settings.md`."""  # noqa: INP001

from __future__ import annotations

import sys
from itertools import groupby

from honeyguide.settings import SETTINGS_BY_KEY, Setting

HEAD = """# Settings

Made from the code by `docs/make_settings.py`; a test compares. In a TOML file, `section.name` is `name` in the table
`[section]`; on the command line it is `--set section.name=value`.
"""


def row(setting: Setting) -> str:
    allowed = ", ".join(f"`{choice}`" for choice in setting.choices) or setting.bounds
    default = "`[]`" if setting.default == () else f"`{setting.default}`" if setting.default != "" else "(empty)"
    return f"| `{setting.key}` | {setting.meaning} | {default} | {allowed} |"


def reference() -> str:
    """The whole page."""
    parts = [HEAD]
    for table, settings in groupby(SETTINGS_BY_KEY.values(), key=lambda setting: setting.table):
        parts.append(f"## `[{table}]`\n")
        parts += ["| setting | meaning | default | allowed |", "| --- | --- | --- | --- |"]
        parts += [*map(row, settings), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(reference())
