package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

// podStatus is what the agent writes of a pod's status.
type podStatus struct {
	Phase             string              `json:"phase"`
	Conditions        []core.Condition    `json:"conditions"`
	HostIP            string              `json:"hostIP"`
	HostIPs           []map[string]string `json:"hostIPs"`
	PodIP             string              `json:"podIP,omitempty"`
	PodIPs            []map[string]string `json:"podIPs,omitempty"`
	StartTime         time.Time           `json:"startTime"`
	ContainerStatuses []containerStatus   `json:"containerStatuses"`
}

type containerStatus struct {
	Name         string `json:"name"`
	State        state  `json:"state"`
	LastState    state  `json:"lastState"`
	Ready        bool   `json:"ready"`
	Started      bool   `json:"started"`
	RestartCount int    `json:"restartCount"`
	Image        string `json:"image"`
	ImageID      string `json:"imageID"`
	ContainerID  string `json:"containerID,omitempty"`
}

// state has at most one field.
type state struct {
	Waiting    *waiting    `json:"waiting,omitempty"`
	Running    *running    `json:"running,omitempty"`
	Terminated *terminated `json:"terminated,omitempty"`
}

type waiting struct {
	Reason  string `json:"reason"`
	Message string `json:"message,omitempty"`
}

type running struct {
	StartedAt time.Time `json:"startedAt"`
}

type terminated struct {
	ExitCode    int       `json:"exitCode"`
	Reason      string    `json:"reason"`
	StartedAt   time.Time `json:"startedAt"`
	FinishedAt  time.Time `json:"finishedAt"`
	ContainerID string    `json:"containerID"`
}

// status returns the pod's status, and the same as a text.
func (w *worker) status() (podStatus, string) {
	ips := func(ip string) []map[string]string { return []map[string]string{{"ip": ip}} }
	s := podStatus{HostIP: hostIP, HostIPs: ips(hostIP), StartTime: w.began}
	if w.sandbox != nil {
		s.PodIP, s.PodIPs = w.sandbox.IP, ips(w.sandbox.IP)
	}
	for _, c := range w.containers {
		one := containerStatus{Name: c.spec.Name, State: c.state, LastState: state{Terminated: c.last},
			Ready: c.ready, Started: c.started, RestartCount: c.restarts, Image: c.spec.Image, ImageID: c.image.ID}
		if c.state.Waiting == nil {
			one.ContainerID = c.id()
		}
		s.ContainerStatuses = append(s.ContainerStatuses, one)
	}
	s.Phase = phase(s.ContainerStatuses, w.pod.Spec.RestartPolicy)
	w.conditions = ownConditions(w.conditions, s.ContainerStatuses, s.Phase, w.sandbox != nil, time.Now().UTC())
	s.Conditions = append(s.Conditions, w.conditions...)
	for _, c := range w.pod.Status.Conditions {
		if !isOwn(c) {
			s.Conditions = append(s.Conditions, c)
		}
	}
	text, _ := json.Marshal(s)
	return s, string(text)
}

// phase is Pending until all containers have been started, and then Running until the last one has
// ended for good.
func phase(containers []containerStatus, policy string) string {
	waits, runs, failed := false, false, false
	for _, c := range containers {
		switch {
		case c.State.Running != nil:
			runs = true
		case c.State.Terminated != nil && !restarts(policy, c.State.Terminated.ExitCode):
			failed = failed || c.State.Terminated.ExitCode != 0
		case c.State.Terminated != nil || c.LastState.Terminated != nil:
			runs = true // it is about to
		default:
			waits = true
		}
	}
	switch {
	case waits:
		return "Pending"
	case runs:
		return "Running"
	case failed:
		return "Failed"
	}
	return "Succeeded"
}

// ownConditions returns the conditions that are the agent's; a time changes only with the status.
func ownConditions(before []core.Condition, containers []containerStatus, phase string, sandbox bool, now time.Time) []core.Condition {
	var unready []string
	for _, c := range containers {
		if !c.Ready {
			unready = append(unready, c.Name)
		}
	}
	is := map[bool]string{true: "True", false: "False"}
	ready := core.Condition{Status: is[len(unready) == 0]}
	if phase == "Succeeded" {
		ready.Reason = "PodCompleted"
	} else if len(unready) > 0 {
		ready.Reason = "ContainersNotReady"
		ready.Message = fmt.Sprintf("containers with unready status: [%s]", strings.Join(unready, " "))
	}
	own := []core.Condition{{Status: is[sandbox]}, {Status: "True"}, ready, ready}
	for i, kind := range ownKinds {
		own[i].Type, own[i].LastTransitionTime = kind, now
		if before != nil && before[i].Status == own[i].Status {
			own[i].LastTransitionTime = before[i].LastTransitionTime
		}
	}
	return own
}

var ownKinds = []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"}

func isOwn(c core.Condition) bool { return contains(ownKinds, c.Type) }
