"""Runs Kubernetes' own HPA controller as a process, in the place of an operator."""

import subprocess

from .objects import namespaced
from .waiting import PATIENCE

NAMESPACE, ACCOUNT = "kube-system", "peer"
USER = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"


RBAC = "rbac.authorization.k8s.io"


def allow(cluster, namespaces=None):
    """Creates an account that may do everything or, with `namespaces`, everything in these, and
    elsewhere watch HPAs and pods; returns its token."""
    metadata = {"name": ACCOUNT, "namespace": NAMESPACE}
    cluster.api.apply(namespaced("v1", "ServiceAccount", ACCOUNT, metadata=metadata))
    if namespaces is None:
        _bind(cluster, "ClusterRoleBinding", "cluster-admin")
    else:
        watch = {"resources": ["horizontalpodautoscalers", "pods"], "apiGroups": ["autoscaling", ""],
                 "verbs": ["get", "list", "watch"]}
        cluster.api.apply(namespaced(f"{RBAC}/v1", "ClusterRole", ACCOUNT, rules=[watch]))
        _bind(cluster, "ClusterRoleBinding", ACCOUNT)
        for namespace in namespaces:
            _bind(cluster, "RoleBinding", "cluster-admin", namespace=namespace)
    return cluster.kubectl("create", "token", ACCOUNT, "--namespace", NAMESPACE,
                           "--duration", "4h").strip()


def _bind(cluster, kind, role, **place):
    cluster.api.apply(namespaced(
        f"{RBAC}/v1", kind, ACCOUNT, metadata={"name": ACCOUNT, **place},
        roleRef={"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        subjects=[{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NAMESPACE}]))


# Without the client's own rate limits, and in JSON, which the proxy can read.
PROXIED = ("--kube-api-qps=1000", "--kube-api-burst=2000",
           "--kube-api-content-type=application/json")


class HpaController:
    """kube-controller-manager with only this controller, started when constructed; `client` are
    the flags of its API client."""

    def __init__(self, cluster, kubeconfig, period, *flags, client=PROXIED):
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", cluster.dir / "bin/kube-controller-manager",
             "--kubeconfig", kubeconfig, "--controllers", "horizontal-pod-autoscaler-controller",
             "--leader-elect=false", "--secure-port=0",
             f"--horizontal-pod-autoscaler-sync-period={period}s", *client, *flags],
            stderr=subprocess.DEVNULL, start_new_session=True)

    @property
    def pid(self):
        return self._process.pid

    @property
    def running(self):
        return self._process.poll() is None

    def kill(self):
        self._process.kill()

    def wait(self):
        return self._process.wait(PATIENCE)

    def close(self):
        self.kill()
        self.wait()
