"""What a run says at its end. The last line is always: N passed, N failed, N skipped."""

SLOWEST = 10  # how many tests are listed


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def print_times(times, tests):
    """`times`: {suite: (seconds of its build, seconds of its tests)}."""
    print("== what took how long (minutes:seconds)")
    print(f"{'suite':24}{'build':>9}{'tests':>9}")
    together = [sum(column) for column in zip(*times.values())] or [0, 0]
    for name, row in [*times.items(), ("together", together)]:
        print(f"{name:24}" + "".join(f"{minutes(seconds):>9}" for seconds in row))
    print(f"the {SLOWEST} slowest of {len(tests)} tests, in seconds")
    for test in sorted(tests, key=lambda test: -test.seconds)[:SLOWEST]:
        print(f"  {test.seconds:7.1f}  {test.suite}: {test.name}")


def print_results(tests, first_tries, stopped, evidence, skipping_fails):
    """Prints what failed and why; returns whether all is well. `first_tries` are those of tests that
    were tried twice; `stopped`: why the run ended early, if it did; `skipping_fails`: a test that was
    skipped counts as one that failed."""
    of = {state: [test for test in tests if test.state == state]
          for state in ("passed", "failed", "skipped")}
    passed = {(test.suite, test.name) for test in of["passed"]}
    for first in first_tries:
        if (first.suite, first.name) in passed:
            print(f"FLAKY  {first.suite}: {first.name} passed when it ran again, alone; first: {first.why}")
    for test in of["skipped"]:
        print(f"{'FAILED' if skipping_fails else 'skipped'} {test.suite}: {test.name} was skipped: {test.why}")
    for test in of["failed"]:
        print(f"FAILED {test.suite}: {test.name}: {test.why}")
    if stopped:
        print(f"FAILED {stopped}")
    if evidence.exists():
        print(f"== what they left is in {evidence}")
    failed, skipped = len(of["failed"]) + bool(stopped), len(of["skipped"])
    if skipping_fails:
        failed, skipped = failed + skipped, 0
    print(f"{len(of['passed'])} passed, {failed} failed, {skipped} skipped", flush=True)
    return not failed
