package load

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/pods"
)

func pod(name, app string, ready bool) pods.Pod {
	return pods.Pod{Namespace: "shop", Name: name, Labels: map[string]string{"app": app}, Ready: ready}
}

func TestUsages(t *testing.T) {
	all := []pods.Pod{
		pod("a", "web", true), pod("b", "web", false), pod("c", "db", true), pod("d", "web", true), pod("e", "web", true),
		{Namespace: "other", Name: "f", Labels: map[string]string{"app": "web"}, Ready: true},
	}
	for _, test := range []struct {
		what  string
		total curve.Load
		limit int64
		want  map[string]curve.Load
	}{
		{"the shares add up", curve.Load{CPU: 1001, Memory: 302}, 0,
			map[string]curve.Load{"a": {CPU: 334, Memory: 101}, "b": {}, "d": {CPU: 334, Memory: 101}, "e": {CPU: 333, Memory: 100}}},
		{"nobody uses more than the limit", curve.Load{CPU: 1000, Memory: 300}, 200,
			map[string]curve.Load{"a": {CPU: 200, Memory: 100}, "b": {}, "d": {CPU: 200, Memory: 100}, "e": {CPU: 200, Memory: 100}}},
	} {
		track := Track{Namespace: "shop", Selector: "app=web", Cap: test.limit}
		if err := track.Prepare(); err != nil {
			t.Fatal(err)
		}
		usages, ready := track.usages(test.total, all, time.Time{})
		if ready != 3 || len(usages) != len(test.want) {
			t.Errorf("%s: %d ready of %d", test.what, ready, len(usages))
		}
		for _, usage := range usages {
			if usage.Load != test.want[usage.Pod.Name] {
				t.Errorf("%s: %s uses %v", test.what, usage.Pod.Name, usage.Load)
			}
		}
	}
}

func TestEachPodHasItsOwnLoadAndNoise(t *testing.T) {
	all := []pods.Pod{pod("a", "web", true), pod("b", "web", true)}
	track := Track{Namespace: "shop", Selector: "app=web", Each: true, Noise: 0.05}
	if err := track.Prepare(); err != nil {
		t.Fatal(err)
	}
	cpu := func(at time.Duration) [2]int64 {
		usages, _ := track.usages(curve.Load{CPU: 100000}, all, time.Unix(1800000000, 0).Add(at))
		return [2]int64{usages[0].Load.CPU, usages[1].Load.CPU}
	}
	now := cpu(0)
	for _, one := range now {
		if one < 95000 || one > 105000 || one == 100000 {
			t.Errorf("a pod uses %d", one)
		}
	}
	if now[0] == now[1] || cpu(14*time.Second) != now || cpu(15*time.Second) == now {
		t.Errorf("%d; after 14 s %d; after 15 s %d", now, cpu(14*time.Second), cpu(15*time.Second))
	}
}

func TestContainers(t *testing.T) {
	for _, test := range []struct {
		what   string
		labels map[string]string
		want   []int64
	}{
		{"all share", nil, []int64{51, 50}},
		{"one is busy", map[string]string{busyLabel: "sidecar"}, []int64{0, 101}},
	} {
		usage := Usage{Pod: pods.Pod{Labels: test.labels, Containers: []string{"app", "sidecar"}}, Load: curve.Load{CPU: 101}}
		for place, want := range test.want {
			if got := usage.of(place).CPU; got != want {
				t.Errorf("%s: container %d uses %d, not %d", test.what, place, got, want)
			}
		}
	}
}

func TestNobodyReady(t *testing.T) {
	track := Track{Namespace: "shop", Selector: "app=web"}
	usages, ready := track.usages(curve.Load{CPU: 1000}, []pods.Pod{pod("a", "web", false)}, time.Time{})
	if ready != 0 || len(usages) != 1 || usages[0].Load.CPU != 0 {
		t.Errorf("%d ready, %v", ready, usages)
	}
}

func TestSteer(t *testing.T) {
	player := NewPlayer(pods.NewStore(nil), time.Second, nil)
	for _, step := range []struct {
		command string
		good    bool
		want    string
	}{
		{"total 1", false, ""},
		{"play shop app=web 150m:64Mi", true, "shop app=web 150 64;"},
		{"play bank app=web 1", true, "shop app=web 150 64;bank app=web 1000 0;"},
		{"play bank app=web 2", true, "shop app=web 150 64;bank app=web 2000 0;"},
		{"total app=web 3", true, "shop app=web 3000 0;bank app=web 2000 0;"},
		{"total 4", true, "shop app=web 4000 0;bank app=web 2000 0;"},
		{"play bank = 1", false, "shop app=web 4000 0;bank app=web 2000 0;"},
		{"play bank app=web much", false, "shop app=web 4000 0;bank app=web 2000 0;"},
		{"drop", false, "shop app=web 4000 0;bank app=web 2000 0;"},
		{"drop shop", true, "bank app=web 2000 0;"},
		{"drop shop", true, "bank app=web 2000 0;"},
	} {
		err := player.Steer(step.command)
		lines := ""
		for _, line := range player.Lines() {
			lines += fmt.Sprintln(line.Namespace, line.Selector, line.CPU, line.Memory)
		}
		if lines = strings.ReplaceAll(lines, "\n", ";"); lines != step.want || (err == nil) != step.good {
			t.Errorf("%s: %v, %s", step.command, err, lines)
		}
	}
}
