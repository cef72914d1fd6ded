package build

import (
	"context"
	_ "embed"
	"strings"
)

// What this file says is part of what the binaries are made from.
//
//go:embed programs.go
var programsSource string

type program struct {
	name, module, path string
}

const (
	kwok              = "kwok"
	metricsServer     = "metrics-server"
	prometheusAdapter = "prometheus-adapter"
	promLabelProxy    = "prom-label-proxy"
	helm4             = "helm4"
)

// In the order of use. Programs of one module share the packages that they have in common: each is
// compiled once. What helps the tests is a module of its own, so that it changes no version of what
// Kubernetes is made from.
var programs = []program{
	{"etcd", "etcd", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"},
	{kwok, "helpers", "sigs.k8s.io/kwok/cmd/kwok"},
	{metricsServer, "helpers", "sigs.k8s.io/metrics-server/cmd/metrics-server"},
	{"helm", "helpers", "helm.sh/helm/v3/cmd/helm"},
	{prometheusAdapter, prometheusAdapter, "sigs.k8s.io/prometheus-adapter/cmd/adapter"},
	{promLabelProxy, promLabelProxy, "github.com/prometheus-community/prom-label-proxy"},
	{helm4, helm4, "helm.sh/helm/v4/cmd/helm"},
}

// Parts of Kubernetes that do little here; nothing that a benchmark measures.
var littleUsed = []string{
	"k8s.io/kubectl/...",
	"k8s.io/kubernetes/pkg/kubelet/...",
	"k8s.io/kubernetes/pkg/registry/...",
	"k8s.io/kubernetes/pkg/scheduler/...",
	"k8s.io/kubernetes/pkg/volume/...",
	"k8s.io/kubernetes/plugin/...",
	"sigs.k8s.io/kustomize/...",
}

// Nobody debugs these programs. The optimiser takes a third of a build: what does little is built
// without it, but for Go's own packages, which all programs share.
func (p program) compilerFlags() []string {
	const noDebugging, noOptimising = "=-dwarf=false", " -N -l"
	switch p.module {
	case "helpers", prometheusAdapter, promLabelProxy, helm4:
		return []string{"-gcflags=all" + noDebugging + noOptimising, "-gcflags=std" + noDebugging}
	}
	flags := []string{"-gcflags=all" + noDebugging}
	if p.module == "kubernetes" {
		for _, packages := range littleUsed {
			flags = append(flags, "-gcflags="+packages+noDebugging+noOptimising)
		}
	}
	return flags
}

// What kwok needs in the API server; the files lie in its module.
var kwokManifests = []string{
	"kustomize/crd/bases/kwok.x-k8s.io_stages.yaml",
	"kustomize/crd/bases/kwok.x-k8s.io_metrics.yaml",
	"kustomize/crd/bases/kwok.x-k8s.io_resourceusages.yaml",
	"kustomize/crd/bases/kwok.x-k8s.io_clusterresourceusages.yaml",
	"kustomize/stage/node/fast/node-initialize.yaml",
	"kustomize/stage/pod/fast/pod-ready.yaml",
	"kustomize/stage/pod/fast/pod-complete.yaml",
	"kustomize/stage/pod/fast/pod-delete.yaml",
	"kustomize/metrics/resource/metrics-resource.yaml",
	"kustomize/metrics/usage/usage-from-annotation.yaml",
}

// Without a version, the clients and helm do not know what to make of the server.
func linkerFlags(ctx context.Context, p program, folder string) (string, error) {
	const strip = "-s -w"
	if p.module != "kubernetes" {
		return strip, nil
	}
	version, err := golang(ctx, folder, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	const set = " -X k8s.io/component-base/version."
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return strip + set + "gitVersion=" + version + set + "gitMajor=" + major + set + "gitMinor=" + minor, nil
}
