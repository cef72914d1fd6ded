"""A control plane of the test's own, into which it can install Ballast's chart."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from .api import Api, ApiError, path, path_of
from .objects import custom_resource_definition
from .waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]
TOOL = ROOT / "tests/cluster/cluster"
CHART = ROOT / "charts/ballast"
RELEASE = "ballast"
RELEASE_NAMESPACE = "ballast-system"
# The operator's user name: the chart's ServiceAccount.
OPERATOR_USER = f"system:serviceaccount:{RELEASE_NAMESPACE}:{RELEASE}"
# The version of Kubernetes that the tests use; empty: the newest.
KUBERNETES = os.environ.get("BALLAST_TEST_KUBERNETES", "")
# What is made or fetched once, and kept.
CACHE = Path(os.environ.get("BALLAST_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ballast")
# A test's exit status if the control plane cannot be built on this machine.
SKIPPED = 77


class Skipped(Exception):
    """The control plane's programs cannot be built on this machine; the message says why."""


class Cluster:
    """Starts when constructed; stops at close(), and when this process ends in any way."""

    def __init__(self, *options, quiet=True, audit_policy=None):
        """`audit_policy`: the text of another one than the control plane's."""
        self.folder = Path(tempfile.mkdtemp(prefix="ballast-test-"))
        self.dir = self.folder / "cluster"
        self.namespaces = []  # those that were made, in order
        if audit_policy:
            file = self.folder / "audit-policy.yaml"
            file.write_text(audit_policy)
            options = ("--flag", f"kube-apiserver=--audit-policy-file={file}", *options)
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

    def _up(self, options, quiet):
        if KUBERNETES:
            options = ("--kubernetes", KUBERNETES, *options)
        up = subprocess.run([TOOL, "up", self.dir, "--parent-pid", str(os.getpid()), *options],
                            stderr=subprocess.PIPE if quiet else None, text=True)
        if up.returncode:
            what = Skipped if up.returncode == SKIPPED else RuntimeError
            raise what((up.stderr or "the control plane did not come up").strip())

    def close(self):
        subprocess.run([TOOL, "down", self.dir], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["rm", "-rf", self.folder], check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # --- the programs of users

    def kubectl(self, *words, check=True, input_=None):
        """Returns kubectl's standard output or, with check=False, the finished process."""
        return self._run("kubectl", words, check, input_)

    def helm(self, *words, check=True):
        return self._run("helm", words, check, None)

    def render_chart(self, *values):
        """The chart's objects as helm renders them; `values` are for --set-json."""
        return self.helm("template", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE,
                         "--kube-version", "1.36.0", *set_json(values))

    def install_chart(self, *values):
        """Installs or upgrades the chart without an operator's pod; `values` are for --set-json."""
        return self.helm("upgrade", "--install", RELEASE, CHART, "--namespace", RELEASE_NAMESPACE,
                         "--create-namespace", "--set", "replicas=0", *set_json(values))

    def token(self, duration="1h"):
        """A token of the chart's ServiceAccount."""
        return self.kubectl("create", "token", RELEASE, "--namespace", RELEASE_NAMESPACE,
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
        """Creates a namespace; returns a handle for it."""
        self.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.namespaces.append(name)
        return Namespace(self, name)

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

    def audit(self, *texts):
        """The entries of the API server's audit log that contain the texts. A call's entry may come after
        its answer."""
        *lines, _ = (self.dir / "audit.log").read_text().split("\n")  # the last may be half written
        return [json.loads(line) for line in lines if all(text in line for text in texts)]

    def scale_writes(self, namespace=None, user=OPERATOR_USER):
        """The successful writes of scales by `user` in the API server's audit log."""
        writes = []
        for entry in self.audit(user, '"subresource":"scale"', '"requestObject"'):
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


class ScaleWrite:
    """One successful write of a scale; `at` is when the server received it, RFC 3339: its answer may
    come before the log's later times."""

    def __init__(self, entry):
        reference, patch = entry["objectRef"], entry["requestObject"]
        tests = {step["path"]: step["value"] for step in patch if step["op"] == "test"}
        self.at = entry["requestReceivedTimestamp"]
        self.namespace, self.target = reference["namespace"], reference["name"]
        self.uid = tests.get("/metadata/uid")
        self.from_ = tests.get("/spec/replicas")
        self.to = entry["responseObject"]["spec"]["replicas"]
        self.target_uid = entry["responseObject"]["metadata"]["uid"]

    def __repr__(self):
        return f"{self.at} {self.namespace}/{self.target} {self.from_}->{self.to}"


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
