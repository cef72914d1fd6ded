package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/probe"
)

// instance is a container of a pod, through all its starts. Its pod's worker alone uses it.
type instance struct {
	w        *worker
	spec     core.Container
	process  *container.Process // nil: none runs
	image    container.Image
	state    state
	last     *terminated
	ending   *container.Process // one that has been asked to end
	begun    time.Time
	restarts int
	started  bool
	ready    bool
	// End the probes: those that can kill the container, and all.
	stopKilling, stopProbes context.CancelFunc
}

func newInstance(w *worker, spec core.Container) *instance {
	return &instance{w: w, spec: spec, state: state{Waiting: &waiting{Reason: "ContainerCreating"}},
		stopKilling: func() {}, stopProbes: func() {}}
}

// start starts the container, unless the pod is to end; tries again later if that fails.
func (c *instance) start() {
	if !c.w.deadline.IsZero() {
		return
	}
	process, reason, err := c.launch()
	if err != nil {
		c.wait(reason, err)
		c.w.after(pause, c.start)
		return
	}
	c.process, c.begun = process, time.Now().UTC()
	c.state = state{Running: &running{c.begun}}
	c.w.say("container %s runs as process %d", c.spec.Name, process.PID)
	go func() {
		code := <-process.Ended()
		c.w.do(func() { c.ended(code) })
	}()
	c.beginProbes()
}

// wait says, once, why the container does not run.
func (c *instance) wait(reason string, err error) {
	why := waiting{reason, err.Error()}
	if c.state.Waiting == nil || *c.state.Waiting != why {
		c.w.say("container %s: %v", c.spec.Name, err)
	}
	c.state = state{Waiting: &why}
}

// launch returns the process, or a reason as the kubelet words it, and the error.
func (c *instance) launch() (*container.Process, string, error) {
	image, found := c.w.agent.images[container.FullName(c.spec.Image)]
	if !found {
		return nil, "ErrImagePull", fmt.Errorf("the agent has no image %q", c.spec.Image)
	}
	c.image = image
	spec, err := c.w.containerSpec(c.spec, image)
	if err != nil {
		return nil, "CreateContainerConfigError", err
	}
	spec.Folder = filepath.Join(c.w.folder, "containers", fmt.Sprintf("%s-%d", c.spec.Name, c.restarts))
	if err := os.RemoveAll(spec.Folder); err != nil {
		return nil, "RunContainerError", err
	}
	process, err := container.Start(spec, c.w.agent.logFile(c.w.pod, c.spec.Name, c.restarts))
	return process, "RunContainerError", err
}

// ended is called when the process has ended.
func (c *instance) ended(code int) {
	c.stopProbes()
	c.process = nil
	c.started, c.ready = false, false
	now := time.Now().UTC()
	end := terminated{ExitCode: code, Reason: "Completed", StartedAt: c.begun, FinishedAt: now, ContainerID: c.id()}
	if code != 0 {
		end.Reason = "Error"
	}
	c.w.say("container %s ended with status %d", c.spec.Name, code)
	c.state = state{Terminated: &end}
	if !c.w.deadline.IsZero() {
		c.w.settle()
		return
	}
	if !restarts(c.w.pod.Spec.RestartPolicy, code) {
		return
	}
	c.last = &end
	delay := backOff(c.restarts)
	c.restarts++
	if delay > 0 {
		c.state = state{Waiting: &waiting{"CrashLoopBackOff",
			fmt.Sprintf("back-off %v restarting failed container=%s", delay, c.spec.Name)}}
	}
	c.w.after(delay, c.start)
}

// id is the container's in the status.
func (c *instance) id() string {
	return fmt.Sprintf("agent://%s-%s-%d", c.w.pod.Metadata.UID, c.spec.Name, c.restarts)
}

// end runs the hook and sends SIGTERM, and SIGKILL after the time of grace. A later call can only
// shorten that.
func (c *instance) end(grace time.Duration) {
	process := c.process
	if process == nil {
		return
	}
	c.stopKilling()
	c.w.after(grace, func() {
		if c.process == process {
			c.kill()
		}
	})
	if c.ending == process {
		return
	}
	c.ending = process
	hook := c.spec.Lifecycle.PreStop
	target := c.target(process)
	go func() {
		if hook != nil {
			ctx, cancel := context.WithTimeout(c.w.ctx, grace)
			defer cancel()
			if err := probe.Ask(ctx, *hook, target); err != nil {
				c.w.say("preStop of %s: %v", c.spec.Name, err)
			}
		}
		c.w.do(func() {
			if c.process == process {
				process.Signal(syscall.SIGTERM)
			}
		})
	}()
}

func (c *instance) kill() {
	if c.process != nil {
		c.process.Signal(syscall.SIGKILL)
	}
}

func (c *instance) target(process *container.Process) probe.Target {
	return probe.Target{IP: c.w.sandbox.IP, Ports: c.spec.Ports, Exec: process.Exec}
}

// restarts reports whether a container that has ended is started again.
func restarts(policy string, code int) bool {
	return policy == "Always" || policy == "OnFailure" && code != 0
}

// backOff is how long a container waits before it is started again: at first not at all, then 10 s,
// and each time twice as long, up to 5 minutes.
func backOff(before int) time.Duration {
	if before == 0 {
		return 0
	}
	const most = 5 * time.Minute
	delay := 10 * time.Second
	for ; before > 1 && delay < most; before-- {
		delay *= 2
	}
	return min(delay, most)
}
