// Nothing is required here: go.work adds the module that pins Kubernetes.
module ballast.dev/tests/libraries/program

go 1.26.0
