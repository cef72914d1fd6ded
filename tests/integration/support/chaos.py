"""A network that breaks calls and watches at random, and records what the API server applied."""

import json
import random
import re
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass
from urllib.parse import parse_qs, urlsplit

from .judgement import Write
from .proxy import DROP, END, RESET, SILENCE, Answer, Break, Rule, status, status_answer

SCALE = re.compile(r"/namespaces/(?P<namespace>[^/]+)/[^/]+/(?P<name>[^/]+)/scale(\?|$)")
# An API server's default timeout, for requests that set none.
REQUEST_TIMEOUT = 60.0
SLOW, HANG = (0.5, 5.0), (5.0, 40.0)  # seconds


def timeout_of(request):
    """For how many seconds the server may work on the request; after that it applies nothing."""
    texts = parse_qs(urlsplit(request.path).query).get("timeout")
    if not texts:
        return REQUEST_TIMEOUT
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
    parts = re.findall(r"([\d.]+)(ms|s|m|h)", texts[0])
    return sum(float(number) * units[unit] for number, unit in parts)


def event(type_, object_):
    return json.dumps({"type": type_, "object": object_}).encode() + b"\n"


PAGE = Answer(b"<html><body>Sign in to this network</body></html>", content_type="text/html")

# The faults of the network, by name. The functions of the first two tables take the rule, and the
# request or the server's answer; they return what before() or after() returns.
INSTEAD = {  # instead of forwarding the request
    "500": lambda rule, _: status_answer(500, "InternalError", "etcdserver: request timed out"),
    "503": lambda rule, _: status_answer(503, "ServiceUnavailable", "apiserver is shutting down"),
    "429": lambda rule, _: status_answer(429, "TooManyRequests", "slow down",
                                         **{"Retry-After": "1"}),
    "HTML": lambda rule, _: PAGE,
    "reset": lambda rule, _: RESET,
    "slow": lambda rule, request: rule.hold(request, *SLOW),
    "hang": lambda rule, request: rule.hold(request, *HANG),
}
AFTERWARDS = {  # after the server has acted
    "truncated": lambda rule, answer: Answer(answer.body, answer.status, cut=len(answer.body) // 2),
    "garbage": lambda rule, answer: Answer(rule.noise(len(answer.body)), answer.status),
    "lost": lambda rule, _: rule.choice([DROP, RESET, status_answer(504, "Timeout", "no answer")]),
    "late": lambda rule, _: rule.wait(rule.between(*SLOW)),
}
WATCHES = {  # how a watch ends: its last bytes, and the ending
    "cut": (b"", RESET),
    "half a line": (b'{"type":"MODIFIED","object":{"kind":"Pod","metadata":{"name":"we', DROP),
    "410": (event("ERROR", status(410, "Expired", "too old resource version")), END),
    "error event": (event("ERROR", status(500, "InternalError", "etcd is on fire")), END),
    "silent": (b"", SILENCE),
}


@dataclass
class Call:
    """A call that was broken, or that wrote a scale. Times are seconds since 1970."""
    at: float
    method: str
    path: str
    fault: str
    body: str = ""
    status: int = 0  # the server's; 0 if it did not answer the call
    answered: float = 0.0


class Chaos(Rule):
    """Breaks the share `calls` of calls, and the share `watches` of watches, each at a random
    moment in its first `within` seconds. The same seed draws the same faults, in the order in
    which calls happen to come. Any thread may call it."""

    def __init__(self, seed, calls=0.2, watches=0.8, within=30.0):
        self.calls, self.watches, self.within = calls, watches, within
        self.log = []  # Calls
        self.writes = []  # Writes of scales that the API server applied, according to its answers
        self.faults = Counter()
        self.requests = 0
        self._dice = random.Random(seed)
        self._lock = threading.Lock()
        self._over = threading.Event()

    def stop(self):
        """Breaks nothing from now on, and releases held calls."""
        self.calls = self.watches = 0
        self._over.set()

    # --- called by the proxy

    def before(self, request):
        faults = list(INSTEAD) if request.is_watch else [*INSTEAD, *AFTERWARDS]
        with self._lock:
            self.requests += 1
            fault = self._dice.choice(faults) if self._dice.random() < self.calls else ""
            if fault:
                self.faults[fault] += 1
        if fault or _is_scale_write(request):
            call = request.fault = Call(time.time(), request.method, request.path, fault,
                                        request.body.decode(errors="replace"))
            self.log.append(call)
        return INSTEAD[fault](self, request) if fault in INSTEAD else None

    def after(self, request, status, body):
        call = request.fault
        if not call:
            return None
        call.status, call.answered = status, time.time()
        if _is_scale_write(request) and status == 200:
            self.writes.append(_write(call, body))
        if call.fault in AFTERWARDS:
            return AFTERWARDS[call.fault](self, Answer(body, status))
        return None

    def watch(self, request):
        with self._lock:
            if self._dice.random() >= self.watches:
                return None
            fault = self._dice.choice(list(WATCHES))
            self.faults["watch: " + fault] += 1
            call = Call(time.time(), "WATCH", request.path, fault)
            break_ = Break(self._dice.uniform(0, self.within), WATCHES[fault][1],
                           WATCHES[fault][0])
        call.answered = call.at + break_.after
        self.log.append(call)
        return break_

    # --- called by the tables

    def between(self, low, high):
        with self._lock:
            return self._dice.uniform(low, high)

    def choice(self, things):
        with self._lock:
            return self._dice.choice(things)

    def noise(self, size):
        with self._lock:
            return self._dice.randbytes(max(size, 20))

    def wait(self, delay):
        """Waits for `delay` seconds or until stop()."""
        self._over.wait(delay)

    def hold(self, request, low, high):
        """Holds the request. It reaches the server late or, if its timeout is over by then, never:
        nothing is applied later than its sender allowed."""
        began = time.monotonic()
        self.wait(self.between(low, high))
        return DROP if time.monotonic() - began >= timeout_of(request) else None

    def dump(self, file):
        """Writes the log as JSON lines, to help find the cause of a failure."""
        with open(file, "w", encoding="utf-8") as out:
            for call in list(self.log):
                print(json.dumps(asdict(call)), file=out)


def _is_scale_write(request):
    return request.method in ("PATCH", "PUT") and bool(SCALE.search(request.path))


def _write(call, body):
    """A write of a scale: the new count is in the answer, the old count in the patch's test."""
    place = SCALE.search(call.path)
    sent = json.loads(call.body)
    steps = sent if isinstance(sent, list) else []  # else the whole scale, without tests
    tested = {step["path"]: step["value"] for step in steps if step["op"] == "test"}
    return Write(call.answered, f"{place['namespace']}/{place['name']}",
                 tested.get("/spec/replicas"), json.loads(body)["spec"].get("replicas", 0))
