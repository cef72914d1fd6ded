package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
)

// api has a Secret s with a key k.
type api struct{}

func (api) Values(kind, name string) (map[string][]byte, bool, error) {
	if kind == "Secret" && name == "s" {
		return map[string][]byte{"k": []byte("secret")}, true, nil
	}
	return nil, false, nil
}

func (api) Token(string, int) (string, error) { return "", nil }
func (api) Field(path string) (string, error) { return "the " + path, nil }

func decode[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestProgram(t *testing.T) {
	image := container.Image{Entrypoint: []string{"/ballast"}, Cmd: []string{"operator"}, User: "5:6", Env: []string{"A=image"}}
	for name, row := range map[string]struct{ pod, container, wanted string }{
		"the image's own": {`{}`, `{}`, "/ballast operator as 5:6 in / with A=image"},
		"args":            {`{}`, `{"args": ["check", "-n"]}`, "/ballast check -n as 5:6 in / with A=image"},
		"a command":       {`{}`, `{"command": ["/x"], "workingDir": "/w"}`, "/x as 5:6 in /w with A=image"},
		"the pod's user":  {`{"securityContext": {"runAsUser": 7, "runAsGroup": 8}}`, `{}`, "/ballast operator as 7:8 in / with A=image"},
		"the container's user": {`{"securityContext": {"runAsUser": 7}}`, `{"securityContext": {"runAsUser": 9}}`,
			"/ballast operator as 9:6 in / with A=image"},
		"root where it may not be": {`{"securityContext": {"runAsNonRoot": true}}`, `{"securityContext": {"runAsUser": 0}}`,
			"container has runAsNonRoot and image will run as root"},
		"variables": {`{}`, `{"args": ["$(A)-$(B)", "$$(A)", "$(C)", "$x"], "env": [{"name": "A", "value": "1"},
			{"name": "B", "value": "$(A)2"}, {"name": "P", "valueFrom": {"fieldRef": {"fieldPath": "metadata.uid"}}},
			{"name": "K", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
			{"name": "O", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": true}}}]}`,
			"/ballast 1-12 $(A) $(C) $x as 5:6 in / with A=image A=1 B=12 P=the metadata.uid K=secret"},
		"a missing key": {`{}`, `{"env": [{"name": "K", "valueFrom": {"secretKeyRef": {"name": "s", "key": "x"}}}]}`,
			"variable K: there is no Secret s with the key x"},
		"what is not known": {`{}`, `{"envFrom": [{"secretRef": {"name": "s"}}]}`, "the agent does not know envFrom"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := core.Pod{Metadata: core.Meta{Name: "pod"}, Spec: decode[core.PodSpec](t, row.pod)}
			p, err := programOf(pod, decode[core.Container](t, row.container), image, api{}, "10.96.0.1:443")
			got := fmt.Sprint(err)
			if err == nil {
				var own []string
				for _, variable := range p.environment {
					switch name, _, _ := strings.Cut(variable, "="); name {
					case "PATH", "HOSTNAME", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT":
					default:
						own = append(own, variable)
					}
				}
				got = fmt.Sprintf("%s as %d:%d in %s with %s", strings.Join(p.args, " "), p.user, p.group,
					p.directory, strings.Join(own, " "))
			}
			if got != row.wanted {
				t.Errorf("got  %s\nnot  %s", got, row.wanted)
			}
		})
	}
}

func TestBackOff(t *testing.T) {
	var delays []string
	for before := 0; before < 8; before++ {
		delays = append(delays, backOff(before).String())
	}
	if got := strings.Join(delays, " "); got != "0s 10s 20s 40s 1m20s 2m40s 5m0s 5m0s" {
		t.Errorf("delays are %s", got)
	}
}

func TestPhase(t *testing.T) {
	const (
		creating = `{"state": {"waiting": {}}}`
		runs     = `{"state": {"running": {}}}`
		crashed  = `{"state": {"waiting": {}}, "lastState": {"terminated": {"exitCode": 1}}}`
		done     = `{"state": {"terminated": {"exitCode": 0}}}`
		broken   = `{"state": {"terminated": {"exitCode": 1}}}`
	)
	for _, row := range []struct{ policy, containers, wanted string }{
		{"Always", creating, "Pending"},
		{"Always", runs + "," + creating, "Pending"},
		{"Always", runs + "," + crashed, "Running"},
		{"Always", done, "Running"},
		{"OnFailure", broken, "Running"},
		{"OnFailure", done, "Succeeded"},
		{"Never", done + "," + runs, "Running"},
		{"Never", done + "," + broken, "Failed"},
		{"Never", done, "Succeeded"},
	} {
		containers := decode[[]containerStatus](t, "["+row.containers+"]")
		if got := phase(containers, row.policy); got != row.wanted {
			t.Errorf("%s %s: %s, not %s", row.policy, row.containers, got, row.wanted)
		}
	}
}

func TestConditionsKeepTheTimeOfTheirLastChange(t *testing.T) {
	first, later := time.Unix(1, 0), time.Unix(2, 0)
	container := func(ready bool) []containerStatus { return []containerStatus{{Name: "app", Ready: ready}} }
	was := ownConditions(nil, container(false), "Pending", true, first)
	still := ownConditions(was, container(false), "Running", true, later)
	now := ownConditions(was, container(true), "Running", true, later)
	for _, row := range []struct {
		condition core.Condition
		status    string
		reason    string
		since     time.Time
	}{
		{was[2], "False", "ContainersNotReady", first}, {still[2], "False", "ContainersNotReady", first},
		{now[2], "True", "", later}, {now[0], "True", "", first},
	} {
		if c := row.condition; c.Status != row.status || c.Reason != row.reason || !c.LastTransitionTime.Equal(row.since) {
			t.Errorf("%+v is not %+v", c, row)
		}
	}
	if done := ownConditions(now, container(false), "Succeeded", true, later); done[2].Reason != "PodCompleted" {
		t.Errorf("%+v of a pod that has succeeded", done[2])
	}
}

func TestChoose(t *testing.T) {
	pod := func(uid, node string, labels map[string]string, spec string) core.Pod {
		p := core.Pod{Metadata: core.Meta{UID: uid, Labels: labels}, Spec: decode[core.PodSpec](t, spec)}
		p.Spec.NodeName = node
		return p
	}
	app := map[string]string{"app": "x"}
	alone := `{"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
		{"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "x"}}}]}}}`
	on := func(conditions ...string) string {
		return fmt.Sprintf(`{"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
			"nodeSelectorTerms": [{"matchExpressions": [%s]}]}}}}`, strings.Join(conditions, "]}, {\"matchExpressions\": ["))
	}
	both := `{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]}`
	other := strings.Replace(both, `"amd64", `, "", 1)
	there := []core.Pod{pod("1", "a", app, "{}"), pod("2", "", app, "{}")}
	for _, row := range []struct {
		nodes        []string
		spec, wanted string
	}{
		{[]string{"a", "b"}, `{}`, "b"},
		{[]string{"a"}, `{}`, "a"},
		{[]string{"a", "b"}, `{"nodeSelector": {"kubernetes.io/hostname": "a"}}`, "a"},
		{[]string{"a", "b"}, `{"nodeSelector": {"kubernetes.io/os": "windows"}}`, ""},
		{[]string{"a", "b"}, on(both), "b"},
		{[]string{"a", "b"}, on(other), ""},
		{[]string{"a", "b"}, on(other, both), "b"},
		{[]string{"a", "b"}, on(both + "," + other), ""},
		{[]string{"a", "b"}, on(strings.Replace(both, "In", "NotIn", 1)), ""},
		{[]string{"a", "b"}, alone, "b"},
		{[]string{"a"}, alone, ""},
	} {
		b := binder{nodes: row.nodes}
		b.replace(there)
		if got := b.choose(pod("3", "", app, row.spec)); got != row.wanted {
			t.Errorf("of %v, %s goes to %q, not %q", row.nodes, row.spec, got, row.wanted)
		}
	}
}
