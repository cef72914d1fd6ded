"""Runs Kubernetes' own HPA controller as a process, in the place of an operator."""

import subprocess

from .objects import namespaced

NAMESPACE, ACCOUNT = "kube-system", "peer"
USER = f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}"


def allow(cluster):
    """Creates an account that may do everything; returns its token."""
    metadata = {"name": ACCOUNT, "namespace": NAMESPACE}
    cluster.api.apply(namespaced("v1", "ServiceAccount", ACCOUNT, metadata=metadata))
    cluster.kubectl("create", "clusterrolebinding", ACCOUNT, "--clusterrole", "cluster-admin",
                    "--serviceaccount", f"{NAMESPACE}:{ACCOUNT}")
    return cluster.kubectl("create", "token", ACCOUNT, "--namespace", NAMESPACE,
                           "--duration", "4h").strip()


class HpaController:
    """kube-controller-manager with only this controller, started when constructed."""

    def __init__(self, cluster, kubeconfig, period):
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", cluster.dir / "bin/kube-controller-manager",
             "--kubeconfig", kubeconfig, "--controllers", "horizontal-pod-autoscaler-controller",
             "--leader-elect=false", "--secure-port=0",
             f"--horizontal-pod-autoscaler-sync-period={period}s",
             # Without the client's own rate limits, and in JSON, which the proxy can read.
             "--kube-api-qps=1000", "--kube-api-burst=2000",
             "--kube-api-content-type=application/json"],
            stderr=subprocess.DEVNULL, start_new_session=True)

    @property
    def running(self):
        return self._process.poll() is None

    def kill(self):
        self._process.kill()

    def wait(self):
        return self._process.wait(60)

    def close(self):
        self.kill()
        self.wait()
