package agent

import (
	"context"
	"time"

	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/probe"
)

// beginProbes begins the probes of a container that has been started: the startup probe, and when that
// has succeeded, the others.
func (c *instance) beginProbes() {
	ctx, stop := context.WithCancel(c.w.ctx)
	killing, stopKilling := context.WithCancel(ctx)
	c.stopProbes, c.stopKilling = stop, stopKilling
	others := func() {
		c.started = true
		if c.spec.LivenessProbe != nil {
			c.probe(killing, "liveness", *c.spec.LivenessProbe, c.killUnless("liveness", c.spec.LivenessProbe))
		}
		if c.spec.ReadinessProbe == nil {
			c.ready = true
			return
		}
		c.probe(ctx, "readiness", *c.spec.ReadinessProbe, func(ready bool) { c.ready = ready })
	}
	if c.spec.StartupProbe == nil {
		others()
		return
	}
	startup, stopStartup := context.WithCancel(killing)
	unless := c.killUnless("startup", c.spec.StartupProbe)
	c.probe(startup, "startup", *c.spec.StartupProbe, func(started bool) {
		stopStartup()
		if unless(started); started {
			others()
		}
	})
}

// killUnless returns a function that lets the container end, and so be restarted, unless it is told true.
func (c *instance) killUnless(kind string, p *core.Probe) func(bool) {
	return func(alive bool) {
		if alive {
			return
		}
		c.w.say("container %s failed its %s probe, will be restarted", c.spec.Name, kind)
		grace := core.Or(p.TerminationGracePeriodSeconds, core.Or(c.w.pod.Spec.TerminationGracePeriodSeconds, 30))
		c.end(time.Duration(grace) * time.Second)
	}
}

// probe asks until ctx is cancelled; the worker's goroutine learns each verdict.
func (c *instance) probe(ctx context.Context, kind string, p core.Probe, verdict func(bool)) {
	settings := probe.Of(p)
	target := c.target(c.process)
	wait := func(how time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(how):
			return true
		}
	}
	go func() {
		tally, failing := settings.Tally, false
		for goesOn := wait(settings.Delay); goesOn; goesOn = wait(settings.Period) {
			limited, cancel := context.WithTimeout(ctx, settings.Timeout)
			err := probe.Ask(limited, p.Handler, target)
			cancel()
			if ctx.Err() != nil {
				return
			}
			if failing != (err != nil) {
				failing = err != nil
				c.w.say("%s probe of %s: %v", kind, c.spec.Name, err)
			}
			if !tally.Count(err == nil) {
				continue
			}
			c.w.do(func() {
				if ctx.Err() == nil {
					verdict(err == nil)
				}
			})
		}
	}()
}
