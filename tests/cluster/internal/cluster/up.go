package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ballast.dev/tests/cluster/internal/build"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/process"
)

// Up builds missing programs, starts the control plane and returns when pods can run. If it fails
// or ctx is cancelled, it stops everything that it started. If the cluster is already up, it does
// nothing.
func (c *Cluster) Up(ctx context.Context, source string, o Options) (err error) {
	if err := c.claim(); err != nil {
		return err
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if c.healthy() == nil {
		c.say("%s is up already", c.dir)
		return nil
	}
	// Remove what an interrupted start, or a crash, left.
	c.processes().Stop(grace, watcher)
	if err := c.takeDown(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			c.processes().Stop(grace, watcher)
			err = errors.Join(err, c.takeDown())
		}
	}()
	if o.ParentPID != 0 {
		parent, alive := process.Of(o.ParentPID)
		if !alive {
			return fmt.Errorf("no process %d", o.ParentPID)
		}
		if err := os.MkdirAll(c.path("logs"), 0o700); err != nil {
			return err
		}
		if err := c.startWatcher(parent); err != nil {
			return err
		}
	}
	cache, err := build.CacheFolder()
	if err != nil {
		return err
	}
	built, err := build.Programs(ctx, source, cache, o.Wanted, c.progress)
	if err != nil {
		return err
	}
	return c.startAll(ctx, source, built, o)
}

func (c *Cluster) startAll(ctx context.Context, source string, built build.Built, o Options) error {
	began := time.Now()
	if err := c.writeFiles(built, o); err != nil {
		return err
	}
	etcd, err := c.start(ctx, c.etcd(o))
	if err != nil {
		return err
	}
	apiserver, err := c.start(ctx, c.apiServer(o, etcd[0]))
	if err != nil {
		return err
	}
	s := state{Server: address(apiserver[0]), Components: slices.Clone(components[:3])}
	client, err := c.client(s.Server)
	if err != nil {
		return err
	}
	if err := c.writeKubeconfig(s.Server); err != nil {
		return err
	}
	steps := []func(context.Context) error{
		func(ctx context.Context) error { return c.startControllers(ctx, client, o) },
	}
	if o.Kwok {
		s.Components = append(s.Components, "kwok")
		steps = append(steps, func(ctx context.Context) error { return c.startKwok(ctx, client, built, o) })
	} else {
		s.Components = append(s.Components, "kubelet")
		steps = append(steps, func(ctx context.Context) error {
			_, err := c.start(ctx, c.kubelet(source, client, o))
			return err
		})
	}
	if o.MetricsServer {
		s.Components = append(s.Components, "metrics-server")
		steps = append(steps, func(ctx context.Context) error { return c.startMetricsServer(ctx, o) })
	}
	if o.Player {
		s.Components = append(s.Components, "load")
		steps = append(steps, func(ctx context.Context) error {
			_, err := c.start(ctx, c.player(source, client))
			return err
		})
	}
	if err := together(ctx, steps...); err != nil {
		return err
	}
	if err := c.writeState(s); err != nil {
		return err
	}
	c.say("up in %.1f s; export KUBECONFIG=%s", time.Since(began).Seconds(), c.path("kubeconfig"))
	return nil
}

func (c *Cluster) startControllers(ctx context.Context, client *kube.Client, o Options) error {
	_, err := c.start(ctx, c.controllerManager(o, client))
	return err
}

func (c *Cluster) startKwok(ctx context.Context, client *kube.Client, built build.Built, o Options) error {
	if err := c.kubectl(ctx, "", "create", "-f", built.CRDs); err != nil {
		return err
	}
	if err := c.waitEstablished(ctx, built.CRDs); err != nil {
		return err
	}
	if err := c.kubectl(ctx, "", "create", "-f", built.Objects); err != nil {
		return err
	}
	nodes, err := nodeManifests(o.Nodes)
	if err != nil {
		return err
	}
	if err := c.kubectl(ctx, nodes, "create", "-f", "-"); err != nil {
		return err
	}
	_, err = c.start(ctx, c.kwok(o, client))
	return err
}

// waitEstablished waits until the definitions in the folder are served.
func (c *Cluster) waitEstablished(ctx context.Context, folder string) error {
	// A new definition's conditions are null for a moment, which `kubectl wait` takes for an error.
	const tries = 5
	for i := 1; ; i++ {
		err := c.kubectl(ctx, "", "wait", "--for=condition=Established", "-f", folder)
		if err == nil || i == tries {
			return err
		}
	}
}

func (c *Cluster) startMetricsServer(ctx context.Context, o Options) error {
	ports, err := c.start(ctx, c.metricsServer(o))
	if err != nil {
		return err
	}
	manifest, err := c.metricsManifest(ports[0])
	if err != nil {
		return err
	}
	return c.kubectl(ctx, manifest, "create", "-f", "-")
}

// start starts a component, waits until it is ready, and returns its ports.
func (c *Cluster) start(ctx context.Context, p component) ([]int, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	program := p.program
	if program == "" {
		program = c.path("bin", p.name)
	}
	const attempts = 5
	for attempt := 1; ; attempt++ {
		ports, err := freePorts(p.ports)
		if err != nil {
			return nil, err
		}
		ended, err := c.processes().Start(p.name, c.log(p.name), program, p.arguments(ports)...)
		if err != nil {
			return nil, err
		}
		err = waitReady(ctx, ended, func() error { return c.ready(ctx, p, ports) })
		if err == nil {
			c.say("%s is ready after %.1f s", p.name, time.Since(began).Seconds())
			return ports, nil
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, fmt.Errorf("interrupted while %s was starting", p.name)
		}
		tail := c.tail(p.name)
		if !strings.Contains(tail, "address already in use") || attempt == attempts || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w\n%s", p.name, err, tail)
		}
		// Another process took the port after freePorts had found it free.
		c.processes().Stop(grace, p.name)
	}
}

func (c *Cluster) ready(ctx context.Context, p component, ports []int) error {
	id, running := c.processes().Find(p.name)
	if !running {
		return errors.New("not running")
	}
	for _, port := range ports {
		if !id.Listens(port) {
			return fmt.Errorf("not listening on port %d", port)
		}
	}
	if p.ready == nil {
		return nil
	}
	return p.ready(ctx, ports)
}

func waitReady(ctx context.Context, ended <-chan error, ready func() error) error {
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case ending := <-ended:
			return ending
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tail returns the end of a component's log.
func (c *Cluster) tail(name string) string {
	text, _ := os.ReadFile(c.log(name))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	const most = 15
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return strings.Join(lines, "\n")
}

// together runs the steps concurrently and waits for all; the first failure cancels the others.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error, len(steps))
	for _, step := range steps {
		go func(step func(context.Context) error) { results <- step(ctx) }(step)
	}
	var first error
	for range steps {
		if err := <-results; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}
