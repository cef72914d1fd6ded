package agent

import (
	"context"
	"fmt"
	"time"

	"ballast.dev/tests/cluster/internal/node"
)

const heartbeat = 10 * time.Second

// keepNode registers a node and lets it be ready until ctx is cancelled. logs is the port of the
// kubelet's API. No other kubelet takes care of it.
func (a *agent) keepNode(ctx context.Context, name string, logs int) error {
	n := node.Node{Name: name, Address: hostIP, CPU: "2", Memory: "8Gi", Pods: fmt.Sprint(mostIP), KubeletPort: logs}
	since := time.Now()
	if err := n.Register(ctx, a.client); err != nil {
		return err
	}
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(heartbeat):
				if err := n.Beat(ctx, a.client, since); err != nil && ctx.Err() == nil {
					say("node "+name, "%v", err)
				}
			}
		}
	}()
	return nil
}
