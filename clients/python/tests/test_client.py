import inspect
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from slipway_client import Client, ManagementApi, ReferenceApi, SlipwayError  # noqa: E402


@pytest.fixture
def server():
    """Answers with the queued replies, the last one again and again, and notes each request."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self.server.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            replies = self.server.replies
            status, content, headers = replies.pop(0) if len(replies) > 1 else replies[0]
            data = content.encode() if isinstance(content, str) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = answer

        def log_message(self, *_):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.seen = []
    running.replies = [(200, {"items": []}, {})]
    threading.Thread(target=running.serve_forever, daemon=True).start()
    running.url = f"http://127.0.0.1:{running.server_address[1]}"
    yield running
    running.shutdown()
    running.server_close()


def test_a_read_sends_the_key_and_what_was_given_alone(server):
    Client(server.url, api_key="slp_x").reference.lookup_rows("locations", q="são pa", limit=3)
    [(method, path, headers, body)] = server.seen
    assert (method, path, body) == ("GET", "/v2/locations/lookup?q=s%C3%A3o+pa&limit=3", b"")
    assert headers["x-api-key"] == "slp_x"
    assert "authorization" not in headers and "idempotency-key" not in headers


def test_parts_of_a_path_are_encoded(server):
    Client(server.url).reference.read_rows("a/../b", "1?x")
    assert server.seen[0][1] == "/v2/a%2F..%2Fb/1%3Fx"


def test_a_write_is_repeated_under_one_idempotency_key(server):
    server.replies = [(503, {"code": "store.unavailable"}, {"retry-after": "0"}), (201, {"id": "7"}, {})]
    client = Client(server.url, token=lambda: "current")
    assert client.reference.create_rows("skills", body={"name": "Welding"}) == {"id": "7"}
    keys = {headers["idempotency-key"] for _, _, headers, _ in server.seen}
    assert len(server.seen) == 2 and len(keys) == 1
    assert server.seen[0][2]["authorization"] == "Bearer current"
    assert json.loads(server.seen[1][3]) == {"name": "Welding"}


def test_a_refusal_has_code_and_problems_and_is_not_repeated(server):
    problem = {"code": "filter.invalid", "detail": "1 problem in q", "errors": [{"code": "filter.unknown_field"}]}
    server.replies = [(400, problem, {"content-type": "application/problem+json"})]
    with pytest.raises(SlipwayError, match="400 filter.invalid: 1 problem in q") as caught:
        Client(server.url).reference.search_rows("skills", q="x")
    assert caught.value.errors == [{"code": "filter.unknown_field"}]
    assert len(server.seen) == 1


def test_a_busy_server_is_given_up_after_the_retries(server):
    server.replies = [(429, {"code": "rate.exceeded"}, {"retry-after": "0"})]
    with pytest.raises(SlipwayError):
        Client(server.url, retries=2).reference.list_rows("skills")
    assert len(server.seen) == 3


def test_a_new_secret_is_asked_for_once(server):
    server.replies = [(503, {"code": "store.unavailable"}, {"retry-after": "0"})]
    with pytest.raises(SlipwayError):
        Client(server.url).reference.issue_key(body={"name": "loader", "scopes": ["data:read:*"]})
    assert len(server.seen) == 1


def test_rows_walks_every_page(server):
    server.replies = [(200, {"items": [{"id": "1"}], "next_page_token": "t"}, {}), (200, {"items": [{"id": "2"}]}, {})]
    assert [row["id"] for row in Client(server.url).rows("skills", q="id>0", page_size=1)] == ["1", "2"]
    assert server.seen[1][1].count("page_token=t") == 1


def test_rows_of_an_import_are_sent_as_they_are(server):
    lines = '{"id":"1","name":"a"}\n'
    Client(server.url).reference.import_rows("skills", mode="upsert", dry_run=True, body=lines)
    _, path, headers, body = server.seen[0]
    assert ("dry_run=true" in path, headers["content-type"], body) == (True, "application/x-ndjson", lines.encode())


def test_an_empty_answer_and_text(server):
    server.replies = [(200, "line\n", {"content-type": "text/plain"})]
    assert Client(server.url).send("GET", "/x") == "line\n"


def test_two_credentials_are_refused():
    with pytest.raises(ValueError):
        Client(api_key="a", token="b")


@pytest.mark.parametrize("api", [ManagementApi, ReferenceApi])
def test_every_operation_can_be_called(api):
    calls = []
    operations = api(lambda *given, **named: calls.append(given))
    methods = [each for name, each in inspect.getmembers(operations, inspect.ismethod) if not name.startswith("_")]
    for method in methods:
        needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
        method(
            *("x" for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD),
            **{p.name: "x" for p in needed if p.kind is p.KEYWORD_ONLY},
        )
    assert len(calls) == len(methods) > 30
    assert not any("{" in path for _, path in calls)
