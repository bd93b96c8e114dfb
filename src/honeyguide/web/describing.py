"""The description of the API: the OpenAPI document, completed, and the same as a page for people.

FastAPI knows the routes and types. What fields mean stands as comments in our dataclasses, and errors have one form:
both are added here.
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ABOUT: Final = (
    "Everything that the pages of the dashboard show, as JSON, and everything that they change. Times are on "
    "the crawl's "
    "clock: Unix time where it was live. Assistants use the same over the Model Context Protocol at /mcp.\n\n"
    "Where the server needs a token, send it as Authorization: Bearer TOKEN. Where not, a change (any POST) "
    "carries one value twice, "
    "in the cookie honeyguide_csrf and in the header X-CSRF-Token; a program may choose it.\n\n"
    "An error has a status from 400 on and a JSON object whose detail says in one line what was wrong: 400 for "
    "a query or "
    "URL that cannot be read, 404 for a run or page that is not there, 409 for a run that cannot be read or "
    "used now, 503 while a run is being indexed for its first search, 422 "
    "for a parameter that is missing or of the wrong type. Requests that are not let in are answered with plain "
    "text: 401 "
    "without the token, 403 without the value or where the server is read-only, 421 for another host name."
)
EVENTS: Final = (
    "A stream of server-sent events, until the client goes. Each event changed has a JSON object whose parts names the "
    "views of the run that have something new: ask for those at /api/runs/{name}/VIEW. The first event names "
    "all views; "
    "later ones come at most four times a second. While nothing changes, a line that starts with a colon is "
    "sent every 15 "
    "seconds. A client that loses the connection just connects again."
)
EVENT_STREAM: Final = {
    "schema": {"type": "string"},
    "example": 'event: changed\ndata: {"parts": ["figures", "harvest"]}\n\n',
}
_PROBLEM: Final = "Problem"
_GIVEN_BY_FASTAPI: Final = ("HTTPValidationError", "ValidationError")
_FIELD: Final = re.compile(r"^    (\w+): .*?  # (?!noqa)(.+)$", re.MULTILINE)
_NAME: Final = "The name of a run, as in the list of runs."


@dataclass(frozen=True, slots=True)
class DescribedField:
    """A parameter or a field: its name, its type, its meaning."""

    name: str
    kind: str
    meaning: str
    types: tuple[str, ...]  # described types that `kind` mentions


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of an address."""

    method: str
    path: str
    summary: str
    about: str
    takes: tuple[DescribedField, ...]
    gives: DescribedField


@dataclass(frozen=True, slots=True)
class DescribedType:
    """A type that several addresses give or take."""

    name: str
    about: str
    fields: tuple[DescribedField, ...]


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Add to FastAPI's document what it does not know; the document itself is changed, and returned."""
    document["info"]["description"] = ABOUT
    schemas = document["components"]["schemas"]
    for name in _GIVEN_BY_FASTAPI:
        schemas.pop(name, None)
    detail = {"type": "string", "description": "What was wrong, and the remedy, in one line."}
    schemas[_PROBLEM] = {
        "type": "object", "properties": {"detail": detail}, "required": ["detail"], "description": "An error.",
    }  # fmt: skip
    classes = _dataclasses()
    for name, schema in schemas.items():
        if name in classes:
            schema["description"] = inspect.getdoc(classes[name]) or ""
            meanings = dict(_FIELD.findall(inspect.getsource(classes[name])))
            for field, about in schema.get("properties", {}).items():
                if field in meanings and "$ref" not in about:
                    about.setdefault("description", meanings[field])
    for operation in (each for methods in document["paths"].values() for each in methods.values()):
        operation["responses"].pop("422", None)
        operation["responses"]["default"] = {
            "description": "An error.",
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}},
        }
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                parameter.setdefault("description", _NAME)
    return document


def operations(document: dict[str, Any]) -> list[Operation]:
    """Return the methods of all addresses, as a page shows them."""
    return [
        Operation(
            method.upper(), path, about["summary"], about.get("description", ""), tuple(_taken(about)), _given(about)
        )
        for path, methods in sorted(document["paths"].items())
        for method, about in methods.items()
    ]


def types(document: dict[str, Any]) -> list[DescribedType]:
    """Return the types of the document, by name."""
    return [
        DescribedType(
            name,
            schema.get("description", ""),
            tuple(_field(field, about, about) for field, about in schema.get("properties", {}).items()),
        )
        for name, schema in sorted(document["components"]["schemas"].items())
    ]


def _taken(about: dict[str, Any]) -> Iterator[DescribedField]:
    for each in about.get("parameters", ()):
        yield _field(each["name"], each["schema"], each)
    if "requestBody" in about:
        (content,) = about["requestBody"]["content"].values()
        yield _field("body", content["schema"], {"description": "A JSON object."})


def _given(about: dict[str, Any]) -> DescribedField:
    answer = next(each for status, each in about["responses"].items() if status.startswith("2"))
    ((media_type, content),) = answer["content"].items()
    if media_type != "application/json":
        return DescribedField("", media_type, "", ())
    return _field("", content["schema"], {})


def _field(name: str, schema: dict[str, Any], about: dict[str, Any]) -> DescribedField:
    kind, named = _kind(schema), tuple(sorted(_references(schema)))
    return DescribedField(name, kind, about.get("description", ""), named)


def _kind(schema: dict[str, Any]) -> str:
    """Name a type as people do."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema or "enum" in schema:
        return " or ".join([*map(_kind, schema.get("anyOf", ())), *map(repr, schema.get("enum", ()))])
    if "prefixItems" in schema:
        return f"[{', '.join(_kind(each) for each in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("type") == "object":
        return f"object of {_kind(schema.get('additionalProperties') or {})}"
    return str(schema.get("type", "anything"))


def _references(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = {str(schema["$ref"]).rpartition("/")[2]} if "$ref" in schema else set[str]()
        return own.union(*(_references(each) for each in schema.values()))
    return set[str]().union(*(_references(each) for each in schema)) if isinstance(schema, list) else set[str]()


def _dataclasses() -> dict[str, type]:
    """Return our dataclasses by name: one name means one class in the whole program."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("honeyguide.")]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    return {each.__name__: each for each in found if is_dataclass(each) and each.__module__.startswith("honeyguide.")}
