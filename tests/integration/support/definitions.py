"""The CustomResourceDefinitions of the other projects whose objects the chart can create."""

import subprocess
from pathlib import Path

from .cluster import ROOT
from .json_texts import parse_all

# The modules that definitions/go.mod pins, and where the files lie in them.
FILES = {
    "github.com/cert-manager/cert-manager":
        ["deploy/crds/cert-manager.io_certificates.yaml", "deploy/crds/cert-manager.io_issuers.yaml"],
    "github.com/prometheus-operator/prometheus-operator":
        ["example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
         "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"],
}


def definition_files():
    """Downloads the modules, unless Go has them already; returns the files' paths."""
    done = subprocess.run(["go", "mod", "download", "-json", *FILES],
                          cwd=ROOT / "tests/integration/definitions",
                          capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the definitions cannot be downloaded: {done.stderr or done.stdout}")
    return [Path(module["Dir"]) / file for module in parse_all(done.stdout)
            for file in FILES[module["Path"]]]
