// Package kubelet is the kubelet of nodes whose containers do not run: a pod is ready as soon as it is bound to
// one of them, a Job's pod then ends well, and a pod that is deleted is gone at once.
package kubelet

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/node"
)

const (
	address  = "127.0.0.1" // of all nodes
	requests = 16          // at once
	pause    = 200 * time.Millisecond
)

type kubelet struct {
	client *kube.Client
	nodes  map[string]bool
	free   chan struct{} // has a value for each request that may begin
	last   atomic.Uint32 // address of a pod
	mutex  sync.Mutex
	begun  map[string]step // guarded by mutex; the newest of each pod that is there, by uid
}

// Run registers the nodes and takes care of their pods until ctx is cancelled or the API server is gone.
func Run(ctx context.Context, client *kube.Client, nodes []string) error {
	k := &kubelet{client: client, nodes: map[string]bool{}, free: make(chan struct{}, requests), begun: map[string]step{}}
	for i := 0; i < requests; i++ {
		k.free <- struct{}{}
	}
	for _, name := range nodes {
		k.nodes[name] = true
	}
	lost, err := kube.Follow(ctx, client, "/api/v1/pods", kube.Followed[core.Pod]{
		All:     func(all []core.Pod) { k.replace(ctx, all) },
		Changed: func(pod core.Pod) { k.changed(ctx, pod) },
		Gone:    func(pod core.Pod) { k.gone(pod.Metadata.UID) },
	})
	if err != nil {
		return err
	}
	// Last, since a node that is ready says that pods can run.
	for _, name := range nodes {
		n := node.Node{Name: name, Address: address, CPU: "1k", Memory: "1Ti", Pods: "1M"}
		if err := n.Register(ctx, client); err != nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-lost:
		return fmt.Errorf("the API server is gone: %w", err)
	}
}

func (k *kubelet) replace(ctx context.Context, all []core.Pod) {
	there := map[string]bool{}
	for _, pod := range all {
		there[pod.Metadata.UID] = true
		k.changed(ctx, pod)
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	for uid := range k.begun {
		if !there[uid] {
			delete(k.begun, uid)
		}
	}
}

func (k *kubelet) changed(ctx context.Context, pod core.Pod) {
	due := next(pod)
	if !k.nodes[pod.Spec.NodeName] || due == none {
		return
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	// What others write meanwhile makes the pod change without any need for the step once more.
	if k.begun[pod.Metadata.UID] >= due {
		return
	}
	k.begun[pod.Metadata.UID] = due
	go k.take(ctx, pod, due)
}

func (k *kubelet) gone(uid string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	delete(k.begun, uid)
}

// take takes the step, again and again until it succeeds or there is no such pod any more.
func (k *kubelet) take(ctx context.Context, pod core.Pod, due step) {
	<-k.free
	defer func() { k.free <- struct{}{} }()
	for ctx.Err() == nil {
		err := k.try(ctx, pod, due)
		if err == nil || kube.NotFound(err) || kube.Conflict(err) {
			return
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", pod, err)
		time.Sleep(pause)
	}
}

func (k *kubelet) try(ctx context.Context, pod core.Pod, due step) error {
	if due == remove {
		return k.client.DeleteNow(ctx, pod.Path(), pod.Metadata.UID)
	}
	status := ended(pod, time.Now().UTC())
	if due == start {
		last := k.last.Add(1)
		ip := fmt.Sprintf("10.%d.%d.%d", last>>16&255, last>>8&255, last&255)
		status = running(pod, ip, time.Now().UTC())
	}
	// A pod of that name with another uid is another pod: then the answer is a conflict.
	return k.client.Merge(ctx, pod.Path()+"/status",
		map[string]any{"metadata": map[string]any{"uid": pod.Metadata.UID}, "status": status})
}
