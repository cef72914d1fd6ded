// Nothing is required here: go.work adds the module that pins Kubernetes.
module ballast.dev/tests/peer

go 1.26.0
