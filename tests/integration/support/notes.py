"""The commands that the chart's notes tell users to run next."""


def commands(notes):
    """The commands among the notes: what is indented by two blanks, up to a line that is not."""
    found = [""]
    for line in notes.splitlines():
        if line.startswith("  "):
            found[-1] += line.removeprefix("  ") + "\n"
        elif found[-1]:
            found.append("")
    return [command for command in found if command]
