"""What documents have for readers to copy: commands, values, scripts."""

import re
import textwrap

from .cluster import ROOT


def section(document, title):
    """The text below that title, up to the next one."""
    page = "\n" + (ROOT / document).read_text()
    return re.search(rf"\n#+ {re.escape(title)}\n(.*?)(?=\n#+ |\Z)", page, re.S)[1]


def blocks(text):
    """Its blocks, which are indented, without the indentation of their first line."""
    found = re.findall(r"(?:\A|\n\n)((?: {4}.*\n(?:\n(?= {4}))?)+)", text + "\n")
    return [textwrap.dedent(block) for block in found]
