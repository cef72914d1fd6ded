"""A client that writes scales and does nothing else: how soon that can be done."""

from concurrent.futures import ThreadPoolExecutor

from support.api import Api, path

CONNECTIONS = 16


class BareClient:
    """Writes the scales of Deployments, `places` being (namespace, name), until close(). It has the rights of the
    chart's operator, and sends the same patches."""

    name = f"bare client, {CONNECTIONS} connections"

    def __init__(self, cluster, places):
        self._api = Api(cluster.server, Api.context(cluster.ca), cluster.token())
        self._threads = ThreadPoolExecutor(CONNECTIONS)  # each has a connection, and opens it here
        self._scales = list(self._threads.map(
            lambda place: (_scale(place), self._api.get(_scale(place))["metadata"]["uid"]), places))

    def close(self):
        self._threads.shutdown()

    def write(self, before, replicas):
        """Sets the replicas of all, which are `before`; returns once all are written."""
        def one(scale):
            where, uid = scale
            self._api.request("PATCH", where, [
                {"op": "test", "path": "/metadata/uid", "value": uid},
                {"op": "test", "path": "/spec/replicas", "value": before},
                {"op": "replace", "path": "/spec/replicas", "value": replicas}], "application/json-patch+json")
        list(self._threads.map(one, self._scales))


def _scale(place):
    return path("apps/v1", "deployments", *place, "scale")
