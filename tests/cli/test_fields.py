"""Fields from the crawl to results, search, exports and the how-to page."""

from __future__ import annotations

import csv
import json
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.runs.fields import FieldCondition

if TYPE_CHECKING:
    from cli.conftest import Cli

HOW_TO = Path(__file__).parents[2] / "docs" / "howto"


def blocks(kind: str = "", page: str = "read-fields.md") -> list[str]:
    text = (HOW_TO / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [block for each, block in found if each == kind]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of the how-to page, made by its own commands."""
    folder = tmp_path_factory.mktemp("how-to")
    made, commands = blocks()[:2]
    subprocess.run(made, shell=True, check=True, cwd=folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for line in commands.splitlines():
            assert main(shlex.split(line)[1:]) == 0, line
    return folder / "my-shop"


def test_results_show_fields_and_choose_by_them(cli: Cli, shop: Path) -> None:
    (basalt,) = json.loads(cli("results", shop, "--where", "price<100", "--json"))["results"]
    assert basalt["fields"] == {
        "price": 12.5, "seller": "http://shop.example/ann.html", "traits": ["dark", "heavy"], "word": "dark"
    }  # fmt: skip
    head, *lines = cli("results", shop, "--where", "released>=2024-01-01").splitlines()[2:]
    assert head.split("\t")[5:] == ["price", "seller", "released", "traits", "word"]
    (granite,) = (dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines)
    assert (granite["title"], granite["price"], granite["traits"]) == ("Granite", "1299", "")
    assert "  price      1299\n" in cli("explain", shop, "http://shop.example/granite.html")


@pytest.mark.parametrize(
    ("condition", "titles"),
    [
        ("price>100", ["Granite"]), ("price=12.5", ["Basalt"]), ("price!=12.5", ["Granite"]),
        ("traits=dark", ["Basalt"]),
        ("word~LIGH", ["Granite"]), ("seller~ann", ["Basalt"]), ("word<100", []), ("nothing=1", []),
    ],
)  # fmt: skip
def test_a_condition_chooses_pages(cli: Cli, shop: Path, condition: str, titles: list[str]) -> None:
    found = json.loads(cli("search", shop, "rock", "--where", condition, "--json"))
    assert [hit["title"] for hit in found["hits"]] == titles
    assert found["total"] == len(titles)
    shown = json.loads(cli("results", shop, "--where", condition, "--json"))["results"]
    assert [page["title"] for page in shown] == titles


@pytest.mark.parametrize(
    ("condition", "urls"),
    [
        ("sku=123", ["/a", "/b"]), ("sku=0123", ["/b", "/c"]), ("sku!=123", ["/c", "/d"]), ("sku<200", ["/b"]),
        ("sku=nan", ["/d"]), ("sku<w", ["/a", "/c", "/d"]),
    ],
)  # fmt: skip
def test_texts_are_compared_with_the_condition_as_written(condition: str, urls: list[str]) -> None:
    values = {"/a": "123", "/b": 123, "/c": "0123", "/d": ["nan", "x"]}
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE fields (step INTEGER, fields TEXT)")
        rows = [(step, json.dumps({"sku": value})) for step, value in enumerate(values.values())]
        db.executemany("INSERT INTO fields VALUES (?, ?)", rows)
        found = FieldCondition.parse(condition).steps(lambda sql, *values: db.execute(sql, values))
    assert [list(values)[step] for step in sorted(found)] == urls


def test_a_condition_that_is_none_is_refused(cli: Cli, shop: Path) -> None:
    for command in (("search", shop, "rock"), ("results", shop)):
        cli(*command, "--where", "price", status=2)
        assert "'price' is no condition on a field; write it as price<100" in cli.err


def test_every_table_has_a_column_a_field(cli: Cli, shop: Path, tmp_path: Path) -> None:
    rows = list(csv.DictReader(cli("export", shop, "--format", "csv").splitlines()))
    by_title = {row["title"]: row for row in rows}
    assert by_title["Granite"]["field_price"] == "1299"
    assert by_title["Basalt"]["field_traits"] == "dark; heavy"
    assert by_title["Shop"]["field_price"] == ""
    lines = [json.loads(line) for line in cli("export", shop, "--format", "jsonl").splitlines()]
    assert {line["title"]: line.get("fields", {}).get("word") for line in lines} == {
        "Shop": None, "Basalt": "dark", "Granite": "light"
    }  # fmt: skip
    graph = ET.fromstring(cli("export", shop, "--format", "graphml"))
    values = [each.text for each in graph.iter() if each.get("key") == "field_price"]
    assert sorted(map(str, values)) == ["12.5", "1299"]
    honeyguide.export(shop, tmp_path / "pages", "markdown")
    (page,) = (tmp_path / "pages").rglob("*-granite.md")
    assert '\nfields: {"price": 1299, "released": "2024-05-03", "word": "light"}\n' in page.read_text(encoding="utf-8")


def test_parquet_has_columns_with_types(shop: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    honeyguide.export(shop, tmp_path / "pages.parquet", "parquet")
    table = parquet.read_table(tmp_path / "pages.parquet")
    rows = {row["title"]: (row["field_price"], row["field_traits"]) for row in table.to_pylist()}
    assert rows == {"Shop": (None, None), "Basalt": (12.5, ["dark", "heavy"]), "Granite": (1299.0, None)}


def test_a_table_of_the_settings_file_names_fields(tmp_path: Path) -> None:
    (toml,) = blocks("toml")
    (tmp_path / "fields.toml").write_text(f'[topic]\nname = "rock"\n{toml}', encoding="utf-8")
    settings = honeyguide.load_settings(tmp_path / "fields.toml")
    assert settings.parse.fields == ("price:number=css:.price", "author=jsonld:author.name")


def test_a_bad_selector_is_refused_before_the_crawl_begins(cli: Cli, tmp_path: Path) -> None:
    cli("crawl", "run", "--topic", "rock", "--world", "synthetic", "--field", "price=css:p[", status=2)
    (line,) = cli.err.splitlines()
    assert line.endswith(
        "field 'price=css:p[': 'p[' is no CSS selector that can be read; write it as .price or a.author"
    )
    assert not (tmp_path / "run").exists()


@pytest.mark.thorough
def test_the_how_to_page_about_hooks_runs(cli: Cli, tmp_path: Path) -> None:
    hook, example = blocks("python", "use-hooks.md")
    (commands,) = blocks(page="use-hooks.md")
    (tmp_path / "shop_hooks.py").write_text(hook, encoding="utf-8")
    for line in commands.splitlines():
        shown = cli(*shlex.split(line)[1:])
        if "results" in line:
            assert "\twords\n" in shown
            assert len(shown.splitlines()) > 3
    printed = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert len(printed.stdout.splitlines()) == 3
    assert printed.stdout.split("http")[0].isupper()


def test_what_a_hook_prints_is_not_on_stdout(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("def on_page(page):\n    print('loud')\n", encoding="utf-8")
    crawl = (
        "crawl",
        "run",
        "--world",
        "synthetic",
        "--topic",
        "geology",
        "--budget",
        5,
        "--on-page",
        "loud.py:on_page",
    )
    assert json.loads(cli(*crawl, "--json"))["fetches"] == 5
    assert "loud" in cli.err


def test_a_field_that_no_page_has_is_a_column_all_the_same(cli: Cli) -> None:
    cli(
        "crawl", "run", "--world", "synthetic", "--topic", "geology", "--budget", 3, "--field", "price:number=css:.none"
    )
    head, *rows = csv.reader(cli("export", "run", "--format", "csv").splitlines())
    assert head[-1] == "field_price"
    assert {row[-1] for row in rows} == {""}
