from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
import uuid
from typing import Any, Callable, Iterator
from urllib.parse import urlencode

from .operations import ManagementApi, ReferenceApi

# The server did nothing, or the request may be repeated under its Idempotency-Key.
_REPEATED = {429, 502, 503, 504}
# Answered with a secret that the server keeps no copy of: a repeat would make another one, whatever its key.
_DRAWS_SECRET = re.compile(r"/v2/keys(/[^/]+/rotate)?")
_LONGEST_PAUSE = 30.0


class SlipwayError(Exception):
    """A request that was refused. `code` never changes its meaning; `errors` names each problem of the input."""

    def __init__(self, status: int, body: Any) -> None:
        problem = body if isinstance(body, dict) else {}
        self.status = status
        self.code = str(problem.get("code", ""))
        self.errors = list(problem.get("errors", []))
        self.body = body
        detail = problem.get("detail") or problem.get("message") or problem.get("title") or body
        super().__init__(f"{status} {self.code}: {detail}".replace(" :", ":"))


class Client:
    """Calls one Slipway server, with an API key (reference data) or a bearer token.

    `token` is text, or a function that returns the current one.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8080",
        *,
        api_key: str | None = None,
        token: str | Callable[[], str] | None = None,
        timeout: float = 30.0,
        retries: int = 4,
    ) -> None:
        if api_key is not None and token is not None:
            raise ValueError("give api_key or token, not both")
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._token = token
        self._timeout = timeout
        self._retries = retries
        self.management = ManagementApi(self.send)
        self.reference = ReferenceApi(self.send)

    def send(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Sends a request. Returns parsed JSON, text of another type as `str`, and None for an empty answer."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}{path}" + (f"?{urlencode(given)}" if given else "")
        data = None if body is None else body if isinstance(body, bytes) else _encoded(body, content_type)
        all_headers = {"accept": "application/json, */*;q=0.5", "user-agent": "slipway-python", **self._credential()}
        if data is not None:
            all_headers["content-type"] = content_type
        if method != "GET":
            # The same key in every repeat: what was done already is answered, not done again.
            all_headers["idempotency-key"] = str(uuid.uuid4())
        all_headers.update(headers or {})
        repeated = {429} if method == "POST" and _DRAWS_SECRET.fullmatch(path) else _REPEATED
        for attempt in range(self._retries + 1):
            request = urllib.request.Request(url, data=data, headers=all_headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as reply:
                    return _parsed(reply.read(), reply.headers.get("content-type", ""))
            except urllib.error.HTTPError as error:
                content = _parsed(error.read(), error.headers.get("content-type", ""))
                if error.code not in repeated or attempt == self._retries:
                    raise SlipwayError(error.code, content) from None
                after = error.headers.get("retry-after", "")
                time.sleep(min(float(after) if after.isdigit() else 0.2 * 2**attempt, _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    def rows(self, dataset: str, *, q: str | None = None, **options: Any) -> Iterator[dict[str, Any]]:
        """Yields every row of a dataset, or of a filter, page by page at one version of the dataset."""
        token: str | None = None
        while True:
            if q is None:
                page = self.reference.list_rows(dataset, page_token=token, **options)
            else:
                page = self.reference.search_rows(dataset, q=q, page_token=token, **options)
            yield from page["items"]
            token = page.get("next_page_token")
            if token is None:
                return

    def _credential(self) -> dict[str, str]:
        if self._api_key is not None:
            return {"x-api-key": self._api_key}
        token = self._token() if callable(self._token) else self._token
        return {} if token is None else {"authorization": f"Bearer {token}"}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encoded(body: Any, content_type: str) -> bytes:
    is_json = content_type.endswith("json") and not content_type.endswith("ndjson")
    return (json.dumps(body) if is_json else str(body)).encode()


def _parsed(content: bytes, content_type: str) -> Any:
    if content == b"":
        return None
    text = content.decode("utf-8", "replace")
    return json.loads(text) if content_type.split(";")[0].endswith("json") else text
