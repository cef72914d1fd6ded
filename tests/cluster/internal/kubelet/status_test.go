package kubelet

import (
	"encoding/json"
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

func TestNext(t *testing.T) {
	const deleted = `"deletionTimestamp": "2026-01-01T00:00:00Z"`
	for _, row := range []struct {
		name, metadata, phase string
		want                  step
	}{
		{"new", ``, "Pending", start},
		{"started", ``, "Running", none},
		{"a Job's", `"ownerReferences": [{"kind": "Job"}]`, "Running", end},
		{"a Job's that has ended", `"ownerReferences": [{"kind": "Job"}]`, "Succeeded", none},
		{"deleted before it started", deleted, "Pending", remove},
		{"deleted", deleted, "Running", remove},
	} {
		var pod core.Pod
		text := `{"metadata": {` + row.metadata + `}, "status": {"phase": "` + row.phase + `"}}`
		if err := json.Unmarshal([]byte(text), &pod); err != nil {
			t.Fatal(err)
		}
		if got := next(pod); got != row.want {
			t.Errorf("%s: step %d, want %d", row.name, got, row.want)
		}
	}
}

func TestRunning(t *testing.T) {
	pod := core.Pod{Spec: core.PodSpec{
		InitContainers: []core.Container{{Name: "migrate"}, {Name: "proxy", RestartPolicy: "Always"}},
		Containers:     []core.Container{{Name: "web", Image: "web:1"}},
	}}
	pod.Spec.ReadinessGates = append(pod.Spec.ReadinessGates, struct{ ConditionType string }{"example.com/gate"})
	text, err := json.Marshal(running(pod, "10.0.0.1", time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Phase, PodIP                             string
		Conditions                               []core.Condition
		ContainerStatuses, InitContainerStatuses []struct {
			Name, Image string
			Ready       bool
			State       map[string]any
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Phase != "Running" || got.PodIP != "10.0.0.1" || len(got.Conditions) != 4 || got.Conditions[3].Type != "example.com/gate" {
		t.Errorf("got %s", text)
	}
	web := got.ContainerStatuses[0]
	if web.Image != "web:1" || !web.Ready || web.State["running"] == nil {
		t.Errorf("the container: %v", web)
	}
	if inits := got.InitContainerStatuses; inits[0].State["terminated"] == nil || inits[1].State["running"] == nil {
		t.Errorf("the init containers: %v", inits)
	}
}
