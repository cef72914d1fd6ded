// Package load simulates load: how much each pod uses at any time.
package load

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"time"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/pods"
	"ballast.dev/tests/cluster/internal/selector"
)

// Track is a load that the ready pods of a selector share, or that each of them has.
type Track struct {
	Namespace, Selector string
	Curve               curve.Curve
	// The most CPU that one pod can use, in billionths of a core; 0: no limit.
	Cap int64
	// Whether the curve is the load of each ready pod, not of all together.
	Each bool
	// By what share of it, up or down, the CPU of each pod differs, anew every NoiseLasts.
	Noise float64
	match selector.Selector
}

// NoiseLasts is how long a pod's noise stays the same: a period of the HPA controller.
const NoiseLasts = 15 * time.Second

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

// usages divides the total among the track's ready pods, without a remainder, or gives it to each.
// Pods that are not ready use nothing.
func (t *Track) usages(total curve.Load, all []pods.Pod, at time.Time) (usages []Usage, ready int) {
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
		load := total
		if !t.Each {
			load = curve.Load{CPU: share(total.CPU, ready, place), Memory: share(total.Memory, ready, place)}
		}
		load.CPU += int64(math.Round(float64(load.CPU) * t.Noise * noise(usages[i].Pod, at)))
		if t.Cap > 0 && load.CPU > t.Cap {
			load.CPU = t.Cap
		}
		usages[i].Load = load
		place++
	}
	return usages, ready
}

// noise returns a number from -1 to 1 that seems random, and is the same for a pod at a time.
func noise(pod pods.Pod, at time.Time) float64 {
	hash := sha256.Sum256([]byte(at.Truncate(NoiseLasts).UTC().String() + pod.Namespace + "/" + pod.Name))
	return float64(int64(binary.BigEndian.Uint64(hash[:]))) / math.MaxInt64
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
