package agent

import (
	"context"
	"fmt"
	"time"
)

const heartbeat = 10 * time.Second

// keepNode registers a node and lets it be ready until ctx is cancelled. logs is the port of the
// kubelet's API. Nothing makes kwok take care of it.
func (a *agent) keepNode(ctx context.Context, name string, logs int) error {
	path := "/api/v1/nodes/" + name
	err := a.client.Apply(ctx, path, map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": name, "labels": labels(name)},
	})
	if err != nil {
		return err
	}
	since := time.Now().UTC()
	beat := func() error {
		return a.client.Merge(ctx, path+"/status", map[string]any{"status": map[string]any{
			"addresses":       []any{map[string]string{"type": "InternalIP", "address": hostIP}},
			"capacity":        map[string]string{"cpu": "2", "memory": "8Gi", "pods": fmt.Sprint(mostIP)},
			"allocatable":     map[string]string{"cpu": "2", "memory": "8Gi", "pods": fmt.Sprint(mostIP)},
			"daemonEndpoints": map[string]any{"kubeletEndpoint": map[string]int{"Port": logs}},
			"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "KubeletReady",
				"message": "the agent runs", "lastTransitionTime": since, "lastHeartbeatTime": time.Now().UTC()}},
		}})
	}
	if err := beat(); err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(heartbeat):
				if err := beat(); err != nil && ctx.Err() == nil {
					say("node "+name, "%v", err)
				}
			}
		}
	}()
	return nil
}

func labels(node string) map[string]string {
	return map[string]string{"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": node}
}
