// Package pods watches a cluster's pods for the load player.
package pods

import (
	"context"
	"sort"
	"sync"

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

// Follow follows the pods until ctx is cancelled; lost is as kube.Follow has it.
func (s *Store) Follow(ctx context.Context) (lost <-chan error, err error) {
	return kube.Follow(ctx, s.client, "/api/v1/pods", kube.Followed[object]{
		All: func(objects []object) {
			all := map[string]Pod{}
			for _, object := range objects {
				if pod, runs := object.pod(); runs {
					all[object.Metadata.UID] = pod
				}
			}
			s.change(func() { s.pods = all })
		},
		Changed: func(changed object) {
			pod, runs := changed.pod()
			s.change(func() {
				if runs {
					s.pods[changed.Metadata.UID] = pod
				} else {
					delete(s.pods, changed.Metadata.UID)
				}
			})
		},
		Gone: func(gone object) {
			s.change(func() { delete(s.pods, gone.Metadata.UID) })
		},
	})
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
