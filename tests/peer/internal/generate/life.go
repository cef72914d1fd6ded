package generate

import (
	"fmt"
	"time"

	"ballast.dev/tests/peer/internal/snapshot"
)

// Life is a simulated workload: its load changes, and the decisions about it are carried out.
type Life struct {
	*workload
	id       string
	step     int
	spec     object
	kinds    []string
	status   object
	started  []time.Time // of each replica
	replicas int
	load     float64 // thousandths, of all replicas together
	failing  bool    // the next write of the scale fails
}

const perReplica = 200 // the load that a replica can take, in thousandths

// NewLife returns life `number` of the seed.
func NewLife(seed, number uint64) *Life {
	w := newWorkload(newRandom(seed, 1<<32+number))
	w.resources = []string{"cpu"}
	l := &Life{workload: w, id: fmt.Sprintf("%d-life-%d", seed, number), replicas: w.between(1, 8), status: object{}}
	l.load = float64(l.replicas * perReplica)
	l.kinds = pick(w.random, []string{"Resource"}, []string{"External"}, []string{"Pods"}, []string{"Resource", "External"})
	low := pick(w.random, 0, 1, 1, 2, 3)
	if len(l.kinds) == 1 && l.kinds[0] != "External" {
		low = max(1, low)
	}
	metrics := list{}
	for _, kind := range l.kinds {
		metrics = append(metrics, lifeMetrics[kind])
	}
	l.spec = object{"minReplicas": low, "maxReplicas": low + w.between(1, 40), "metrics": metrics,
		"scaleTargetRef": object{"apiVersion": "apps/v1", "kind": "Deployment", "name": w.name}}
	if w.percent(70) {
		l.spec["behavior"] = object{"scaleUp": w.rules("scaleUp"), "scaleDown": w.rules("scaleDown")}
	}
	w.odd(w.percent(20))
	return l
}

var lifeMetrics = map[string]object{
	"Resource": {"type": "Resource", "resource": object{"name": "cpu", "target": object{"type": "Utilization", "averageUtilization": 75}}},
	"External": {"type": "External", "external": object{"metric": object{"name": "queue"}, "target": object{"type": "AverageValue", "averageValue": "200m"}}},
	"Pods":     {"type": "Pods", "pods": object{"metric": object{"name": "rps"}, "target": object{"type": "AverageValue", "averageValue": "200m"}}},
}

// Next returns the snapshot of the next step. It has no memory, since the controller keeps its own.
func (l *Life) Next() map[string]any {
	if l.step > 0 {
		l.now = l.now.Add(15*time.Second + time.Duration(l.IntN(1_000_000_000))*time.Duration(l.IntN(2)))
	}
	if l.percent(3) {
		l.now = l.now.Add(time.Duration(l.between(1, 900)) * time.Second)
	}
	l.load = max(0, l.load*(0.9+0.2*l.Float64()))
	if l.percent(6) {
		l.load = float64(l.between(0, 12) * perReplica)
	}
	if l.percent(2) {
		l.replicas = l.between(0, 10) // by hand
	}
	objects, pods := l.present()
	answers := list{}
	for _, kind := range l.kinds {
		answers = append(answers, l.answer(kind, pods))
	}
	snapshot := object{
		"id": fmt.Sprintf("%s-%d", l.id, l.step), "series": l.id, "now": text(l.now), "settings": l.settings,
		"autoscaler": object{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
			"metadata": object{"name": l.name, "namespace": l.namespace}, "spec": l.spec, "status": l.status},
		"scale": object{"object": object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object{"name": l.name, "namespace": l.namespace},
			"spec": object{"replicas": l.replicas}, "status": object{"replicas": len(pods), "selector": "app=" + l.name}}},
		"pods": objects, "metrics": answers,
	}
	if l.failing = l.percent(3); l.failing {
		snapshot["scaleUpdateError"] = "forbidden"
	}
	l.step++
	return snapshot
}

// Live carries the decision out.
func (l *Life) Live(decision *snapshot.Decision) {
	if decision.Rescale && !l.failing {
		l.replicas = int(decision.DesiredReplicas)
	}
	l.status = object{"currentReplicas": l.replicas, "desiredReplicas": decision.DesiredReplicas,
		"conditions": decision.Conditions, "currentMetrics": decision.CurrentMetrics}
}

// present adds pods, or removes the newest ones, until there is one for each replica. It returns
// all of them as objects, and in pods those that have samples.
func (l *Life) present() (objects list, pods []pod) {
	for len(l.started) < l.replicas {
		l.started = append(l.started, l.now.Add(-time.Duration(l.between(0, 12))*time.Second))
	}
	l.started = l.started[:l.replicas]
	for i, start := range l.started {
		name, age := fmt.Sprintf("%s-%04d", l.name, i), l.now.Sub(start)
		status := object{"phase": "Running", "startTime": text(start)}
		ready := object{"type": "Ready", "status": "True", "lastTransitionTime": text(start.Add(20 * time.Second))}
		if age < 20*time.Second {
			ready["status"], ready["lastTransitionTime"] = "False", text(start)
		}
		if age < 5*time.Second {
			status = object{"phase": "Pending"}
		}
		status["conditions"] = list{ready}
		objects = append(objects, object{"metadata": object{"name": name, "namespace": l.namespace, "labels": object{"app": l.name}},
			"spec": object{"containers": list{object{"name": "app", "resources": object{"requests": object{"cpu": "267m"}}}}}, "status": status})
		if age >= 10*time.Second {
			pods = append(pods, pod{name: name, containers: []string{"app"}})
		}
	}
	return objects, pods
}

func (l *Life) answer(kind string, pods []pod) object {
	if failed := l.failure(2); failed != nil {
		return failed
	}
	each := l.load / float64(max(1, len(pods)))
	switch kind {
	case "Resource":
		return l.podMetrics(pods, "cpu", each)
	case "Pods":
		return l.podValues(pods, "rps", each)
	}
	return l.externalValues("queue", l.load)
}
