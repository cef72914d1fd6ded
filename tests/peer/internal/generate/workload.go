package generate

import (
	"fmt"
	"time"
)

// workload is a target, with what its pods have in common.
type workload struct {
	random
	now       time.Time
	namespace string
	name      string
	settings  object
	resources []string // what containers request and use
}

// pod has what a pod and its sample have in common.
type pod struct {
	name       string
	containers []string // those that run: regular ones and sidecars
}

var seconds30 = 30 * time.Second

// requests returns the resources of a container or a pod, with its requests; nil: none.
func (w *workload) requests() object {
	if w.percent(2) {
		return nil
	}
	requests := object{}
	for _, resource := range w.resources {
		switch {
		case w.percent(2):
		case w.percent(1):
			requests[resource] = w.oddQuantity()
		case resource == "memory":
			requests[resource] = pick(w.random, "64Mi", "128Mi", "100M", "0.5Gi", "134217728", "1e8", "131072Ki")
		default:
			requests[resource] = w.quantity(int64(pick(w.random, 1, 7, 20, 50, 100, 150, 250, 333, 500, 1000, 2000)))
		}
	}
	return object{"requests": requests}
}

func (w *workload) container(name string) object {
	container := object{"name": name}
	if resources := w.requests(); resources != nil {
		container["resources"] = resources
	}
	return container
}

// times returns when a pod started and when its readiness last changed: often near the limits of
// the rules for starting pods.
func (w *workload) times() (start, ready time.Time) {
	start = w.now.Add(-w.around(300*time.Second, 120*time.Second, time.Hour))
	ready = start.Add(w.around(seconds30, 10*time.Second, 5*time.Second))
	if w.percent(50) {
		start, ready = start.Truncate(time.Second), ready.Truncate(time.Second)
	}
	return start, ready
}

func (w *workload) status() object {
	start, ready := w.times()
	status := object{"phase": "Running", "startTime": text(start)}
	condition := object{"type": "Ready", "status": "True", "lastTransitionTime": text(ready)}
	odd := w.percent(30)
	if odd {
		condition["status"] = pick(w.random, "True", "False", "False", "Unknown", "")
		status["phase"] = pick(w.random, "Running", "Running", "Running", "Pending", "Succeeded", "Failed", "Unknown", "")
	}
	if odd && w.percent(10) {
		delete(condition, "lastTransitionTime")
	}
	if odd && w.percent(10) {
		delete(status, "startTime")
	}
	conditions := list{condition}
	if w.percent(20) {
		conditions = append(list{object{"type": "PodScheduled", "status": "True", "lastTransitionTime": text(start)}}, conditions...)
	}
	if odd && w.percent(10) {
		conditions = append(conditions, object{"type": "Ready", "status": "False"})
	}
	if !odd || w.percent(85) {
		status["conditions"] = conditions
	}
	return status
}

// pods returns count pods. Like those of a real workload they have the same containers, with a few
// exceptions.
func (w *workload) pods(count int) (objects list, pods []pod) {
	regular := []string{"app", "istio-proxy", "log-agent"}[:pick(w.random, 1, 1, 1, 2, 3)]
	sidecars, inits, podLevel, overhead := w.percent(15), w.percent(10), w.percent(12), w.percent(5)
	for i := range count {
		p := pod{name: fmt.Sprintf("%s-%x", w.name, 0xa000+i)}
		metadata := object{"name": p.name, "namespace": w.namespace, "labels": object{"app": w.name, "tier": "front"}}
		if w.percent(20) {
			metadata["labels"].(object)["track"] = pick(w.random, "canary", "stable")
		}
		if w.percent(4) {
			metadata["deletionTimestamp"] = seconds(w.now.Add(seconds30))
		}
		if w.percent(1) {
			p.name = fmt.Sprintf("%s-%x", w.name, 0xa000)
			metadata["name"] = p.name
		}
		spec := object{}
		var containers, initContainers list
		for _, name := range regular {
			containers = append(containers, w.container(name))
			p.containers = append(p.containers, name)
		}
		if inits {
			initContainers = append(initContainers, w.container("migrate"))
		}
		if sidecars {
			sidecar := w.container("mesh")
			sidecar["restartPolicy"] = "Always"
			if w.percent(5) {
				sidecar["restartPolicy"] = pick(w.random, "Never", "OnFailure")
			}
			initContainers = append(initContainers, sidecar)
			p.containers = append(p.containers, "mesh")
		}
		if inits && w.percent(50) {
			initContainers = append(initContainers, w.container("warm-up"))
		}
		if (podLevel && !w.percent(5)) || w.percent(1) {
			spec["resources"] = w.requests()
			if overhead {
				// Upstream adds the overhead to what the pod itself holds where that is a big decimal, such as
				// 0.5Gi: once more for each metric. An API server would have stored 512Mi.
				spec["resources"] = object{"requests": object{"cpu": "500m", "memory": "128Mi"}}
			}
			if w.percent(10) {
				spec["resources"] = object{"requests": object{pick(w.random, "hugepages-2Mi", "ephemeral-storage", "cpu"): "2Mi"}}
			}
			if w.percent(10) {
				spec["resources"] = object{"limits": object{"cpu": "2"}}
			}
		}
		if overhead {
			spec["overhead"] = object{"cpu": w.quantity(10), "memory": "16Mi"}
		}
		if w.percent(99) {
			spec["containers"] = containers
		}
		if len(initContainers) > 0 {
			spec["initContainers"] = initContainers
		}
		objects = append(objects, object{"metadata": metadata, "spec": spec, "status": w.status()})
		pods = append(pods, p)
	}
	return objects, pods
}
