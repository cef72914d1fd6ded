"""Prometheus and promtool of Debian: those on the PATH, else those that .ci/unpack has in the cache."""

import http.server
import json
import re
import shutil
import subprocess
import threading
import urllib.parse
import urllib.request

from .cluster import CACHE, Skipped
from .waiting import wait_until


def program(name):
    """The path of `prometheus` or `promtool`. Raises Skipped if there is none."""
    if found := shutil.which(name):
        return found
    unpacked = CACHE / "packages/prometheus/usr/bin" / name
    if not unpacked.exists():
        raise Skipped(f"there is no {name}; `tests/run long` fetches it first")
    return unpacked


class Exporter:
    """What Prometheus scrapes, until close(): the text that `samples` returns, in its text format. Or, with
    another type of content, what somebody else asks for."""

    def __init__(self, samples, content_type="text/plain; version=0.0.4"):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = samples().encode()
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Prometheus:
    """A server that scrapes one target every second; ends with close(), and with this process."""

    def __init__(self, folder, target, labels=(), rules=""):
        """`target`: host:port; `labels`: of the target; `rules`: the text of a rules file."""
        folder.mkdir()
        (folder / "rules.yaml").write_text(rules)
        (folder / "prometheus.yaml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(folder / "rules.yaml")],
            "scrape_configs": [{"job_name": "ballast", "static_configs": [
                {"targets": [target], "labels": dict(labels)}]}]}))
        self._path = folder / "log"
        with self._path.open("w", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", program("prometheus"),
                 f"--config.file={folder / 'prometheus.yaml'}",
                 f"--storage.tsdb.path={folder / 'data'}", "--web.listen-address=127.0.0.1:0"],
                stdout=log, stderr=log)
        self.address = wait_until("Prometheus to listen", self._find_address)
        wait_until("Prometheus to be ready", self._ready)

    def _find_address(self):
        text = self._path.read_text(encoding="utf-8")
        if self._process.poll() is not None:
            raise AssertionError(f"Prometheus ended: {text[-2000:]}")
        found = re.search(r'msg="Listening on" address=(\S+)', text)
        return found and found[1]

    def _ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready") as answer:
                return answer.status == 200
        except OSError:  # an HTTPError is one
            return False

    def ask(self, what, **parameters):
        """The data of an answer of its API."""
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://{self.address}/api/v1/{what}?{query}") as answer:
            return json.load(answer)["data"]

    def firing(self):
        """{alert: its alert with labels and annotations} of all that fire."""
        return {alert["labels"]["alertname"]: alert for alert in self.ask("alerts")["alerts"]
                if alert["state"] == "firing"}

    def close(self):
        self._process.kill()
        self._process.wait()
