"""Shared by the tests against a real control plane: cluster, operator, load, proxy."""
