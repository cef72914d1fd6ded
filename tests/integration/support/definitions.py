"""The CustomResourceDefinitions of the other projects whose objects the chart can create."""

import gzip

from .cluster import ROOT

FOLDER = ROOT / "tests/integration/definitions"  # `renew` there says where the files are from


def define(cluster):
    """Creates them."""
    for file in sorted(FOLDER.glob("*.yaml.gz")):
        cluster.kubectl("apply", "--server-side", "-f", "-", input_=gzip.decompress(file.read_bytes()).decode())
