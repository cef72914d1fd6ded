// Command kubelet lets nodes and pods that exist only in the API be ready. tests/cluster/README.md describes it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/kubelet"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the administrator's `file`")
	nodes := flag.Int("nodes", 1, "the number of nodes: node-0, node-1, ...")
	flag.Parse()
	if err := run(*kubeconfig, *nodes); err != nil {
		fmt.Fprintf(os.Stderr, "kubelet: %v\n", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, count int) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := kube.FromKubeconfig(kubeconfig)
	if err != nil {
		return err
	}
	var nodes []string
	for i := 0; i < count; i++ {
		nodes = append(nodes, fmt.Sprintf("node-%d", i))
	}
	return kubelet.Run(ctx, client, nodes)
}
