// Package node registers nodes.
package node

import (
	"context"
	"time"

	"ballast.dev/tests/cluster/internal/kube"
)

// Node is a node to register.
type Node struct {
	Name, Address     string
	CPU, Memory, Pods string // what it has room for
	KubeletPort       int    // of the kubelet's API; 0: it has none
}

// Labels are those that every node of that name has here.
func Labels(name string) map[string]string {
	return map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name}
}

// Register creates the node, and says that it is ready.
func (n Node) Register(ctx context.Context, client *kube.Client) error {
	err := client.Apply(ctx, n.path(), map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": n.Name, "labels": Labels(n.Name)},
	})
	if err != nil {
		return err
	}
	return n.Beat(ctx, client, time.Now())
}

// Beat says that the node is still ready, as it has been since that time.
func (n Node) Beat(ctx context.Context, client *kube.Client, since time.Time) error {
	room := map[string]string{"cpu": n.CPU, "memory": n.Memory, "pods": n.Pods}
	status := map[string]any{
		"addresses": []any{map[string]string{"type": "InternalIP", "address": n.Address}},
		"capacity":  room, "allocatable": room,
		"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady",
			"message": "its kubelet runs", "lastTransitionTime": since.UTC(), "lastHeartbeatTime": time.Now().UTC()}},
	}
	if n.KubeletPort != 0 {
		status["daemonEndpoints"] = map[string]any{"kubeletEndpoint": map[string]int{"Port": n.KubeletPort}}
	}
	return client.Merge(ctx, n.path()+"/status", map[string]any{"status": status})
}

func (n Node) path() string { return "/api/v1/nodes/" + n.Name }
