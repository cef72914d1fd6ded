package agent

import (
	"context"
	"slices"
	"sync"

	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/node"
)

// binder chooses the nodes of pods, by their nodeSelector, their required node affinity, of whose operators it knows In,
// and their required anti-affinity; safe for concurrent use.
type binder struct {
	nodes []string
	mutex sync.Mutex
	pods  map[string]core.Pod // guarded by mutex; by uid
}

func (b *binder) replace(all []core.Pod) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.pods = map[string]core.Pod{}
	for _, pod := range all {
		b.pods[pod.Metadata.UID] = pod
	}
}

func (b *binder) changed(pod core.Pod) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.pods[pod.Metadata.UID] = pod
}

func (b *binder) gone(uid string) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	delete(b.pods, uid)
}

// choose returns the node with the fewest pods of those that fit; empty if none does.
func (b *binder) choose(pod core.Pod) string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	best, fewest := "", 0
	for _, name := range b.nodes {
		if !matches(pod.Spec.NodeSelector, node.Labels(name)) || !wants(pod, node.Labels(name)) || b.avoids(pod, name) {
			continue
		}
		count := 0
		for _, other := range b.pods {
			if other.Spec.NodeName == name {
				count++
			}
		}
		if best == "" || count < fewest {
			best, fewest = name, count
		}
	}
	return best
}

// wants says whether a node with these labels fits one of the terms of the pod's node affinity.
func wants(pod core.Pod, labels map[string]string) bool {
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	fits := func(term core.NodeSelectorTerm) bool {
		for _, expression := range term.MatchExpressions {
			if expression.Operator != "In" || !slices.Contains(expression.Values, labels[expression.Key]) {
				return false
			}
		}
		return true
	}
	return len(terms) == 0 || slices.ContainsFunc(terms, fits)
}

func (b *binder) avoids(pod core.Pod, node string) bool {
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		for _, other := range b.pods {
			if other.Spec.NodeName == node && other.Metadata.Namespace == pod.Metadata.Namespace &&
				matches(term.LabelSelector.MatchLabels, other.Metadata.Labels) {
				return true
			}
		}
	}
	return false
}

func matches(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}

// pending returns the pods that have no node.
func (b *binder) pending() []core.Pod {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var pods []core.Pod
	for _, pod := range b.pods {
		if pod.Spec.NodeName == "" && pod.Metadata.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

func (a *agent) bindPending(ctx context.Context) {
	for _, pod := range a.binder.pending() {
		if node := a.binder.choose(pod); node != "" {
			a.bind(ctx, pod, node)
		}
	}
}

func (a *agent) bind(ctx context.Context, pod core.Pod, node string) {
	err := a.client.Create(ctx, pod.Path()+"/binding", map[string]any{
		"apiVersion": "v1", "kind": "Binding",
		"metadata": map[string]string{"name": pod.Metadata.Name, "uid": pod.Metadata.UID},
		"target":   map[string]string{"apiVersion": "v1", "kind": "Node", "name": node},
	}, nil)
	if err != nil && !kube.NotFound(err) && !kube.Conflict(err) {
		say(pod.String(), "bind it to %s: %v", node, err)
		return
	}
	pod.Spec.NodeName = node
	a.binder.changed(pod)
}
