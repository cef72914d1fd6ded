// Package agent is a small kubelet: it runs the containers of the pods of one node as processes of this
// machine and reports what becomes of them. It also binds pods that name no node, as there is no
// scheduler, and marks the claims that they use as bound.
//
// What it does not know, a pod with it is told in its status: init containers, volumes of other kinds
// than volume.Of and volumes.go have, and environment variables from other sources than variable has.
// It ignores resources, seccomp profiles and updates of volumes.
package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/services"
)

// Options configures Run.
type Options struct {
	Folder string // for everything that it keeps; new
	Server string // where the API server listens, host:port
	Images []string
	Nodes  []string
}

// The addresses of the machine and of the pods, in a network namespace of their own.
const (
	hostIP = "10.244.0.1"
	podIP  = "10.244.0.%d"
	mostIP = 254
)

type agent struct {
	Options
	client *kube.Client
	images map[string]container.Image // by full name
	binder binder
	// The address of the Service that leads to the API server, host:port.
	kubernetes string
	// What follows is guarded by mutex.
	mutex   sync.Mutex
	workers map[string]*worker // by uid
	used    [mostIP + 1]bool   // addresses
}

// Run runs until ctx is cancelled or the API server is gone. ready is called once pods can run.
func Run(ctx context.Context, client *kube.Client, options Options, ready func()) error {
	a := &agent{Options: options, client: client, images: map[string]container.Image{}, workers: map[string]*worker{}}
	a.used[0], a.used[1] = true, true // the network and the machine
	if err := os.MkdirAll(filepath.Join(options.Folder, "logs"), 0o755); err != nil {
		return err
	}
	for i, archive := range options.Images {
		image, err := container.Unpack(archive, filepath.Join(options.Folder, "images", fmt.Sprint(i)))
		if err != nil {
			return err
		}
		for _, name := range image.Names {
			a.images[container.FullName(name)] = image
		}
	}
	if err := container.Run("ip", "address", "replace", hostIP+"/32", "dev", "lo"); err != nil {
		return err
	}
	if err := a.findKubernetes(ctx); err != nil {
		return err
	}
	lost, err := services.Follow(ctx, client, options.Server)
	if err != nil {
		return err
	}
	logs, err := a.serveLogs(ctx)
	if err != nil {
		return err
	}
	for _, name := range options.Nodes {
		if err := a.keepNode(ctx, name, logs); err != nil {
			return err
		}
	}
	a.binder.nodes = options.Nodes
	lostPods, err := kube.Follow(ctx, client, "/api/v1/pods", kube.Followed[core.Pod]{
		All:     func(all []core.Pod) { a.replace(ctx, all) },
		Changed: func(pod core.Pod) { a.changed(ctx, pod) },
		Gone: func(pod core.Pod) {
			a.gone(pod.Metadata.UID)
			a.bindPending(ctx) // there can be room now
		},
	})
	if err != nil {
		return err
	}
	ready()
	defer a.killAll()
	select {
	case <-ctx.Done():
		return nil
	case err = <-lost[0]:
	case err = <-lost[1]:
	case err = <-lostPods:
	}
	return fmt.Errorf("the API server is gone: %w", err)
}

func (a *agent) findKubernetes(ctx context.Context) error {
	var service services.Service
	if err := a.client.Get(ctx, "/api/v1/namespaces/default/services/kubernetes", &service); err != nil {
		return err
	}
	a.kubernetes = fmt.Sprintf("%s:%d", service.Spec.ClusterIP, service.Spec.Ports[0].Port)
	return nil
}

func (a *agent) replace(ctx context.Context, all []core.Pod) {
	there := map[string]bool{}
	for _, pod := range all {
		there[pod.Metadata.UID] = true
	}
	a.mutex.Lock()
	var absent []string
	for uid := range a.workers {
		if !there[uid] {
			absent = append(absent, uid)
		}
	}
	a.mutex.Unlock()
	a.binder.replace(all)
	for _, uid := range absent {
		a.gone(uid)
	}
	for _, pod := range all {
		a.changed(ctx, pod)
	}
}

func (a *agent) changed(ctx context.Context, pod core.Pod) {
	a.binder.changed(pod)
	if pod.Spec.NodeName == "" {
		a.bindPending(ctx)
		return
	}
	if !contains(a.Nodes, pod.Spec.NodeName) {
		return
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	w := a.workers[pod.Metadata.UID]
	if w == nil {
		w = newWorker(a, pod)
		a.workers[pod.Metadata.UID] = w
		go func() {
			w.run(ctx)
			a.mutex.Lock()
			defer a.mutex.Unlock()
			delete(a.workers, pod.Metadata.UID)
		}()
		return
	}
	w.do(func() { w.update(pod) })
}

func (a *agent) gone(uid string) {
	a.binder.gone(uid)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if w := a.workers[uid]; w != nil {
		w.do(w.vanish)
	}
}

// killAll ends all containers and waits until they have ended.
func (a *agent) killAll() {
	a.mutex.Lock()
	for _, w := range a.workers {
		w.do(w.vanish)
	}
	a.mutex.Unlock()
	for {
		a.mutex.Lock()
		left := len(a.workers)
		a.mutex.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// takeNumber returns the last number of an address that no pod has.
func (a *agent) takeNumber() (int, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for number := range a.used {
		if !a.used[number] {
			a.used[number] = true
			return number, nil
		}
	}
	return 0, fmt.Errorf("all %d addresses are in use", mostIP-1)
}

func (a *agent) releaseNumber(number int) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.used[number] = false
}

// say prints what a user of the agent can need to understand a test.
func say(who, format string, values ...any) {
	fmt.Fprintf(os.Stderr, "%s %s: %s\n", time.Now().UTC().Format("15:04:05.000"), who, fmt.Sprintf(format, values...))
}

func contains(all []string, one string) bool {
	for _, each := range all {
		if each == one {
			return true
		}
	}
	return false
}
