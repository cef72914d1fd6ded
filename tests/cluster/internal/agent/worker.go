package agent

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
)

// After this time the agent tries again what failed.
const pause = time.Second

// worker runs one pod. All of its fields but the queue and what is constant belong to the goroutine that calls run; others
// ask for changes by do.
type worker struct {
	agent      *agent
	name       string // NAMESPACE/NAME; constant
	ctx        context.Context
	pod        core.Pod
	folder     string
	number     int // the last of the pod's address
	sandbox    *container.Sandbox
	volumes    map[string]place
	containers []*instance
	began      time.Time
	conditions []core.Condition // its own
	reported   string           // the status that the API has
	// Once the pod is to end, when its containers are killed.
	deadline time.Time
	over     bool // there is nothing left to do

	wake  chan struct{}
	mutex sync.Mutex
	queue []func() // guarded by mutex
}

func newWorker(a *agent, pod core.Pod) *worker {
	return &worker{agent: a, name: pod.String(), pod: pod,
		folder: filepath.Join(a.Folder, "pods", pod.Metadata.UID),
		began:  time.Now().UTC(), wake: make(chan struct{}, 1)}
}

// do lets the worker's goroutine call a function, after those of earlier calls; any goroutine may call it.
func (w *worker) do(what func()) {
	w.mutex.Lock()
	w.queue = append(w.queue, what)
	w.mutex.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *worker) after(time_ time.Duration, what func()) {
	time.AfterFunc(time_, func() { w.do(what) })
}

// run returns when the pod is gone.
func (w *worker) run(ctx context.Context) {
	w.ctx = ctx
	for _, c := range w.pod.Spec.Containers {
		w.containers = append(w.containers, newInstance(w, c))
	}
	w.update(w.pod)
	w.begin()
	for !w.over {
		w.report()
		<-w.wake
		w.mutex.Lock()
		queue := w.queue
		w.queue = nil
		w.mutex.Unlock()
		for _, what := range queue {
			if !w.over {
				what()
			}
		}
	}
	w.cleanUp()
}

// begin makes what the containers need and starts them; tries again later if that fails.
func (w *worker) begin() {
	if !w.deadline.IsZero() {
		return
	}
	if err := w.prepare(); err != nil {
		for _, c := range w.containers {
			c.wait("ContainerCreating", err)
		}
		w.after(pause, w.begin)
		return
	}
	for _, c := range w.containers {
		c.start()
	}
}

func (w *worker) prepare() error {
	if len(w.pod.Spec.InitContainers) > 0 {
		return errInitContainers
	}
	if err := os.MkdirAll(w.folder, 0o755); err != nil {
		return err
	}
	if w.sandbox == nil {
		if err := w.makeSandbox(); err != nil {
			return err
		}
	}
	var err error
	w.volumes, err = w.makeVolumes()
	return err
}

func (w *worker) update(pod core.Pod) {
	w.pod = pod
	if pod.Metadata.DeletionTimestamp == nil {
		return
	}
	// The API server has added the time of grace to that of the deletion.
	w.end(*pod.Metadata.DeletionTimestamp)
}

// vanish ends the pod at once, because it is no longer in the API.
func (w *worker) vanish() {
	for _, c := range w.containers {
		c.kill()
	}
	w.end(time.Now())
}

// end lets all containers end until the deadline, which an earlier call may have set to a later time.
func (w *worker) end(deadline time.Time) {
	if !w.deadline.IsZero() && !deadline.Before(w.deadline) {
		return
	}
	w.deadline = deadline
	for _, c := range w.containers {
		c.end(time.Until(deadline))
	}
	w.settle()
}

// settle removes a pod that is to end, once nothing runs.
func (w *worker) settle() {
	if w.deadline.IsZero() || w.over {
		return
	}
	for _, c := range w.containers {
		if c.process != nil {
			return
		}
	}
	if w.ctx.Err() != nil {
		w.over = true
		return
	}
	w.report()
	err := w.agent.client.DeleteNow(w.ctx, w.pod.Path(), w.pod.Metadata.UID)
	if err == nil || kube.NotFound(err) || kube.Conflict(err) {
		w.say("gone")
		w.over = true
		return
	}
	w.say("%v", err)
	w.after(pause, w.settle)
}

func (w *worker) cleanUp() {
	if w.sandbox != nil {
		w.sandbox.Close()
		w.agent.releaseNumber(w.number)
	}
	if err := os.RemoveAll(w.folder); err != nil {
		w.say("%v", err)
	}
}

// say may be called by any goroutine.
func (w *worker) say(format string, values ...any) { say(w.name, format, values...) }

// report writes the status if it has changed.
func (w *worker) report() {
	if w.ctx.Err() != nil || w.over {
		return
	}
	status, text := w.status()
	if text == w.reported {
		return
	}
	err := w.agent.client.Merge(w.ctx, w.pod.Path()+"/status", map[string]any{
		"metadata": map[string]string{"uid": w.pod.Metadata.UID}, "status": status})
	switch {
	case err == nil:
		w.reported = text

	case kube.NotFound(err) || kube.Conflict(err):
		// The pod is gone, which the watch will say.
	default:
		w.say("%v", err)
		w.after(pause, func() {})
	}
}
