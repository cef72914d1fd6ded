module ballast.dev/tests/cluster

go 1.21
