"""A proxy between operator and API server, by which a test can hold, break and observe calls.

Plain HTTP on loopback towards the operator, TLS towards the server. Watches are passed on as they
come. A Rule sees every request before it is forwarded, and every answer before it is delivered.
Writes are forwarded once; a read may be repeated if the server has closed a kept connection.
"""

import http.client
import http.server
import json
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

# Headers that belong to one connection rather than to the message.
HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive"}


@dataclass
class Request:
    method: str
    path: str  # including the query
    body: bytes
    token: str = ""
    fault: object = None  # set by the rule in before(), for after()

    @property
    def is_watch(self):
        return "watch=" in self.path

    def is_for(self, method, *parts):
        return self.method == method and all(part in self.path for part in parts)


@dataclass
class Answer:
    """An answer of the proxy's own. With `cut`, the connection ends after that much of `body`."""
    body: bytes
    status: int = 200
    content_type: str = "application/json"
    cut: int | None = None
    headers: dict = field(default_factory=dict)


DROP = object()  # close the connection without an answer
RESET = object()  # the same with a TCP reset
SILENCE = object()  # of a watch: nothing more is sent, and the connection stays open
END = object()  # of a watch: ends as a server would end it


@dataclass
class Break:
    """Ends a watch `after` so many seconds: sends `last`, then DROP, RESET, SILENCE or END."""
    after: float
    ending: object
    last: bytes = b""


class Rule:
    """Passes everything on. In subclasses, before() and after() may return Answer, DROP, RESET."""

    def before(self, request):
        """Returns None to forward the request."""

    def after(self, request, status, body):
        """Returns None to deliver the server's answer. Not called for watches that have begun."""

    def watch(self, request):
        """Returns a Break, or None to pass the watch on until the server ends it."""


class Proxy:
    """Listens when constructed. Keeps its address while it refuses connections."""

    def __init__(self, server, tls):
        self.rule = Rule()
        self.token = ""  # for clients that send none, like client-go without TLS
        self._upstream, self._tls = urlsplit(server), tls
        self._open = set()  # connections from the operator and to the server
        self._lock = threading.Lock()
        self._listener = None
        self._port = 0
        self.passing = threading.Event()  # cleared: nothing arrives on either side, until it is set
        self.passing.set()
        self.accept()

    @property
    def server(self):
        return f"http://127.0.0.1:{self._port}"

    def accept(self):
        """Listens, if it does not do so already."""
        if self._listener:
            return
        proxy = self

        class Handler(_Handler):
            owner = proxy

        self._listener = _Listener(("127.0.0.1", self._port), Handler)
        self._port = self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()

    def refuse(self):
        """Ends every connection and refuses new ones."""
        self._listener.shutdown()
        self._listener.server_close()
        self._listener = None
        with self._lock:
            connections, self._open = self._open, set()
        for connection in connections:
            _hang_up(connection)

    def close(self):
        self.passing.set()
        if self._listener:
            self.refuse()

    def connect(self):
        connection = http.client.HTTPSConnection(self._upstream.hostname, self._upstream.port,
                                                 context=self._tls)
        connection.connect()
        self.keep(connection.sock)
        return connection

    def keep(self, socket):
        with self._lock:
            self._open.add(socket)

    def forget(self, socket):
        with self._lock:
            self._open.discard(socket)


def _hang_up(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # already closed


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        pass  # one side hung up, as the tests intend


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65536

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.upstream = None
        self.owner.keep(self.connection)

    def finish(self):
        self.owner.forget(self.connection)
        if self.upstream:
            self._close_upstream()
        super().finish()

    def handle_any(self):
        request = Request(self.command, self.path,
                          self.rfile.read(int(self.headers.get("Content-Length", 0))),
                          self.headers.get("Authorization", "").removeprefix("Bearer "))
        self.owner.passing.wait()
        own = self.owner.rule.before(request)
        if own is not None:
            self._answer(own)
            return
        answer = self._forward(request)
        if request.is_watch and answer.status == 200:
            self._stream(answer, self.owner.rule.watch(request))
            return
        body = answer.read()
        self.owner.passing.wait()
        own = self.owner.rule.after(request, answer.status, body)
        if own is not None:
            self._answer(own)
            return
        self._head(answer, {"Content-Length": str(len(body))})
        self.wfile.write(body)
        self.wfile.flush()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def _forward(self, request):
        headers = {key: value for key, value in self.headers.items()
                   if key.lower() not in HOP_BY_HOP | {"host", "accept-encoding"}}
        if self.owner.token:
            headers.setdefault("Authorization", f"Bearer {self.owner.token}")
        is_read = request.method == "GET"
        if self.upstream and not is_read:
            self._close_upstream()  # a stale connection would leave open whether the write arrived
        for last_try in (not is_read, True):
            fresh = self.upstream is None
            if fresh:
                self.upstream = self.owner.connect()
            try:
                self.upstream.request(request.method, request.path, request.body or None, headers)
                return self.upstream.getresponse()
            except (http.client.HTTPException, OSError):
                # The server may have closed a kept connection. The failure of a new one is raised.
                self._close_upstream()
                if fresh or last_try:
                    raise

    def _stream(self, answer, break_):
        self._head(answer, {"Transfer-Encoding": "chunked"})
        self.wfile.flush()
        end = time.monotonic() + break_.after if break_ else None
        while data := self._read(answer, end):
            self._chunk(data)
        if data is None:
            self._break(break_)
        else:
            self._chunk(b"")

    def _read(self, answer, end):
        """The next data; empty if the server ended the watch, None at the time `end`."""
        if end:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self.upstream.sock.settimeout(left)
        try:
            return answer.read1(65536)
        except TimeoutError:
            return None

    def _break(self, break_):
        self._close_upstream()
        if break_.last:
            self._chunk(break_.last)
        if break_.ending is END:
            self._chunk(b"")
        elif break_.ending is SILENCE:
            self.connection.recv(1)  # until the client gives up
            self.close_connection = True
        else:
            self._answer(break_.ending)

    def _chunk(self, data):
        self.owner.passing.wait()
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()

    def _head(self, answer, extra):
        self.send_response_only(answer.status, answer.reason)
        for key, value in answer.getheaders():
            if key.lower() not in HOP_BY_HOP | {"content-length"}:
                self.send_header(key, value)
        for key, value in extra.items():
            self.send_header(key, value)
        self.end_headers()

    def _answer(self, own):
        if own is DROP or own is RESET:
            self.close_connection = True
            if own is RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                           struct.pack("ii", 1, 0))
                self.owner.forget(self.connection)
                # Closing the last of the three references sends the reset, and no regular end.
                self.rfile.close()
                self.wfile.close()
                self.connection.close()
            else:
                _hang_up(self.connection)
            return
        self.send_response_only(own.status)
        self.send_header("Content-Type", own.content_type)
        self.send_header("Content-Length", str(len(own.body)))
        for key, value in own.headers.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(own.body if own.cut is None else own.body[:own.cut])
        self.wfile.flush()
        if own.cut is not None:
            self.close_connection = True

    def _close_upstream(self):
        self.owner.forget(self.upstream.sock)
        self.upstream.close()
        self.upstream = None


def status(code, reason, message):
    """A failure as an API server sends it, a metav1.Status."""
    return {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
            "reason": reason, "message": message}


def status_answer(code, reason, message, **headers):
    return Answer(json.dumps(status(code, reason, message)).encode(), code, headers=headers)
