"""A real HTTP server with OpenAI's chat API, whose replies a test decides."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Said = str | bytes | None  # text of a reply; a whole body; nothing at all, until the server closes


@dataclass
class ChatServer:
    """Its address, and the requests that came."""

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def sent(self, number: int = 0) -> dict[str, Any]:
        """Return the JSON object that the model was shown."""
        shown: dict[str, Any] = json.loads(self.requests[number]["messages"][1]["content"])
        return shown


@contextmanager
def chat_server(say: Callable[[dict[str, Any]], Said], status: int = 200) -> Iterator[ChatServer]:
    """Serve on loopback until the end of the block; `say` is called with what the model is shown."""
    is_over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.requests.append(asked)
            served.headers.append(dict(self.headers))
            said = say(json.loads(asked["messages"][1]["content"])) if self.path == "/v1/chat/completions" else b""
            if said is None:
                is_over.wait(30)
                return
            body = said if isinstance(said, bytes) else json.dumps(_completion(said)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        served = ChatServer(f"http://127.0.0.1:{server.server_port}/v1")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            is_over.set()
            server.shutdown()
            thread.join()


def _completion(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
