package generate

import (
	"fmt"
	"time"
)

// level returns the usage that samples scatter around, as a fraction of the target: from idle to
// far above it, often near the limits of the tolerance.
func (w *workload) level() float64 {
	return pick(w.random, 0, 0.01, 0.3, 0.5, 0.8, 0.899, 0.9, 0.901, 0.95, 0.999, 1, 1.001, 1.05, 1.099, 1.1, 1.101, 1.2, 1.5, 2, 3, 10)
}

func scatter(w *workload, milli float64) int64 {
	if w.percent(40) {
		return int64(milli)
	}
	return int64(milli * (0.7 + 0.6*w.Float64()))
}

func (w *workload) usage(milli float64) string {
	if w.percent(1) {
		return w.oddQuantity()
	}
	return w.quantity(scatter(w, milli))
}

var failures = []string{
	"the server could not find the requested resource (get pods.metrics.k8s.io)", "context deadline exceeded",
	`no matches for kind "Rollout" in version "argoproj.io/v1alpha1"`, "", "100% broken: %s %d \"quoted\"\nsecond line", "größer als möglich 🙂",
}

// failure returns the answer of an API that failed, or nil; chance is the percentage of failures.
func (w *workload) failure(chance int) object {
	if !w.percent(chance) {
		return nil
	}
	return object{"error": pick(w.random, failures...)}
}

// sampled returns the pods that have samples: usually most of them, in another order, sometimes
// with one that does not exist or occurs twice.
func (w *workload) sampled(pods []pod) (names []pod) {
	gaps := w.percent(25)
	for _, p := range pods {
		if !gaps || w.percent(75) {
			names = append(names, p)
		}
	}
	w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	if w.percent(8) {
		names = append(names, pod{name: "stranger", containers: []string{"app"}})
	}
	if w.percent(3) && len(names) > 0 {
		names = append(names, names[0])
	}
	if w.percent(2) {
		names = nil
	}
	return names
}

func (w *workload) sampleTime() string {
	return text(w.now.Add(-w.around(15*time.Second, 60*time.Second, 300*time.Second)))
}

// podMetrics returns an answer of metrics.k8s.io; milli is a container's average usage.
func (w *workload) podMetrics(pods []pod, resource string, milli float64) object {
	items := list{}
	for _, p := range w.sampled(pods) {
		containers := list{}
		for _, name := range p.containers {
			if w.percent(2) {
				continue
			}
			usage := object{"cpu": "3m", "memory": "32Mi"}
			usage[resource] = w.usage(milli)
			if w.percent(2) {
				delete(usage, resource)
			}
			containers = append(containers, object{"name": name, "usage": usage})
		}
		items = append(items, object{
			"metadata":  object{"name": p.name, "namespace": w.namespace},
			"timestamp": w.sampleTime(), "window": pick(w.random, "15s", "30s", "1m0s", "10s", "0s", "1m30.5s"),
			"containers": containers})
	}
	return object{"podMetrics": object{"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": object{}, "items": items}}
}

func (w *workload) podValues(pods []pod, metric string, milli float64) object {
	items := list{}
	for _, p := range w.sampled(pods) {
		item := object{"describedObject": object{"kind": "Pod", "apiVersion": "/v1", "name": p.name},
			"metric": object{"name": metric}, "timestamp": w.sampleTime(), "value": w.usage(milli)}
		if w.percent(30) {
			item["windowSeconds"] = pick(w.random, 0, 30, 60)
		}
		items = append(items, item)
	}
	return values("custom.metrics.k8s.io/v1beta2", "MetricValueList", items)
}

func (w *workload) objectValues(described object, metric string, milli float64) object {
	items := list{}
	for range pick(w.random, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2) {
		items = append(items, object{"describedObject": described, "metric": object{"name": metric},
			"timestamp": w.sampleTime(), "value": w.usage(milli)})
	}
	return values("custom.metrics.k8s.io/v1beta2", "MetricValueList", items)
}

func (w *workload) externalValues(metric string, milli float64) object {
	items := list{}
	series := pick(w.random, 1, 1, 1, 1, 2, 3, 5)
	if w.percent(2) {
		series = 0
	}
	for i := range series {
		items = append(items, object{"metricName": metric, "metricLabels": object{"shard": fmt.Sprint(i)},
			"timestamp": w.sampleTime(), "value": w.usage(milli / float64(series))})
	}
	return values("external.metrics.k8s.io/v1beta1", "ExternalMetricValueList", items)
}

func values(version, kind string, items list) object {
	return object{"values": object{"kind": kind, "apiVersion": version, "metadata": object{}, "items": items}}
}

// labelSelector returns a label selector; nil: none.
func (w *workload) labelSelector() object {
	if w.percent(60) {
		return nil
	}
	selector := object{}
	if w.percent(60) {
		selector["matchLabels"] = pick(w.random, object{"queue": "jobs"}, object{"z": "1", "a": "2", "m": ""}, object{}, object{"bad key!": "x"}, object{"k": "bad value!"})
	}
	if w.percent(50) {
		expressions := list{}
		for range w.between(0, 2) {
			expression := object{"key": pick(w.random, "verb", "example.com/role", "", "-"), "operator": pick(w.random, "In", "NotIn", "Exists", "DoesNotExist", "Equals", "")}
			if w.percent(60) {
				expression["values"] = pick(w.random, list{}, list{"GET"}, list{"GET", "POST"}, list{"b", "a", "b"}, list{"", "x y"})
			}
			expressions = append(expressions, expression)
		}
		selector["matchExpressions"] = expressions
	}
	return selector
}

func (w *workload) identifier(name string) object {
	metric := object{"name": name}
	if selector := w.labelSelector(); selector != nil {
		metric["selector"] = selector
	}
	return metric
}

// target returns a target of this type, and the usage that equals it, in thousandths (or percent).
func (w *workload) target(kind string, amounts ...int) (target object, milli float64) {
	amount := pick(w.random, amounts...)
	target = object{"type": kind}
	switch kind {
	case "Utilization":
		target["averageUtilization"] = amount
	case "Value":
		target["value"] = w.quantity(int64(amount))
	default:
		target["averageValue"] = w.quantity(int64(amount))
	}
	if kind != "Utilization" && w.percent(2) {
		target[map[string]string{"Value": "value", "AverageValue": "averageValue"}[kind]] = w.oddQuantity()
	}
	if w.percent(3) { // a type that need not match the field that is set
		target["type"] = pick(w.random, "Utilization", "Value", "AverageValue")
	}
	if w.percent(2) {
		target["averageValue"] = w.quantity(int64(amount))
	}
	return target, float64(amount)
}

var percents = []int{1, 7, 10, 30, 33, 50, 60, 70, 75, 80, 90, 100, 101, 150, 200, 1000}
var amounts = []int{1, 10, 100, 125, 250, 333, 500, 1000, 1500, 7777, 20000, 1000000}

// metric returns a metric of the spec and the answer to it.
func (w *workload) metric(kind string, number, replicas int, pods []pod) (spec, answer object) {
	name := fmt.Sprintf("%s_%d", pick(w.random, "http_requests_per_second", "s3:lag", "connections"), number)
	body := object{}
	switch kind {
	case "Resource", "ContainerResource":
		resource := pick(w.random, w.resources...)
		target, milli := w.target("AverageValue", amounts...)
		if w.percent(75) {
			target, milli = w.target("Utilization", percents...)
			milli *= 2 // of requests of about 200
		}
		if resource == "memory" {
			milli *= 1e9
			if target["averageValue"] != nil {
				target["averageValue"] = pick(w.random, "100Mi", "64M", "1Gi", "134217728")
			}
		}
		body["name"], body["target"] = resource, target
		if kind == "ContainerResource" {
			body["container"] = pick(w.random, "app", "app", "app", "app", "app", "app", "app", "app", "istio-proxy", "mesh", "migrate", "nowhere")
		}
		answer = w.podMetrics(pods, resource, milli*w.level())
	case "Pods":
		target, milli := w.target("AverageValue", amounts...)
		if target["averageValue"] == nil {
			target["averageValue"] = "1"
		}
		body["metric"], body["target"] = w.identifier(name), target
		answer = w.podValues(pods, name, milli*w.level())
	case "Object":
		body["describedObject"] = pick(w.random, object{"kind": "Service", "apiVersion": "v1", "name": "web"},
			object{"kind": "Ingress", "apiVersion": "networking.k8s.io/v1", "name": "front"}, object{"kind": "Namespace", "apiVersion": "v1", "name": "x"}, object{"kind": "Queue", "name": "q"})
		target, milli := w.target(pick(w.random, "Value", "AverageValue"), amounts...)
		body["metric"], body["target"] = w.identifier(name), target
		if target["averageValue"] != nil {
			milli *= float64(replicas)
		}
		answer = w.objectValues(body["describedObject"].(object), name, milli*w.level())
	default:
		target, milli := w.target(pick(w.random, "Value", "AverageValue"), amounts...)
		body["metric"], body["target"] = w.identifier(name), target
		if target["averageValue"] != nil {
			milli *= float64(replicas)
		}
		answer = w.externalValues(name, milli*w.level())
	}
	if failed := w.failure(6); failed != nil {
		answer = failed
	}
	field := map[string]string{"Resource": "resource", "ContainerResource": "containerResource", "Pods": "pods", "Object": "object", "External": "external"}[kind]
	return object{"type": kind, field: body}, answer
}
