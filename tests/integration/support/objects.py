"""Manifests of workloads and policies."""

from datetime import datetime, timedelta, timezone

POLICY = "ballast.dev/v1alpha1"


def namespaced(api_version, kind, name, **fields):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields}


def pod_template(app, cpu="100m"):
    """Pods that request `cpu`. They name their node, because there is no scheduler."""
    return {
        "metadata": {"labels": {"app": app}},
        "spec": {
            "nodeName": "node-0",
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "app", "image": "app",
                            "resources": {"requests": {"cpu": cpu}}}],
        },
    }


def workload(kind, name, replicas=1, cpu="100m"):
    """A Deployment, StatefulSet, ReplicaSet or ReplicationController; its pods are app=NAME."""
    spec = {"replicas": replicas, "template": pod_template(name, cpu)}
    if kind == "ReplicationController":
        return namespaced("v1", kind, name, spec=spec | {"selector": {"app": name}})
    spec["selector"] = {"matchLabels": {"app": name}}
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    return namespaced("apps/v1", kind, name, spec=spec)


def deployment(name, replicas=1, cpu="100m"):
    return workload("Deployment", name, replicas, cpu)


def cpu_metric(percent):
    return {"type": "Resource", "resource": {
        "name": "cpu", "target": {"type": "Utilization", "averageUtilization": percent}}}


def scale_down(window, **rules):
    """A behavior that waits `window` seconds before it scales in."""
    return {"scaleDown": {"stabilizationWindowSeconds": window, **rules}}


def policy(name, target=None, min_replicas=1, max_replicas=10, cpu=50, period=1, window=0, **spec):
    """A policy that keeps `target` (a manifest; default: Deployment NAME) at `cpu` percent CPU."""
    target = target or deployment(name)
    return namespaced(POLICY, "AutoScalePolicy", name, spec={
        "scaleTargetRef": {"apiVersion": target["apiVersion"], "kind": target["kind"],
                           "name": target["metadata"]["name"]},
        "minReplicas": min_replicas,
        "maxReplicas": max_replicas,
        "metrics": [cpu_metric(cpu)],
        "behavior": scale_down(window),
        "syncPeriodSeconds": period,
        **spec,
    })


def override(target, minutes=60, kind="AutoScalePolicy", **effect):
    """An AutoScaleOverride of the autoscaler `target` that ends in so many minutes: floor=3, hold="All", ..."""
    until = datetime.now(timezone.utc) + timedelta(minutes=minutes)
    return namespaced(POLICY, "AutoScaleOverride", f"{target}-override", spec={
        "target": {"kind": kind, "name": target}, "until": until.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "reason": "sale", **effect})


def custom_resource_definition(kind, plural):
    """The CRD of a kind with its scale in unusual fields: spec.fleet.size, status.seen."""
    number = {"type": "integer"}
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "fleet": {"type": "object", "properties": {"size": number}}}},
        "status": {"type": "object", "properties": {
            "seen": number, "chosen": {"type": "string"}}}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [{
                "name": "v1", "served": True, "storage": True,
                "schema": {"openAPIV3Schema": schema},
                "subresources": {"status": {}, "scale": {
                    "specReplicasPath": ".spec.fleet.size",
                    "statusReplicasPath": ".status.seen",
                    "labelSelectorPath": ".status.chosen"}}}]}}


def hpa(name, target, min_replicas=1, max_replicas=3, **spec):
    """A HorizontalPodAutoscaler on `target` (a manifest)."""
    return namespaced("autoscaling/v2", "HorizontalPodAutoscaler", name, spec={
        "scaleTargetRef": {"apiVersion": target["apiVersion"], "kind": target["kind"],
                           "name": target["metadata"]["name"]},
        "minReplicas": min_replicas, "maxReplicas": max_replicas, "metrics": [cpu_metric(50)],
        **spec})


def is_managed(hpa_object):
    """Whether Ballast is the controller of an HPA: it has observed its generation, which servers count since 1.37, as
    the built-in controller does there, too."""
    if not hpa_object:
        return False
    metadata, status = hpa_object["metadata"], hpa_object.get("status", {})
    observed = {entry["manager"] for entry in metadata["managedFields"] if entry.get("subresource") == "status"
                and "f:observedGeneration" in entry["fieldsV1"].get("f:status", {})}
    return (observed == {"ballast"} and status.get("observedGeneration") == metadata.get("generation", 0)
            and condition(hpa_object, "AbleToScale")["status"] == "True")


def condition(object_, type_):
    """The object's condition of that type, or an empty one."""
    for found in (object_ or {}).get("status", {}).get("conditions", []):
        if found["type"] == type_:
            return found
    return {"type": type_, "status": "", "reason": "", "message": ""}
