"""What the tests against a real control plane share: the cluster, the operator, the load, a proxy."""
