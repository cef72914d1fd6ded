"""What there is to run. Without Go there is no control plane, and what needs one is left out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Suite:
    """A CMake preset, what is built with it, and the CTest labels of the tests that run."""
    preset: str
    labels: str  # a regular expression
    targets: tuple
    limit: int = 600  # seconds for a test
    beside: "Suite | None" = None  # of which the targets are built, too


PROGRAM = Suite("release", "", ("ballast",))

# Unit tests run under the sanitizers alone: compiling them twice would take minutes more. What is exact
# and quick to fail comes before what runs on a control plane.
SUITES = {
    "release": Suite("release", "conformance|check",
                     ("ballast", "check_vectors", "conformance_tests", "ballast_faults", "lying_adapter")),
    "asan": Suite("asan", "unit|conformance|sanitized", ("unit_tests", "conformance_tests", "fuzzers")),
    # Tests with several threads. cpprestsdk is not instrumented, so none makes a real request.
    "tsan": Suite("tsan", "threads", ("threads_tests",)),
    "cluster": Suite("release", "cluster", ("ballast", "runtime_cluster_test")),
    # Without sanitizers, for who changes something: needs neither Go nor the network.
    "unit": Suite("unit", "unit|conformance", ("unit_tests", "conformance_tests")),

    # In the long run only. First those on a control plane of which the gate has another guard.
    "long": Suite("release", "long", ("ballast", "check_vectors")),
    # Some of `cluster` again, with the sanitized program.
    "cluster-asan": Suite("asan", "cluster_asan", ("ballast",)),
    # On earlier versions of Kubernetes: the one before the newest, and the oldest that Ballast supports.
    "older": Suite("release", "older", ("ballast",)),
    # Metrics by the real prometheus-adapter, and by way of the real prom-label-proxy.
    "adapter": Suite("release", "adapter", ("ballast",)),
    # Beside an earlier version of the program, which it builds first.
    "versions": Suite("release", "versions", ("ballast",), limit=3600),
    # Builds the Dockerfile, and runs README's commands.
    "install": Suite("release", "install", ("ballast",), limit=3600),
    # The program for arm64, which qemu runs, and what is packed for two architectures.
    "arm64": Suite("arm64", "conformance|arm64", ("ballast", "conformance_tests"), beside=PROGRAM),
    "fuzz": Suite("fuzz", "fuzz", ("fuzzers",)),
    "search": Suite("release", "search", ("ballast_faults",)),
    "lint": Suite("release", "lint", ("ballast", "bench", "record_golden")),
}
# What has tests on a control plane, which needs Go.
ON_A_CONTROL_PLANE = {"cluster", "chosen", "long", "cluster-asan", "older", "adapter", "versions", "install"}
# Whatever runs on a control plane, to choose from.
CHOSEN = Suite("release", "cluster|long|older|adapter|versions|install", ("ballast", "check_vectors", "runtime_cluster_test"))


# What the words of `tests/run` stand for: suites, and how long they take on two cores.
GATE = ("release", "asan", "tsan", "cluster")
GROUPS = {
    "all": (("release", "asan", "cluster"), "about 9 minutes, and 45 on a bare machine"),
    "gate": (GATE, "about 11 minutes, and 35 on a bare machine"),
    "unit": (("unit",), "about 2 minutes, and 8 on a bare machine"),
    "long": (tuple(name for name in SUITES if name != "unit"), "hours"),
}
