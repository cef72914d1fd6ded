package core

import (
	"encoding/json"
	"testing"
)

func TestField(t *testing.T) {
	pod := Pod{Metadata: Meta{Name: "n", Namespace: "s", UID: "u", Labels: map[string]string{"b": "2", "a": "1"}}}
	pod.Spec.NodeName, pod.Spec.ServiceAccountName = "here", "account"
	for path, wanted := range map[string]string{
		"metadata.name": "n", "metadata.namespace": "s", "metadata.uid": "u", "spec.nodeName": "here",
		"metadata.labels": "a=\"1\"\nb=\"2\"", "metadata.labels['b']": "2", "metadata.annotations['x']": "",
		"spec.serviceAccountName": "account", "status.podIP": "10.0.0.2", "status.hostIP": "10.0.0.1",
	} {
		if got, err := pod.Field(path, Address{"10.0.0.2", "10.0.0.1"}); got != wanted || err != nil {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if _, err := pod.Field("status.phase", Address{}); err == nil {
		t.Error("an unknown field has a value")
	}
}

func TestPort(t *testing.T) {
	ports := []Port{{"metrics", 8080}, {"webhook", 9443}}
	for text, wanted := range map[string]int{`"webhook"`: 9443, `8081`: 8081, `"absent"`: 0} {
		var port IntOrString
		if err := json.Unmarshal([]byte(text), &port); err != nil {
			t.Fatal(err)
		}
		if got, err := port.In(ports); got != wanted || (err == nil) != (wanted != 0) {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
}
