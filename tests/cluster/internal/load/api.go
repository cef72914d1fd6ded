package load

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"ballast.dev/tests/cluster/internal/selector"
)

const (
	group        = "metrics.k8s.io"
	groupVersion = group + "/v1beta1"
	root         = "/apis/" + groupVersion
)

// API serves metrics.k8s.io/v1beta1 for pods, with exact values as of the last multiple of the
// resolution. Beside the API, ROOT/answered is the number of requests for metrics so far, and ROOT/steer
// takes a command. It does not authenticate clients: it listens only on loopback and has no secrets.
func (p *Player) API() http.Handler {
	mux := http.NewServeMux()
	serve := func(path string, document any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, document) })
	}
	version := object{"groupVersion": groupVersion, "version": "v1beta1"}
	apiGroup := object{"kind": "APIGroup", "apiVersion": "v1", "name": group,
		"versions": []any{version}, "preferredVersion": version}
	serve("/apis", object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{apiGroup}})
	serve("/apis/"+group, apiGroup)
	serve(root, object{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": groupVersion,
		"resources": []any{object{"name": "pods", "singularName": "pod", "namespaced": true,
			"kind": "PodMetrics", "verbs": []string{"get", "list"}}}})
	mux.HandleFunc(root+"/answered", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, p.answered.Load())
	})
	mux.HandleFunc(root+"/steer", func(w http.ResponseWriter, r *http.Request) {
		command, err := io.ReadAll(r.Body)
		if err == nil {
			err = p.Steer(string(command))
		}
		if err != nil {
			fail(w, http.StatusBadRequest, "BadRequest", err.Error())
			return
		}
		answer(w, http.StatusOK, object{})
	})
	mux.HandleFunc(root+"/pods", func(w http.ResponseWriter, r *http.Request) { p.list(w, r, "") })
	mux.HandleFunc(root+"/namespaces/", func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.TrimPrefix(r.URL.Path, root+"/namespaces/"), "/")
		switch {
		case len(parts) == 2 && parts[1] == "pods":
			p.list(w, r, parts[0])
		case len(parts) == 3 && parts[1] == "pods":
			p.get(w, parts[0], parts[2])
		default:
			fail(w, http.StatusNotFound, "NotFound", "nothing at "+r.URL.Path)
		}
	})
	return mux
}

// object is a JSON object.
type object map[string]any

// list answers with the pods of one namespace, or of all if it is empty.
func (p *Player) list(w http.ResponseWriter, r *http.Request, namespace string) {
	wanted, err := selector.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		fail(w, http.StatusBadRequest, "BadRequest", err.Error())
		return
	}
	p.answered.Add(1)
	usages, at := p.Sample()
	items := []any{}
	for _, usage := range usages {
		if (namespace == "" || usage.Pod.Namespace == namespace) && wanted.Matches(usage.Pod.Labels) {
			items = append(items, p.podMetrics(usage, at))
		}
	}
	answer(w, http.StatusOK, object{"kind": "PodMetricsList", "apiVersion": groupVersion,
		"metadata": object{}, "items": items})
}

func (p *Player) get(w http.ResponseWriter, namespace, name string) {
	p.answered.Add(1)
	usages, at := p.Sample()
	for _, usage := range usages {
		if usage.Pod.Namespace == namespace && usage.Pod.Name == name {
			metrics := p.podMetrics(usage, at)
			metrics["kind"], metrics["apiVersion"] = "PodMetrics", groupVersion
			answer(w, http.StatusOK, metrics)
			return
		}
	}
	fail(w, http.StatusNotFound, "NotFound", fmt.Sprintf("no metrics of pod %s/%s", namespace, name))
}

func (p *Player) podMetrics(usage Usage, at time.Time) object {
	containers := make([]any, len(usage.Pod.Containers))
	for i, name := range usage.Pod.Containers {
		load := usage.of(i)
		containers[i] = object{"name": name, "usage": object{
			"cpu": fmt.Sprintf("%dn", load.CPU), "memory": fmt.Sprint(load.Memory),
		}}
	}
	return object{
		"metadata": object{"name": usage.Pod.Name, "namespace": usage.Pod.Namespace,
			"labels": usage.Pod.Labels, "creationTimestamp": usage.Pod.Created},
		"timestamp":  at.UTC().Format(time.RFC3339),
		"window":     p.resolution.String(),
		"containers": containers,
	}
}

func fail(w http.ResponseWriter, code int, reason, message string) {
	answer(w, code, object{"kind": "Status", "apiVersion": "v1", "metadata": object{}, "status": "Failure",
		"reason": reason, "message": message, "code": code})
}

func answer(w http.ResponseWriter, code int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(document)
}
