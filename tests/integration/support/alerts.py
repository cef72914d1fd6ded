"""The commands in the alerts' texts."""

import re
import subprocess

from .cluster import CHART, RELEASE


def command_of(alert, **labels):
    """The command in the alert's text, for a series with these labels."""
    rules = (CHART / "files/alerts.yaml").read_text()
    command = re.search(rf"^- alert: {alert}\n(?:  .*\n)*? +(kubectl .*)\n", rules, re.M)[1]
    return re.sub(r"{{ \$labels\.(\w+) }}", lambda found: labels[found[1]], command.replace("LEASE", RELEASE))


def run_command(cluster, text):
    """What the command at the end of an alert's text prints."""
    command = re.search(r"kubectl .*", text)[0]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                          env=cluster.environment | {"PATH": f"{cluster.dir / 'bin'}:/usr/bin:/bin"})
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout
