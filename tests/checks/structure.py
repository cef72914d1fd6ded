"""What keeps the program's parts apart, as far as the sources' texts tell: one meaning for each type's name, and an
order among the files of a folder. The arguments are the texts of the program's sources by their paths."""

import re
from pathlib import PurePath

# Names of what each class may have one of.
SHARED = {"Options", "Output", "Kind"}

TYPE = re.compile(r"(?:struct|class|union|enum(?: class| struct)?) (?:\w+::)*(\w+)(?: final)?\s*(?::(?!:).*|\{.*)?$")


def types(text):
    """Yields (line, name) for each type that the text defines, but not for those of one function. Relies on
    clang-format's indentation."""
    scopes = []  # (indentation, whether types may be defined in it), from the outside in
    head = None  # of the statement that has not ended: (indentation, whether it defines a type)
    for number, line in enumerate(text.splitlines(), 1):
        code = line.partition("//")[0].rstrip()
        if not code.strip() or code.startswith("#") or re.match(r" *(public|private|protected):$", code):
            continue
        indent = len(code) - len(code.lstrip())
        if head is None:
            while scopes and scopes[-1][0] >= indent and not code.lstrip().startswith("namespace "):
                scopes.pop()
        found = TYPE.match(code.strip())
        is_type = found is not None and ("{" in code or not code.endswith(";"))
        if is_type and all(open_ for _, open_ in scopes):
            yield number, found[1]
        if head is None:
            head = indent, is_type or code.startswith("namespace ")
        elif is_type:
            head = head[0], True
        if code.endswith("{"):
            scopes.append(head)
        if re.search(r"[;{}>:]$", code):
            head = None


def names(sources):
    """Yields what is wrong: a type's name that two types have."""
    first = {}
    for path, text in sources.items():
        for number, name in types(text):
            if name in SHARED:
                continue
            if name in first:
                yield f"{path}:{number}: {first[name]} has another type {name}; one of them is something else"
            else:
                first[name] = f"{path}:{number}"


def circles(sources):
    """Yields what is wrong: files of a folder that include each other, a header and its source file being one."""
    def unit(path):
        return str(PurePath(path).with_suffix(""))

    included = {}
    for path, text in sources.items():
        for other in re.findall(r'^#include "([^"]+)"', text, re.M):
            if PurePath(other).parent == PurePath(path).parent and unit(other) != unit(path):
                included.setdefault(unit(path), set()).add(unit(other))
    reached = {start: reachable(included, start) for start in included}
    told = set()
    for start in sorted(reached):
        circle = sorted(other for other in reached[start] if start in reached.get(other, ()))
        if circle and start not in told:
            told.update(circle)
            yield f"{start}: it includes itself by way of {', '.join(c for c in circle if c != start)}"


def reachable(edges, start):
    found, left = set(), [start]
    while left:
        for other in edges.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found
