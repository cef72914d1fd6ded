"""A test case with two replicas of the operator, which are replaced while they have work."""

from .pod_case import NODES, PodCase
from .waiting_scalings import IN, OUT, WaitingScalings
from .webhook import Load

WINDOW, RATE = 40, 6  # of the policies, in seconds
OUTS = 3


class RollingCase(PodCase):
    """ROLLS names each roll of the class; it has a namespace and apps of that name."""

    RELEASED = ('preset="ha"',)
    ROLLS = ()

    def __init_subclass__(cls):
        cls.LOADS = {}
        for roll in cls.ROLLS:
            cls.LOADS |= {(roll, f"{roll}-in"): IN}
            cls.LOADS |= {(roll, out): OUT for out in cls.outs(roll)}

    @staticmethod
    def outs(roll):
        return [f"{roll}-out-{i}" for i in range(OUTS)]

    def roll(self, name, replace):
        """Calls replace(), which replaces both pods, while the API server asks the webhook, policies
        scale out and a scale-in waits for its window."""
        before = self.places()
        self.assertEqual(sorted(before.values()), sorted(NODES))
        scalings = WaitingScalings(self, self.cluster.namespace(name), f"{name}-in", self.outs(name),
                                   window=WINDOW, rate=RATE)
        scalings.begin()
        with Load(self.api, threads=4) as calls:
            calls.more(20)
            turns = [len(scalings.writes(out)) for out in scalings.outs]
            replace()
            wrote = [len(scalings.writes(out)) for out in scalings.outs]
            calls.more(20)
        self.assertEqual(calls.lost, [])
        after = self.places()
        self.assertEqual(sorted(after.values()), sorted(NODES))
        self.assertEqual(set(after) & set(before), set())
        self.assertGreater(sum(wrote), sum(turns), "no policy scaled meanwhile")
        waited = scalings.finish()
        print(f"{name}: {calls.calls} calls, none lost; {sum(wrote) - sum(turns)} writes meanwhile; scaled in "
              f"{waited:.1f} s after all replicas were last needed; the window is {WINDOW} s", flush=True)

    def places(self):
        """The node of each of the operator's pods, by uid."""
        return {pod["metadata"]["uid"]: pod["spec"]["nodeName"] for pod in self.pods()}
