"""Shared by the tests of the admission webhook: flags, reviews, a Service of several replicas."""

import http.client
import itertools
import json
import math
import socket
import ssl
import threading
import time
from dataclasses import dataclass

from .api import ApiError, path
from .cluster import RELEASE, RELEASE_NAMESPACE
from .objects import POLICY, policy
from .waiting import PATIENCE, wait_until

SECRET = f"{RELEASE_NAMESPACE}/{RELEASE}-webhook"
# All flags of the webhook except its address.
FLAGS = ("--webhook-host", "127.0.0.1", "--webhook-secret", SECRET,
         "--webhook-configuration", RELEASE)


def try_out(api, object_, namespace="default"):
    """Does what `kubectl create --dry-run=server` does."""
    where = path(object_["apiVersion"], "autoscalepolicies", namespace)
    return api.request("POST", where, object_, query={"dryRun": "All"})


def answers(api, namespace="default"):
    """Whether the API server can call the webhook."""
    try:
        try_out(api, policy("probe"), namespace)
        return True
    except ApiError as error:
        if "failed calling webhook" in error.message:
            return False
        raise


def refusal(api, object_, namespace="default"):
    """Why the API server would refuse to create the object; "" if it would not."""
    try:
        try_out(api, object_, namespace)
        return ""
    except ApiError as error:
        return error.message


class Load:
    """Sends reviews from several threads while entered; counts `calls`, keeps errors in `lost`."""

    def __init__(self, api, threads):
        self.calls, self.lost = 0, []
        self._api, self._done = api, threading.Event()
        self._threads = [threading.Thread(target=self._call) for _ in range(threads)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        for thread in self._threads:
            thread.join()

    def more(self, count):
        """Waits for that many more calls."""
        seen = self.calls
        wait_until("more calls", lambda: self.calls > seen + count)

    def _call(self):
        while not self._done.is_set():
            try:
                try_out(self._api, policy("probe"))
            except (ApiError, OSError) as error:
                self.lost.append(error)
            self.calls += 1


@dataclass
class Answer:
    allowed: bool
    closes: bool  # whether the connection closes


class Call:
    """A review sent to one replica by hand, in two halves."""

    def __init__(self, address, object_):
        group, version = POLICY.split("/")
        self._body = json.dumps({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
                "uid": "1", "operation": "CREATE", "name": object_["metadata"]["name"],
                "namespace": "default", "object": object_,
                "kind": {"group": group, "version": version, "kind": object_["kind"]}}}).encode()
        anyone = ssl.create_default_context()
        anyone.check_hostname, anyone.verify_mode = False, ssl.CERT_NONE
        self._connection = http.client.HTTPSConnection(address, context=anyone, timeout=PATIENCE)
        self._connection.putrequest("POST", "/validate")
        self._connection.putheader("Content-Type", "application/json")
        self._connection.putheader("Content-Length", str(len(self._body)))
        self._connection.endheaders(self._body[:20])

    def finish(self):
        """Sends the second half; returns the answer."""
        self._connection.send(self._body[20:])
        answer = self._connection.getresponse()
        allowed = json.loads(answer.read())["response"]["allowed"]
        self._connection.close()
        return Answer(allowed, closes=answer.getheader("Connection") == "close")


class Service:
    """One address for several replicas, as kube-proxy provides: new connections go to them in turn.
    That a replica is no longer ready takes effect LAG seconds after it was seen."""

    LAG = 1.0

    def __init__(self):
        self._until = {}  # until when new connections go to each address
        self._turn = itertools.count()
        self._closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = "127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def add(self, address, ready):
        """Adds the replica at that address; ready() returns whether it is ready."""
        self._until[address] = math.inf
        threading.Thread(target=self._watch, args=(address, ready), daemon=True).start()

    def close(self):
        self._closed.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _watch(self, address, ready):
        while ready():
            if self._closed.wait(0.1):
                return
        self._until[address] = time.monotonic() + self.LAG

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            now = time.monotonic()
            ready = [address for address, until in list(self._until.items()) if now < until]
            if not ready:
                client.close()
                continue
            host, port = ready[next(self._turn) % len(ready)].rsplit(":", 1)
            try:
                server = socket.create_connection((host, int(port)))
            except OSError:
                client.close()  # as in a cluster
                continue
            threading.Thread(target=self._serve, args=(client, server), daemon=True).start()

    def _serve(self, client, server):
        with client, server:
            back = threading.Thread(target=self._pass_on, args=(server, client), daemon=True)
            back.start()
            self._pass_on(client, server)
            back.join()

    @staticmethod
    def _pass_on(from_, to):
        try:
            while data := from_.recv(65536):
                to.sendall(data)
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the connection ends with the other direction
