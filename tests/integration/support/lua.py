"""Runs a health check in Lua as Argo CD does: with the object as `obj`, and a table as its result."""

import subprocess


def literal(value):
    """The value as Lua writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"[{literal(key)}] = {literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(map(literal, value)) + "}"
    if isinstance(value, str):
        return '"' + "".join(f"\\{byte:03d}" for byte in value.encode()) + '"'
    return {None: "nil", True: "true", False: "false"}.get(value, repr(value))


def health(script, object_):
    """What the script says of the object: (status, message). Argo CD has Lua 5.1."""
    program = (f"obj = {literal(object_)}\nlocal function check()\n{script}\nend\n"
               "local health = check()\nprint(health.status)\nprint(health.message)")
    done = subprocess.run(["lua5.1", "-"], input=program, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return tuple(done.stdout.rstrip("\n").split("\n", 1))
