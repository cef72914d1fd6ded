package generate

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/labels"
)

// taste is a kind of snapshot: its types of metrics, and what it has more of than other kinds.
type taste struct {
	metrics                       []string
	many, zero, behavior, extreme bool
}

var any5 = []string{"Resource", "ContainerResource", "Pods", "Object", "External"}

var tastes = []taste{
	{metrics: []string{"Resource"}},
	{metrics: []string{"ContainerResource"}},
	{metrics: []string{"Pods"}},
	{metrics: []string{"Object"}},
	{metrics: []string{"External"}},
	{metrics: any5, many: true},
	{metrics: any5, behavior: true},
	{metrics: []string{"Object", "External", "Resource"}, zero: true},
	{metrics: any5, extreme: true},
}

func newWorkload(r random) *workload {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	w := &workload{random: r, now: start.Add(time.Duration(r.IntN(90*86400)) * time.Second),
		namespace: pick(r, "default", "prod"), name: pick(r, "web", "api", "worker"), settings: object{},
		resources: pick(r, []string{"cpu"}, []string{"cpu", "memory"}, []string{"cpu", "memory", "example.com/gpu"})}
	if r.percent(30) {
		w.now = w.now.Add(time.Duration(r.IntN(1_000_000_000)))
	}
	return w
}

func (w *workload) odd(settings bool) {
	if !settings {
		return
	}
	maybe := func(name string, values ...any) {
		if w.percent(40) {
			w.settings[name] = pick(w.random, values...)
		}
	}
	maybe("tolerance", 0.0, 0.05, 0.1, 0.2, 0.3333333, 1.0, 3.0)
	maybe("cpuInitializationPeriodSeconds", 0, 10, 120, 300)
	maybe("initialReadinessDelaySeconds", 0, 10, 30, 600)
	maybe("downscaleStabilizationSeconds", 0, 1, 60, 300, 3600)
	maybe("featureGates", object{"HPAScaleToZero": false}, object{"HPAConfigurableTolerance": false},
		object{"HPAScaleToZero": false, "HPAConfigurableTolerance": false}, object{"HPAScaleToZero": true})
}

// replicas returns the target's replica count.
func (w *workload) replicas(t taste) int {
	switch {
	case t.zero && w.percent(60), w.percent(3):
		return 0
	case t.extreme && w.percent(20):
		return pick(w.random, 1000, 99999, 1<<29, 1<<30, 1<<30+1, 1<<31-1)
	case w.percent(10):
		return w.between(1, 60)
	}
	return w.between(1, 12)
}

// matching returns the pods that a snapshot must have: those that the scale's selector matches, or
// all if it is invalid.
func matching(selector string, pods list) list {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return pods
	}
	matching := list{}
	for _, pod := range pods {
		set := labels.Set{}
		for key, value := range pod.(object)["metadata"].(object)["labels"].(object) {
			set[key] = value.(string)
		}
		if parsed.Matches(set) {
			matching = append(matching, pod)
		}
	}
	return matching
}

// Snapshot returns snapshot `number` of the seed.
func Snapshot(seed, number uint64) map[string]any {
	w := newWorkload(newRandom(seed, number))
	t := tastes[number%uint64(len(tastes))]
	w.odd(t.extreme || w.percent(15))
	replicas := w.replicas(t)
	count := min(replicas, 15)
	if w.percent(15) {
		count = near(count, w.between(-3, 3))
	}
	present := replicas
	if w.percent(20) {
		present = near(replicas, w.between(-3, 3))
	}
	objects, pods := w.pods(count)

	specs, answers := list{}, list{}
	metrics := 1
	if t.many || w.percent(8) {
		metrics = w.between(1, 4)
	}
	for i := range metrics {
		spec, answer := w.metric(pick(w.random, t.metrics...), i+1, present, pods)
		specs, answers = append(specs, spec), append(answers, answer)
	}
	selector := w.selector()
	objects = matching(selector, objects)
	low, high := w.bounds(replicas, t.zero && w.percent(70))
	spec := object{"minReplicas": low, "maxReplicas": high, "metrics": specs,
		"scaleTargetRef": pick(w.random, object{"apiVersion": "apps/v1", "kind": "Deployment", "name": w.name},
			object{"apiVersion": "v1", "kind": "ReplicationController", "name": w.name}, object{"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": w.name})}
	var behavior object
	if t.behavior || w.percent(25) {
		behavior = object{"scaleUp": w.rules("scaleUp"), "scaleDown": w.rules("scaleDown")}
		spec["behavior"] = behavior
	}
	snapshot := object{
		"id": fmt.Sprintf("%d-%d", seed, number), "now": text(w.now), "settings": w.settings,
		"autoscaler": object{"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
			"metadata": object{"name": w.name + pick(w.random, "", "-hpa"), "namespace": w.namespace}, "spec": spec, "status": w.oldStatus(replicas)},
		"scale": object{"object": object{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": object{"name": w.name, "namespace": w.namespace},
			"spec": object{"replicas": replicas}, "status": object{"replicas": present, "selector": selector}}},
		"pods": objects, "metrics": answers, "memory": w.memory(replicas, behavior),
	}
	if w.percent(8) {
		snapshot["rivals"] = w.rivals()
	}
	if failed := w.failure(2); failed != nil {
		snapshot["scale"] = failed
	}
	if failed := w.failure(2); failed != nil {
		snapshot["podsError"] = failed["error"]
		delete(snapshot, "pods")
	}
	if failed := w.failure(8); failed != nil {
		snapshot["scaleUpdateError"] = failed["error"]
	}
	if w.percent(1) {
		spec["scaleTargetRef"].(object)["apiVersion"] = pick(w.random, "a/b/c", "/", "", "v1/", "/v1", "%s/%d/x")
	}
	return snapshot
}
