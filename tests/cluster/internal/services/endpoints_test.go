package services

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestEndpoints(t *testing.T) {
	const (
		ready       = `{"addresses": ["10.0.0.1"], "conditions": {"ready": true, "serving": true, "terminating": false}}`
		unsaid      = `{"addresses": ["10.0.0.2"]}`
		unready     = `{"addresses": ["10.0.0.3"], "conditions": {"ready": false, "serving": false, "terminating": false}}`
		terminating = `{"addresses": ["10.0.0.4"], "conditions": {"ready": false, "serving": true, "terminating": true}}`
		ended       = `{"addresses": ["10.0.0.5"], "conditions": {"ready": false, "serving": false, "terminating": true}}`
	)
	for endpoints, wanted := range map[string][]string{
		"":                          nil,
		ready + "," + unsaid:        {"10.0.0.1:9443", "10.0.0.2:9443"},
		ready + "," + terminating:   {"10.0.0.1:9443"},
		unready + "," + terminating: {"10.0.0.4:9443"},
		unready + "," + ended:       nil,
	} {
		var slice Slice
		text := `{"ports": [{"name": "webhook", "port": 9443}, {"name": "metrics", "port": 8080}], "endpoints": [` + endpoints + `]}`
		if err := json.Unmarshal([]byte(text), &slice); err != nil {
			t.Fatal(err)
		}
		if got := Endpoints([]Slice{slice}, "webhook"); !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s leads to %v, not to %v", endpoints, got, wanted)
		}
	}
}
