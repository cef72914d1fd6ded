"""Reads the pages that an operator and an API server serve, as kubelets and Prometheus do."""

import http.client
import re
from collections import Counter

from .cluster import ROOT
from .waiting import PATIENCE


def get(address, page):
    """The status and the text of a page; 0 and "" if the connection fails."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (http.client.HTTPException, OSError):
        return 0, ""
    finally:
        connection.close()


def samples(text, name):
    """(labels, value) of each sample of that name on a page in Prometheus' text format."""
    for labels, value in re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.M):
        yield dict(re.findall(r'(\w+)="([^"]*)"', labels)), float(value)


def api_requests(text):
    """{(verb, resource): count} of an API server's page of metrics, without watches: these last."""
    found = Counter()
    for of, count in samples(text, "apiserver_request_total"):
        if of["verb"] != "WATCH":
            resource = "/".join(filter(None, (of["resource"], of["subresource"])))
            found[of["verb"], resource] += count
    return found


def families(text):
    """{name: (type, labels)} of a page in Prometheus' text format."""
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.M))
    found = {}
    for name, labels in re.findall(r"^([a-z_]+)(?:{(.*)})? \S+$", text, re.M):
        family = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
        names = re.findall(r'([a-z_]+)="(?:[^"\\]|\\.)*"', labels)
        found[family] = (types[family], tuple(n for n in names if n != "le"))
    return found


def documented(document):
    """The same for the table of a document's section Metrics."""
    table = (ROOT / document).read_text().split("## Metrics")[1]
    return {name: (kind, tuple(filter(None, labels.strip().split(", "))))
            for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \|(.*?)\|", table, re.M)}
