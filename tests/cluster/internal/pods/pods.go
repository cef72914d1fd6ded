// Package pods watches a cluster's pods for the load player.
package pods

import (
	"context"
	"encoding/json"
	"sort"
	"sync"
	"time"

	"ballast.dev/tests/cluster/internal/kube"
)

// Pod is a pod that is running and is not being deleted.
type Pod struct {
	Namespace, Name string
	Labels          map[string]string
	Containers      []string
	Created         string
	Ready           bool
}

// Store follows the pods of all namespaces; safe for concurrent use.
type Store struct {
	client  *kube.Client
	changed chan struct{}
	mutex   sync.Mutex
	pods    map[string]Pod // guarded by mutex; by uid
	version uint64         // guarded by mutex; of pods
}

// NewStore returns an empty store; Follow fills it.
func NewStore(client *kube.Client) *Store {
	return &Store{client: client, changed: make(chan struct{}, 1), pods: map[string]Pod{}}
}

// Changed returns a channel that receives a value after each change; changes in quick succession
// may share one.
func (s *Store) Changed() <-chan struct{} { return s.changed }

// Version is another number after each change.
func (s *Store) Version() uint64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.version
}

// List returns the pods, ordered by namespace and name.
func (s *Store) List() []Pod {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := make([]Pod, 0, len(s.pods))
	for _, pod := range s.pods {
		list = append(list, pod)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Namespace != list[j].Namespace {
			return list[i].Namespace < list[j].Namespace
		}
		return list[i].Name < list[j].Name
	})
	return list
}

// patience is how long the API server may not answer before Follow gives up.
const patience = 30 * time.Second

// Follow lists the pods, then watches them until ctx is cancelled. When a watch ends, it lists and
// watches again. lost receives an error when the server has not answered for 30 s.
func (s *Store) Follow(ctx context.Context) (lost <-chan error, err error) {
	version, err := s.relist(ctx)
	if err != nil {
		return nil, err
	}
	failure := make(chan error, 1)
	go func() {
		answered := time.Now()
		for ctx.Err() == nil {
			if s.watch(ctx, version) {
				answered = time.Now()
			}
			// The new list makes up for missed events. The pause spares a server that is down.
			time.Sleep(100 * time.Millisecond)
			listed, err := s.relist(ctx)
			if err == nil {
				version, answered = listed, time.Now()
			} else if time.Since(answered) > patience {
				failure <- err
				return
			}
		}
	}()
	return failure, nil
}

// object has the fields of a v1 Pod that are used here.
type object struct {
	Metadata struct {
		UID               string            `json:"uid"`
		Namespace         string            `json:"namespace"`
		Name              string            `json:"name"`
		Labels            map[string]string `json:"labels"`
		CreationTimestamp string            `json:"creationTimestamp"`
		DeletionTimestamp string            `json:"deletionTimestamp"`
	} `json:"metadata"`
	Spec struct {
		Containers []struct{ Name string } `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase      string                          `json:"phase"`
		Conditions []struct{ Type, Status string } `json:"conditions"`
	} `json:"status"`
}

func (s *Store) relist(ctx context.Context) (version string, err error) {
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []object
	}
	if err := s.client.Get(ctx, "/api/v1/pods", &list); err != nil {
		return "", err
	}
	all := map[string]Pod{}
	for _, item := range list.Items {
		if pod, runs := item.pod(); runs {
			all[item.Metadata.UID] = pod
		}
	}
	s.change(func() { s.pods = all })
	return list.Metadata.ResourceVersion, nil
}

// watch returns when the stream ends, and reports whether the server opened one.
func (s *Store) watch(ctx context.Context, version string) bool {
	body, err := s.client.Stream(ctx, "/api/v1/pods?watch=true&resourceVersion="+version)
	if err != nil {
		return false
	}
	defer body.Close()
	events := json.NewDecoder(body)
	for {
		var event struct {
			Type   string `json:"type"`
			Object object `json:"object"`
		}
		if events.Decode(&event) != nil || event.Type == "ERROR" {
			return true
		}
		pod, runs := event.Object.pod()
		s.change(func() {
			if runs && event.Type != "DELETED" {
				s.pods[event.Object.Metadata.UID] = pod
			} else {
				delete(s.pods, event.Object.Metadata.UID)
			}
		})
	}
}

func (s *Store) change(how func()) {
	s.mutex.Lock()
	how()
	s.version++
	s.mutex.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (o object) pod() (pod Pod, runs bool) {
	if o.Metadata.DeletionTimestamp != "" || o.Status.Phase != "Running" {
		return Pod{}, false
	}
	pod = Pod{Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, Labels: o.Metadata.Labels,
		Created: o.Metadata.CreationTimestamp}
	for _, container := range o.Spec.Containers {
		pod.Containers = append(pod.Containers, container.Name)
	}
	for _, condition := range o.Status.Conditions {
		if condition.Type == "Ready" {
			pod.Ready = condition.Status == "True"
		}
	}
	return pod, true
}
