"""The operator's rights: those that the chart grants, and those that it asks for, as the API server's
audit log tells."""

import json
import os
from pathlib import Path

from .api import path
from .cluster import RELEASE, user_of

RBAC = "rbac.authorization.k8s.io/v1"
# What no test can wait for: an override is deleted 30 days after its end.
AFTER_A_MONTH = {("delete", "ballast.dev", "autoscaleoverrides", "")}
# Where each class leaves what its operators asked for, if that is wanted.
FOLDER = os.environ.get("BALLAST_TEST_RIGHTS", "")


def granted(rules):
    """Each right of the rules: verb, group, resource, and the object's name or ""."""
    return {(verb, group, resource, name)
            for rule in rules for verb in rule["verbs"] for group in rule["apiGroups"]
            for resource in rule["resources"] for name in rule.get("resourceNames", [""])}


def rights(api):
    """The rights in the roles of the release that are bound to the operator."""
    rules = []
    for plural in "clusterroles", "roles":
        for role in api.list(path(RBAC, plural)):
            if role["metadata"]["name"] in (RELEASE, f"{RELEASE}-webhook", f"{RELEASE}-leader"):
                rules += role["rules"]
    return granted(rules)


def allows(right, request):
    return all(allowed == asked or (index == 2 and allowed == "*") or (index == 3 and not allowed)
               for index, (allowed, asked) in enumerate(zip(right, request)))


def unused(rights_, requests):
    return {right for right in rights_ if not any(allows(right, request) for request in requests)}


def asked(cluster):
    """What the operator asked of the API server: {(verb, group, resource, name): was it allowed?}. The last
    answer counts: a role takes effect a moment after it was written."""
    requests, user = {}, user_of(cluster.release, cluster.release_namespace)
    for entry in cluster.audit.entries(user):
        if "objectRef" not in entry or entry["user"]["username"] != user:
            continue
        of = entry["objectRef"]
        resource = "/".join(filter(None, (of["resource"], of.get("subresource"))))
        requests[entry["verb"], of.get("apiGroup", ""), resource, of.get("name", "")] = (
            entry.get("annotations", {}).get("authorization.k8s.io/decision") == "allow")
    return requests


def keep(name, rights_):
    """Leaves rights, or requests, for rights_union_test.py."""
    if FOLDER:
        Path(FOLDER).mkdir(exist_ok=True)
        (Path(FOLDER) / f"{name}.json").write_text(json.dumps(sorted(map(list, rights_))))
