// Package load simulates load: how much each pod uses at any time.
package load

import (
	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/pods"
	"ballast.dev/tests/cluster/internal/selector"
)

// Track is a load that the ready pods of a selector share.
type Track struct {
	Namespace, Selector string
	Curve               curve.Curve
	// The most CPU that one pod can use, in billionths of a core; 0: no limit.
	Cap   int64
	match selector.Selector
}

// Usage is a pod and what it uses.
type Usage struct {
	Pod  pods.Pod
	Load curve.Load
}

// Prepare must be called once, before the track is used.
func (t *Track) Prepare() (err error) {
	t.match, err = selector.Parse(t.Selector)
	return err
}

// usages divides the total among the track's ready pods, without a remainder. Pods that are not
// ready use nothing.
func (t *Track) usages(total curve.Load, all []pods.Pod) (usages []Usage, ready int) {
	for _, pod := range all {
		if pod.Namespace == t.Namespace && t.match.Matches(pod.Labels) {
			usages = append(usages, Usage{Pod: pod})
			if pod.Ready {
				ready++
			}
		}
	}
	place := 0
	for i := range usages {
		if !usages[i].Pod.Ready {
			continue
		}
		load := curve.Load{CPU: share(total.CPU, ready, place), Memory: share(total.Memory, ready, place)}
		if t.Cap > 0 && load.CPU > t.Cap {
			load.CPU = t.Cap
		}
		usages[i].Load = load
		place++
	}
	return usages, ready
}

// busyLabel is the label of pods of which one container, the one that it names, uses everything.
// Without it, all containers share what their pod uses.
const busyLabel = "load.ballast.dev/container"

// of returns what the pod's container at this place uses.
func (u Usage) of(place int) curve.Load {
	if busy, labelled := u.Pod.Labels[busyLabel]; labelled {
		if busy == u.Pod.Containers[place] {
			return u.Load
		}
		return curve.Load{}
	}
	count := len(u.Pod.Containers)
	return curve.Load{CPU: share(u.Load.CPU, count, place), Memory: share(u.Load.Memory, count, place)}
}

// share returns the part of total for one of count places (from 0). All parts add up to total.
func share(total int64, count, place int) int64 {
	n := int64(count)
	if int64(place) < total%n {
		return total/n + 1
	}
	return total / n
}
