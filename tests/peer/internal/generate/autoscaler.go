package generate

import (
	"fmt"
	"time"
)

func (w *workload) rules(direction string) object {
	rules := object{"selectPolicy": pick(w.random, "Max", "Max", "Min", "Disabled")}
	if direction == "scaleUp" || w.percent(70) {
		rules["stabilizationWindowSeconds"] = pick(w.random, 0, 0, 1, 15, 30, 60, 300, 600, 3600)
	}
	policies := list{}
	for range pick(w.random, 1, 1, 2, 3) {
		policy := object{"type": "Pods", "value": pick(w.random, 1, 2, 3, 4, 5, 10, 100, 2147483647), "periodSeconds": pick(w.random, 1, 10, 15, 30, 60, 300, 600, 1800)}
		if w.percent(50) {
			policy["type"] = "Percent"
			policy["value"] = pick(w.random, 1, 5, 10, 25, 33, 50, 90, 99, 100, 110, 150, 900, 2147483647)
		}
		policies = append(policies, policy)
	}
	rules["policies"] = policies
	if w.percent(40) {
		rules["tolerance"] = pick(w.random, "0", "0.1", "100m", "50m", "75m", "0.05", "0.2", "1", "5", "1n", "333333u", "1e-2", "0.001", "0.0000000001", "12345678901234567890")
	}
	return rules
}

// edges returns how long events of the past count: windows and periods.
func (w *workload) edges(behavior object) []time.Duration {
	edges := []time.Duration{300 * time.Second}
	if value, ok := w.settings["downscaleStabilizationSeconds"].(int); ok {
		edges = append(edges, time.Duration(value)*time.Second)
	}
	for _, side := range behavior {
		rules := side.(object)
		if window, ok := rules["stabilizationWindowSeconds"].(int); ok {
			edges = append(edges, time.Duration(window)*time.Second)
		}
		for _, policy := range rules["policies"].(list) {
			edges = append(edges, time.Duration(policy.(object)["periodSeconds"].(int))*time.Second)
		}
	}
	return edges
}

func (w *workload) memory(replicas int, behavior object) object {
	edges := w.edges(behavior)
	ago := func() string {
		if w.percent(2) {
			return text(w.now.Add(w.around(10 * time.Second))) // the clock went back
		}
		return text(w.now.Add(-w.around(edges...)))
	}
	entries := func(count int, name string, value func() int) list {
		entries := list{}
		for range count {
			entries = append(entries, object{"time": ago(), name: value()})
		}
		return entries
	}
	change := func() int { return w.between(1, 7) }
	memory := object{
		"recommendations": entries(pick(w.random, 0, 1, 1, 2, 3, 6), "replicas", func() int { return near(replicas, w.between(-6, 6)) }),
		"scaleUps":        list{}, "scaleDowns": list{},
	}
	if behavior != nil || w.percent(10) {
		memory["scaleUps"] = entries(pick(w.random, 0, 1, 2, 4), "change", change)
		memory["scaleDowns"] = entries(pick(w.random, 0, 1, 2, 4), "change", change)
	}
	return memory
}

// near returns replicas plus distance, limited to what the API accepts.
func near(replicas, distance int) int { return min(max(0, replicas+distance), 1<<31-1) }

func (w *workload) oldStatus(replicas int) object {
	status := object{"currentReplicas": near(replicas, w.between(-1, 1)), "desiredReplicas": near(replicas, w.between(-2, 2))}
	if w.percent(40) {
		status["currentMetrics"] = list{object{"type": "Resource", "resource": object{"name": "cpu", "current": object{"averageUtilization": 42, "averageValue": "105m"}}}}
	}
	if w.percent(30) {
		status["lastScaleTime"] = seconds(w.now.Add(-time.Hour))
	}
	if w.percent(20) {
		status["observedGeneration"] = 7
	}
	conditions := list{}
	for _, kind := range []string{"AbleToScale", "ScalingActive", "ScalingLimited", "ScaledToZero", "AbleToScale", "Other"} {
		chance := 60
		if len(conditions) > 3 || kind == "Other" {
			chance = 2
		}
		if !w.percent(chance) {
			continue
		}
		conditions = append(conditions, object{"type": kind, "status": pick(w.random, "True", "True", "False", "Unknown"),
			"reason": pick(w.random, "SucceededRescale", "ScaledToZero", "Whatever"), "message": "said before",
			"lastTransitionTime": seconds(w.now.Add(-time.Hour))})
	}
	if w.percent(70) {
		w.Shuffle(len(conditions), func(i, j int) { conditions[i], conditions[j] = conditions[j], conditions[i] })
		status["conditions"] = conditions
	}
	return status
}

// bounds returns minReplicas and maxReplicas near the present count, so that limits often apply.
func (w *workload) bounds(replicas int, zero bool) (low, high int) {
	low = max(1, replicas-pick(w.random, -2, 0, 0, 0, 1, 1, 2, 5, 100, 100, 100, 100))
	if zero {
		low = 0
	}
	high = max(low, replicas+pick(w.random, -2, 0, 0, 1, 1, 3, 3, 10, 10, 100, 100, 100))
	if w.percent(3) {
		high = 2147483647
	}
	return min(low, 1<<31-1), min(max(1, high), 1<<31-1)
}

func (w *workload) selector() string {
	if w.percent(94) {
		return pick(w.random, "app="+w.name, "app="+w.name+",tier=front", "app in ("+w.name+"),tier!=back", " app == "+w.name+" ", "app,!nothing", "tier notin (back, x)")
	}
	return pick(w.random, "", "app=,", "app=a=b", "a in ()", "a in (x", "-bad=x", "a=-bad", "x.y/z/w=1", "a>5", "a>x", "a<1,b", "!a", "!", "a!b", "a in x", "a notin", "=x", ",",
		w.soup(6, "app", "=", "==", "!=", "!", "in", "notin", "(", ")", ",", " ", "x", "-", "é", "5", ">", "<", "/", "a.b", "'", "\""))
}

func (w *workload) rivals() list {
	rivals := list{}
	for i := range w.between(1, 3) {
		rivals = append(rivals, object{"name": fmt.Sprintf("rival-%c", 'z'-rune(i)),
			"selector": pick(w.random, "app=other", "tier=front", "app="+w.name, "", "bad selector((", "track=canary", "track in (canary,stable)", "!track")})
	}
	return rivals
}
