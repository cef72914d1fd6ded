#!/usr/bin/env python3
"""Tests a policy with the real metrics-server, which asks kwok's kubelet."""

import unittest

from support.case import ClusterCase
from support.objects import deployment, policy
from support.waiting import PATIENCE, wait_until


class MetricsServerTest(ClusterCase):
    METRICS = "real"
    LOADS = {("default", "web"): 190}

    def test_scales_out_and_in(self):
        space, web = self.cluster.namespace("default"), deployment("web")
        space.apply(web, policy("web"))
        self.operator().wait_ready()
        for milli, count in ((190, 4), (40, 1)):
            self.load.set("web", milli)
            wait_until(lambda count=count: f"{count} replicas: {space.policy('web').get('status')}",
                       lambda count=count: space.replicas(web) == count, 3 * PATIENCE)
        # A sample justifies one scale-up, although several evaluations see it.
        ups = [write for write in self.cluster.scale_writes("default") if write.to > write.from_]
        self.assertLessEqual(len(ups), 2, ups)


if __name__ == "__main__":
    unittest.main()
