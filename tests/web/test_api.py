"""The description of the API, for programs and for people, and its errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from web.conftest import Serve


def document_of(serve: Serve, run: Path) -> dict[str, Any]:
    document: dict[str, Any] = serve(run.parent).get("/api/openapi.json").json()
    return document


def references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_the_document_describes_every_address_parameter_and_type(serve: Serve, run: Path) -> None:
    document = document_of(serve, run)
    assert "X-CSRF-Token" in document["info"]["description"]
    operations = [(path, each) for path, methods in document["paths"].items() for each in methods.values()]
    assert {path for path, _ in operations} >= {"/api/runs", "/api/search", "/api/runs/{name}/events"}
    for path, operation in operations:
        assert operation["summary"], path
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (path, parameter["name"])
        assert operation["responses"]["default"]["content"]["application/json"]["schema"] == {
            "$ref": "#/components/schemas/Problem"
        }
    schemas = document["components"]["schemas"]
    assert all(schema.get("description") for schema in schemas.values())
    assert {each.rpartition("/")[2] for each in references(document)} <= schemas.keys()
    assert schemas["ListedHit"]["properties"]["relevance"]["description"] == "probability that it belongs to the topic"


def test_events_are_described_as_what_they_are(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    described = document_of(serve, run)["paths"]["/api/runs/{name}/events"]["get"]
    ((kind, content),) = described["responses"]["200"]["content"].items()
    with client.stream("GET", "/api/runs/geology/events") as answer:
        assert answer.headers["content-type"].partition(";")[0] == kind == "text/event-stream"
        lines = answer.iter_lines()
        first = next(lines)
    assert first == content["example"].splitlines()[0] == "event: changed"


def test_the_page_shows_every_address_and_type_and_loads_nothing_from_elsewhere(serve: Serve, run: Path) -> None:
    document, page = document_of(serve, run), serve(run.parent).get("/api").text
    shown = page.replace("<wbr>", "")
    for path in document["paths"]:
        assert f"<code>{path}</code>" in shown
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in page
    assert {link.split("/")[1] for link in re.findall(r'(?:src|href)="(/[^"]*)"', page)} <= {"", "static", "api", "new"}
    assert "http://" not in page
    assert "https://" not in page
    assert not set(re.findall(r'href="#(\w+)"', page)) - set(re.findall(r'id="(\w+)"', page))


def test_every_error_says_what_was_wrong(serve: Serve, run: Path) -> None:
    client = serve(run.parent)
    for path, methods in document_of(serve, run)["paths"].items():
        for method in methods:
            if "{name}" not in path:
                continue
            body = {"url": "http://a.test/", "answer": "yes", "budget": 5, "host": "a.test"}
            sent = {"json": body} if method == "post" else {"params": {"url": "http://a.test/", "q": "rock"}}
            answer = client.request(method, path.replace("{name}", "none"), **sent)
            assert answer.status_code == 404, (path, answer.text)
            assert "no run 'none'" in answer.json()["detail"], path
    assert client.get("/api/nowhere").json() == {"detail": "Not Found"}
