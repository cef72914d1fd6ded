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


def commands(text):
    """The lines of blocks that begin with kubectl or ballast, and the code within lines that begins with kubectl and
    could be typed."""
    joined = text.replace("\\\n", " ")
    lines = re.findall(r"^ {4,}(?:\$ )?((?:kubectl|ballast) .*)$", joined, re.M)
    spans = re.findall(r"`(kubectl [^`]*)`", re.sub(r"\n(?=\S)", " ", joined))
    return [command for command in lines + spans if len(command.split()) > 2 and "..." not in command]
