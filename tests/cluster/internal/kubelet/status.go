package kubelet

import (
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

// step is what the kubelet does to a pod; each pod takes them in this order, and may leave some out.
type step int

const (
	none step = iota
	start
	end
	remove
)

// next returns the step that is due.
func next(pod core.Pod) step {
	job := false
	for _, owner := range pod.Metadata.OwnerReferences {
		job = job || owner.Kind == "Job"
	}
	switch {
	case pod.Metadata.DeletionTimestamp != nil:
		return remove
	case pod.Status.Phase == "Pending":
		return start
	case pod.Status.Phase == "Running" && job:
		return end
	}
	return none
}

type object = map[string]any

// running is the status of a pod whose containers have all started.
func running(pod core.Pod, ip string, now time.Time) object {
	var conditions, inits []object
	for _, kind := range conditionsOf(pod) {
		conditions = append(conditions, object{"type": kind, "status": "True", "lastTransitionTime": now})
	}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy == "Always" {
			inits = append(inits, container(c, true, runs(now)))
		} else {
			inits = append(inits, container(c, true, hasEnded(now)))
		}
	}
	return object{
		"phase": "Running", "startTime": now, "conditions": conditions,
		"hostIP": address, "hostIPs": []object{{"ip": address}}, "podIP": ip, "podIPs": []object{{"ip": ip}},
		"containerStatuses": containers(pod.Spec.Containers, true, runs(now)), "initContainerStatuses": inits,
	}
}

// ended is the status of a pod whose containers have all ended well.
func ended(pod core.Pod, now time.Time) object {
	return object{"phase": "Succeeded", "containerStatuses": containers(pod.Spec.Containers, false, hasEnded(now))}
}

func conditionsOf(pod core.Pod) []string {
	kinds := []string{"Initialized", "Ready", "ContainersReady"}
	for _, gate := range pod.Spec.ReadinessGates {
		kinds = append(kinds, gate.ConditionType)
	}
	return kinds
}

func containers(all []core.Container, ready bool, state object) []object {
	var statuses []object
	for _, c := range all {
		statuses = append(statuses, container(c, ready, state))
	}
	return statuses
}

func container(c core.Container, ready bool, state object) object {
	return object{"name": c.Name, "image": c.Image, "imageID": "", "restartCount": 0, "ready": ready,
		"started": ready, "state": state}
}

func runs(since time.Time) object { return object{"running": object{"startedAt": since}} }

func hasEnded(at time.Time) object {
	return object{"terminated": object{"exitCode": 0, "reason": "Completed", "startedAt": at, "finishedAt": at}}
}
