"""A metrics adapter on loopback, which serves custom.metrics.k8s.io and external.metrics.k8s.io."""

import http.server
import json
import ssl
import threading
import time
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from .api import ApiError, path
from .cluster import ADAPTER as SERVICE
from .objects import namespaced
from .waiting import wait_until

NAMESPACE = "kube-system"
BLANKS = b" " * 2**20


@dataclass(frozen=True)
class Lie:
    """What differs from the true answer. `body` replaces the whole document, `value` the values in it,
    `half` leaves out every second item, beginning with the first, and `pages` says that more items
    follow on another page, whichever is asked for."""
    delay: float = 0  # seconds
    status: int = 200
    content_type: str = "application/json"
    body: bytes | None = None
    value: str | None = None
    half: bool = False
    cut: bool = False  # the connection ends in the middle of the body
    blanks: int = 0  # MiB of them after the body
    pages: bool = False


TRUTH = Lie()


class Adapter:
    """Answers through the API server from its construction until close(). `values`: all values, by
    their unescaped paths below /namespaces/NAMESPACE/. `pods`: a function that returns the names of
    all pods, each of which has the values at pods/*/METRIC. `custom`: the only version of
    custom.metrics.k8s.io that is served."""

    def __init__(self, cluster, values, pods=lambda: ["web-0"], custom="v1beta2"):
        self._apis = {"custom.metrics.k8s.io": custom, "external.metrics.k8s.io": "v1beta1"}
        self.paths = []  # paths of the requests for values, percent-encoded, without the query
        self.answering = threading.Event()  # while cleared, requests for values wait
        self.answering.set()
        self.lies = {}  # by place, in which `values` has a value; the others get the truth
        self.closing = threading.Event()
        self._api, self._values, self._pods = cluster.api, values, pods
        adapter = self

        class Handler(_Handler):
            owner = adapter

        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(cluster.dir / "pki/server.crt", cluster.dir / "pki/server.key")
        self._server = _Listener(("127.0.0.1", 0), Handler)
        self._server.socket = tls.wrap_socket(self._server.socket, server_side=True,
                                              do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        register(self._api, self._server.server_address[1], self._apis)

    def close(self):
        self.answering.set()
        self.closing.set()
        # Without their server, no namespace of the cluster could end.
        for group, version in self._apis.items():
            self._api.delete(path("apiregistration.k8s.io/v1", "apiservices", None, f"{version}.{group}"))
        self._server.shutdown()
        self._server.server_close()

    def value(self, place):
        return self._values.get(place)

    def objects(self, place):
        """The names of the objects that have the value."""
        return self._pods() if place.startswith("pods/*/") else [""]


def register(api, port, groups):
    """Lets the API server ask the adapter at the port of this machine for the groups, each with its
    version, and waits until it does."""
    metadata = {"name": SERVICE, "namespace": NAMESPACE}
    api.apply(namespaced("v1", "Service", SERVICE, metadata=metadata, spec={
        "type": "ExternalName", "externalName": "localhost", "ports": [{"port": port}]}))
    for group, version in groups.items():
        # These tests are not about the certificate.
        api.apply(namespaced(
            "apiregistration.k8s.io/v1", "APIService", f"{version}.{group}",
            spec={"group": group, "version": version, "groupPriorityMinimum": 100,
                  "versionPriority": 100, "insecureSkipTLSVerify": True,
                  "service": {"name": SERVICE, "namespace": NAMESPACE, "port": port}}))
    for group, version in groups.items():
        wait_until(f"{group} to be served", lambda g=group, v=version: _serves(api, g, v))


def _serves(api, group, version):
    try:
        return api.get(f"/apis/{group}/{version}")
    except ApiError:
        return False


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        pass  # the client gave up, as some tests intend


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        where = urlsplit(self.path).path
        if "/namespaces/" not in where:
            self._answer(200, _discovery(where))
            return
        self.owner.paths.append(where)
        self.owner.answering.wait()
        prefix, _, rest = where.partition("/namespaces/")
        place = unquote(rest.partition("/")[2])
        value = self.owner.value(place)
        if value is None:
            self._answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure",
                               "code": 404, "reason": "NotFound",
                               "message": f"nothing is measured at {place}"})
            return
        lie = self.owner.lies.get(place, TRUTH)
        self.owner.closing.wait(lie.delay)
        items = [_item(prefix, place, lie.value or value, name)
                 for name in self.owner.objects(place)]
        more = {"metadata": {"continue": "again"}} if lie.pages else {}
        self._answer(lie.status, {"items": items[1::2] if lie.half else items, **more}, lie)

    def _answer(self, status, document, lie=TRUTH):
        body = json.dumps(document).encode() if lie.body is None else lie.body
        self.send_response_only(status)
        self.send_header("Content-Type", lie.content_type)
        self.send_header("Content-Length", str(len(body) + lie.blanks * len(BLANKS)))
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if lie.cut else body)
        self.close_connection |= lie.cut
        for _ in range(lie.blanks):
            self.wfile.write(BLANKS)


def _discovery(where):
    parts = where.split("/")
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "/".join(parts[2:4]),
            "resources": []}


def _item(prefix, place, value, pod):
    """The value of an external metric, or of an object's metric as the API returns it."""
    metric = place.rsplit("/", 1)[-1]
    item = {"value": value, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    if "external" in prefix:
        return item | {"metricName": metric}
    object_ = {"kind": "Pod", "apiVersion": "v1", "name": pod}
    named = {"metricName": metric} if prefix.endswith("v1beta1") else {"metric": {"name": metric}}
    return item | named | {"describedObject": object_}
