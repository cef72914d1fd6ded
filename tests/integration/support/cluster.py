"""A control plane, into which a test can install Ballast's chart."""

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

from .api import Api, ApiError, path, path_of
from .audit import AuditLog, ScaleWrite
from .objects import POLICY, custom_resource_definition
from .waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
TOOL = ROOT / "tests/cluster/cluster"
CHART = ROOT / "charts/ballast"
RELEASE = "ballast"
RELEASE_NAMESPACE = "ballast-system"


def user_of(release, namespace):
    """The operator's user name: the ServiceAccount of the chart's release."""
    return f"system:serviceaccount:{namespace}:{release}"


# The Service of the tests' metrics adapter.
ADAPTER = "adapter"
SYSTEM_NAMESPACES = {"default", "kube-node-lease", "kube-public", "kube-system"}
OPERATOR_USER = user_of(RELEASE, RELEASE_NAMESPACE)
# The folder of a control plane that several tests share, if there is one.
PLANE = os.environ.get("BALLAST_TEST_PLANE", "")
# The version of Kubernetes that the tests use; empty: the newest.
KUBERNETES = os.environ.get("BALLAST_TEST_KUBERNETES", "")
# Which of DIR/bin installs the chart: helm, or helm4.
HELM = os.environ.get("BALLAST_TEST_HELM", "helm")
# What is made or fetched once, and kept.
CACHE = Path(os.environ.get("BALLAST_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ballast")
# A test's exit status if the control plane cannot be built on this machine.
SKIPPED = 77


class Skipped(Exception):
    """The control plane's programs cannot be built on this machine; the message says why."""


class Cluster:
    """Starts when constructed; stops at close(), and when this process ends in any way. With `plane`, the folder
    of a control plane that runs, it is that one, in which close() leaves nothing of what was installed and made."""

    def __init__(self, *options, quiet=True, plane=""):
        self.folder = Path(tempfile.mkdtemp(prefix="ballast-test-"))
        self.dir = Path(plane or self.folder / "cluster").absolute()
        self.namespaces = []  # those that were made, in order
        # The chart's release; and its namespace, what it always sets, and the operator's user.
        self.release, self.release_namespace, self.release_values = RELEASE, RELEASE_NAMESPACE, ()
        self._shared, self._made = bool(plane), set()  # also the namespace of the release
        if not plane:
            try:
                self._up(options, quiet)
            except BaseException:
                self.close()
                raise
        # Their cache is by the server's address, which later another control plane may have.
        self.environment = os.environ | {"KUBECONFIG": str(self.dir / "kubeconfig"),
                                         "KUBECACHEDIR": str(self.folder / "kubectl-cache")}
        self.ca = self.dir / "pki/ca.crt"
        self.server = json.loads((self.dir / "state.json").read_text())["server"]
        self.api = Api(self.server, Api.context(
            self.ca, self.dir / "pki/admin.crt", self.dir / "pki/admin.key"))
        self.audit = AuditLog(self.dir / "audit.log")

    def _up(self, options, quiet):
        if KUBERNETES:
            options = ("--kubernetes", KUBERNETES, *options)
        if HELM != "helm":
            options = ("--" + HELM, *options)
        up = subprocess.run([TOOL, "up", self.dir, "--parent-pid", str(os.getpid()), *options],
                            stderr=subprocess.PIPE if quiet else None, text=True)
        if up.returncode:
            what = Skipped if up.returncode == SKIPPED else RuntimeError
            raise what((up.stderr or "the control plane did not come up").strip())

    def close(self):
        if self._shared:
            self._leave()
        else:
            subprocess.run([TOOL, "down", self.dir], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["rm", "-rf", self.folder], check=False)

    def _leave(self):
        """Removes what others could meet."""
        if self.release_namespace in self._made:
            self.helm("uninstall", self.release, "--ignore-not-found", "--namespace", self.release_namespace)
        for name in self._made:
            with contextlib.suppress(ApiError):  # the test has removed it
                self.api.delete(path("v1", "namespaces", None, name))

    def clear(self):
        """Removes what earlier tests have left on a control plane of which this one now has all; those that were
        killed left everything."""
        if not self._shared:
            return
        services = path("apiregistration.k8s.io/v1", "apiservices")
        for service in self.api.list(services):  # without its server, no namespace could end
            if service["spec"].get("service", {}).get("name") == ADAPTER:
                self.api.delete(f"{services}/{service['metadata']['name']}")
        self.helm("uninstall", RELEASE, "--ignore-not-found", "--namespace", RELEASE_NAMESPACE)
        left = lambda: {namespace["metadata"]["name"] for namespace in self.api.list(path("v1", "namespaces"))
                        } - SYSTEM_NAMESPACES
        for name in left():
            self.api.delete(path("v1", "namespaces", None, name))
        for name in SYSTEM_NAMESPACES:
            for kind in ((POLICY, "autoscalepolicies"), ("autoscaling/v2", "horizontalpodautoscalers")):
                with contextlib.suppress(ApiError):  # the kind may be gone
                    self.api.delete(path(*kind, name))
        wait_until(lambda: f"the end of the namespaces {left()}", lambda: not left())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- the programs of users

    def kubectl(self, *words, check=True, input_=None):
        """Returns kubectl's standard output or, with check=False, the finished process."""
        return self._run("kubectl", words, check, input_)

    def helm(self, *words, check=True):
        return self._run(HELM, words, check, None)

    def render_chart(self, *values):
        """The chart's objects as helm renders them; `values` are for --set-json."""
        return self.helm("template", self.release, CHART, "--namespace", self.release_namespace,
                         "--kube-version", "1.36.0", *set_json((*self.release_values, *values)))

    def install_chart(self, *values):
        """Installs or upgrades the chart without an operator's pod; `values` are for --set-json."""
        self._make(self.release_namespace)
        return self.helm("upgrade", "--install", self.release, CHART, "--namespace", self.release_namespace,
                         "--set", "replicas=0", *set_json((*self.release_values, *values)))

    def token(self, duration="1h"):
        """A token of the chart's ServiceAccount."""
        return self.kubectl("create", "token", self.release, "--namespace", self.release_namespace,
                            "--duration", duration).strip()

    def operator_kubeconfig(self, server=None, token_file=None, token=None):
        """Writes a kubeconfig for the chart's ServiceAccount or the token; returns its path."""
        server = server or self.server
        cluster = {"server": server}
        if server.startswith("https:"):
            cluster["certificate-authority"] = str(self.ca)
        user = {"tokenFile": str(token_file)} if token_file else {"token": token or self.token()}
        file = Path(tempfile.mkstemp(dir=self.folder, prefix="kubeconfig-")[1])
        file.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}))
        return file

    # --- objects

    def namespace(self, name):
        """Creates a namespace, unless this process has; returns a handle for it."""
        self._make(name)
        self.namespaces.append(name)
        return Namespace(self, name)

    def _make(self, name):
        if self._shared and name not in self._made:
            wait_until(f"the end of an earlier namespace {name}", lambda: (
                self._namespace(name).get("status", {}).get("phase") != "Terminating"))
            if self._namespace(name):
                raise AssertionError(f"another test on this control plane has the namespace {name}")
        self.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self._made.add(name)

    def _namespace(self, name):
        return self.api.get(path("v1", "namespaces", None, name)) or {}

    def define(self, kinds):
        """Creates `kinds`, {kind: plural}; returns once the API server serves them."""
        def is_served(plural):
            try:
                return self.api.get(path("example.com/v1", plural))
            except ApiError as error:
                if error.status == 429:  # the server is still creating their storage
                    return None
                raise

        for kind, plural in kinds.items():
            self.api.apply(custom_resource_definition(kind, plural))
        for plural in kinds.values():
            wait_until(f"{plural} to be served", lambda: is_served(plural))

    def manifests(self, file):
        """The file's objects, with a node name in their pod templates: there is no scheduler."""
        answer = json.loads(self.kubectl("apply", "--dry-run=client", "--output=json", "-f", file))
        objects = answer.get("items", [answer])
        for object_ in objects:
            if "template" in object_["spec"]:
                object_["spec"]["template"]["spec"]["nodeName"] = "node-0"
        return objects

    def scale_writes(self, namespace=None):
        """The operator's successful writes of scales in the API server's audit log."""
        user = user_of(self.release, self.release_namespace)
        writes = []
        for entry in self.audit.entries(user, '"subresource":"scale"', '"requestObject"'):
            if (entry["user"]["username"] == user and entry["responseStatus"]["code"] == 200
                    and namespace in (None, entry["objectRef"]["namespace"])):
                writes.append(ScaleWrite(entry))
        return writes

    def _run(self, program, words, check, input_):
        done = subprocess.run([self.dir / "bin" / program, *map(str, words)], input=input_,
                              capture_output=True, text=True, env=self.environment)
        if not check:
            return done
        if done.returncode:
            raise AssertionError(f"{program} {' '.join(map(str, words))}: {done.stderr.strip()}")
        return done.stdout


def set_json(values):
    """Helm's options for the values."""
    return [word for value in values for word in ("--set-json", value)]


class Namespace:
    """A namespace and what a test does in it."""

    def __init__(self, cluster, name):
        self.cluster, self.api, self.name = cluster, cluster.api, name

    def apply(self, *objects):
        for object_ in objects:
            self.api.apply(self.place(object_))

    def place(self, object_):
        return object_ | {"metadata": object_["metadata"] | {"namespace": self.name}}

    def path(self, object_, subresource=None):
        return path_of(self.place(object_), subresource)

    def get(self, object_):
        return self.api.get(self.path(object_))

    def policy(self, name):
        return self.api.get(path("ballast.dev/v1alpha1", "autoscalepolicies", self.name, name))

    def edit_policy(self, name, **spec):
        self.api.merge(path("ballast.dev/v1alpha1", "autoscalepolicies", self.name, name),
                       {"spec": spec})

    def scale(self, object_):
        """The object's scale."""
        return self.api.get(self.path(object_, "scale"))

    def set_scale(self, object_, replicas):
        """Sets the replicas, as `kubectl scale` does."""
        self.api.merge(self.path(object_, "scale"), {"spec": {"replicas": replicas}})

    def replicas(self, object_):
        """The replicas that the object's scale asks for."""
        return self.scale(object_)["spec"].get("replicas", 0)

    def pods(self, app):
        return self.api.list(path("v1", "pods", self.name), {"labelSelector": "app=" + app})

    def events(self, name):
        """The events about the object of that name."""
        events = self.api.list(path("events.k8s.io/v1", "events", self.name))
        return [event for event in events if event["regarding"]["name"] == name]
