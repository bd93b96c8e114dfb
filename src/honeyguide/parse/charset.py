"""Bytes to text: which encoding a body is in, and its text in it. Decoding never fails.

The first of these that names an encoding we know decides, as in a browser: a byte order mark, the `charset` of the
header, a `<meta>` or XML declaration near the start. A body that says nothing is UTF-8 if it reads as UTF-8, else the
best guess from its non-ASCII text, else windows-1252. Labels mean what the WHATWG Encoding standard says they mean, so
`iso-8859-1` is windows-1252.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from charset_normalizer import from_bytes

UTF_8: Final = "utf-8"
FALLBACK: Final = "windows-1252"

_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, UTF_8), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_DECLARED_WITHIN_BYTES = 2048
_GUESSED_FROM_BYTES = 1024

_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([^\s\"'/>;]+)", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([^\"'>]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_NON_ASCII_TEXT = re.compile(rb"[^<>\x80-\xff]{0,40}[\x80-\xff][^<>]{0,200}")

# Name in the standard, by the name Python's codecs give the label. What is not here is not an encoding of web pages.
_STANDARD_NAMES = {
    "ascii": FALLBACK, "big5": "big5", "big5hkscs": "big5", "cp1250": "windows-1250", "cp1251": "windows-1251",
    "cp1252": FALLBACK, "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255",
    "cp1256": "windows-1256", "cp1257": "windows-1257", "cp1258": "windows-1258", "cp866": "ibm866",
    "cp874": "windows-874", "cp932": "shift_jis", "cp949": "euc-kr", "euc_jp": "euc-jp", "euc_kr": "euc-kr",
    "gb18030": "gb18030", "gb2312": "gb18030", "gbk": "gb18030", "iso2022_jp": "iso-2022-jp", "iso8859-1": FALLBACK,
    "iso8859-10": "iso-8859-10", "iso8859-11": "windows-874", "iso8859-13": "iso-8859-13",
    "iso8859-14": "iso-8859-14", "iso8859-15": "iso-8859-15", "iso8859-16": "iso-8859-16", "iso8859-2": "iso-8859-2",
    "iso8859-3": "iso-8859-3", "iso8859-4": "iso-8859-4", "iso8859-5": "iso-8859-5", "iso8859-6": "iso-8859-6",
    "iso8859-7": "iso-8859-7", "iso8859-8": "iso-8859-8", "iso8859-9": "windows-1254", "koi8-r": "koi8-r",
    "koi8-u": "koi8-u", "mac-roman": "macintosh", "shift_jis": "shift_jis", "tis-620": "windows-874",
    "utf-16": "utf-16le", "utf-16-be": "utf-16be", "utf-16-le": "utf-16le", "utf-8": UTF_8,
}  # fmt: skip
# The codec for a standard name, where Python's own codec of that name reads less than browsers do.
_CODECS = {"big5": "big5hkscs", "euc-kr": "cp949", "shift_jis": "cp932", "windows-874": "cp874"}
_GUESSABLE = [
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp932", "cp949", "big5", "euc_jp", "gb18030",
    "koi8_r",
]  # fmt: skip


def decode(body: bytes, content_type: str) -> tuple[str, str]:
    """Return the text of `body` and the name of its encoding, empty for an empty body."""
    if not body:
        return "", ""
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _decode_as(charset, body[len(mark) :]), charset
    charset = _header_charset(content_type) or _declared_charset(body)
    if charset:
        return _decode_as(charset, body), charset
    return _decode_undeclared(body)


def is_declared_utf16(body: bytes, content_type: str) -> bool:
    """Whether zero bytes are to be expected in the text."""
    has_mark = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return has_mark or _header_charset(content_type).startswith("utf-16")


def _decode_as(charset: str, body: bytes) -> str:
    return body.decode(_CODECS.get(charset, charset), errors="replace")


def _header_charset(content_type: str) -> str:
    match = _HEADER_CHARSET.search(content_type)
    return _standard_name(match[1]) if match else ""


def _declared_charset(body: bytes) -> str:
    """Return what the document says of itself. It was read as ASCII to find this, so it cannot be UTF-16."""
    start = body[:_DECLARED_WITHIN_BYTES]
    if b"<!--" in start:
        start = _COMMENT.sub(b"", start)
    match = _XML_ENCODING.match(start) or _META_CHARSET.search(start)
    charset = _standard_name(match[1].decode("ascii", "replace")) if match else ""
    return UTF_8 if charset.startswith("utf-16") else charset


def _standard_name(label: str) -> str:
    """Return the standard's name for an encoding label, empty when there is no such encoding."""
    try:
        return _STANDARD_NAMES.get(codecs.lookup(label.strip()).name, "")
    except (LookupError, ValueError):
        return ""


def _decode_undeclared(body: bytes) -> tuple[str, str]:
    try:
        # Not final: a body cut off inside its last character is UTF-8 all the same.
        return codecs.utf_8_decode(body, "strict", False)[0], UTF_8  # noqa: FBT003 - the codec takes it by position
    except UnicodeDecodeError:
        charset = _guess(body)
        return _decode_as(charset, body), charset


def _guess(body: bytes) -> str:
    """Return the likeliest encoding of text that is not clean UTF-8, from a bounded sample because guessing is slow."""
    text = body.decode(UTF_8, errors="replace")
    broken = text.count("\ufffd")
    if broken * 10 < len(body) - len(text):
        return UTF_8
    sample = b" ".join(_NON_ASCII_TEXT.findall(body[: 64 * _GUESSED_FROM_BYTES]))[:_GUESSED_FROM_BYTES]
    matches = from_bytes(sample, steps=2, chunk_size=_GUESSED_FROM_BYTES, cp_isolation=_GUESSABLE)
    best = matches.best()
    if best is None:
        return FALLBACK
    # Short Western text reads as well in several encodings; then the one most of the web uses is the better guess.
    equals = [match for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
    if any("cp1252" in match.could_be_from_charset for match in equals):
        return FALLBACK
    return _standard_name(best.encoding)
