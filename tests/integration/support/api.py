"""Sends requests to an API server; takes and returns objects."""

import http.client
import json
import ssl
import threading
from urllib.parse import urlencode, urlsplit

from .waiting import PATIENCE

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


class ApiError(Exception):
    """A failure; `status` is the HTTP status, `message` the server's message."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message


def path(api_version, plural, namespace=None, name=None, subresource=None):
    """The URL path of a collection, an object or a subresource."""
    root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
    parts = [root]
    if namespace:
        parts += ["namespaces", namespace]
    parts += [part for part in (plural, name, subresource) if part]
    return "/".join(parts)


def plural_of(kind):
    kind = kind.lower()
    return kind[:-1] + "ies" if kind.endswith("y") else kind + "s"


def path_of(object_, subresource=None):
    """The path of the object of a manifest."""
    metadata = object_["metadata"]
    return path(object_["apiVersion"], plural_of(object_["kind"]), metadata.get("namespace"),
                metadata["name"], subresource)


class Api:
    """A client of one user. Any thread may use it; each has a connection of its own."""

    def __init__(self, server, tls, token=None):
        self.server, self.tls, self.token = server, tls, token
        self._local = threading.local()

    @staticmethod
    def context(ca, certificate=None, key=None):
        tls = ssl.create_default_context(cafile=str(ca))
        if certificate:
            tls.load_cert_chain(str(certificate), str(key))
        return tls

    def request(self, method, where, body=None, content_type="application/json", query=None):
        """Returns the object in the answer. The body is an object, or a text that is sent as it is. Raises
        ApiError."""
        headers = {"Accept": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if body is not None:
            body = body if isinstance(body, str) else json.dumps(body)
            headers["Content-Type"] = content_type
        url = where + ("?" + urlencode(query) if query else "")
        status, text = self._send(method, url, body, headers)
        answer = json.loads(text) if text.startswith((b"{", b"[")) else {"message": text.decode()}
        if status >= 300:
            raise ApiError(status, answer.get("message", ""))
        return answer

    def get(self, where, query=None):
        """The object, or None if there is none."""
        try:
            return self.request("GET", where, query=query)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, where, query=None):
        return self.request("GET", where, query=query)["items"]

    def apply(self, object_):
        """Creates or changes the object, as `kubectl apply --server-side --force-conflicts`."""
        return self.request("PATCH", path_of(object_), object_, APPLY,
                            {"fieldManager": "test", "force": "true"})

    def merge(self, where, patch):
        return self.request("PATCH", where, patch, MERGE)

    def delete(self, where):
        return self.request("DELETE", where)

    def close(self):
        """Closes the calling thread's connection."""
        if connection := getattr(self._local, "connection", None):
            connection.close()
            self._local.connection = None

    def _send(self, method, url, body, headers):
        # That the server has closed a connection shows only at the next request.
        for last_try in (False, True):
            connection = self._connection()
            try:
                connection.request(method, url, body, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (http.client.HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if last_try:
                    raise

    def _connection(self):
        connection = getattr(self._local, "connection", None)
        if connection is None:
            address = urlsplit(self.server)
            connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=PATIENCE,
                                                     context=self.tls)
            self._local.connection = connection
        return connection
