package cluster

import "os"

// Down stops all processes, waits until they have exited, and removes everything but logs/,
// audit.log and lock. It needs only the id files, and may be called again.
func (c *Cluster) Down() error {
	if !c.claimed() {
		return nil
	}
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	c.processes().Stop(grace, watcher)
	return c.takeDown()
}

// takeDown does the same without the watcher, which calls it too. The caller must have the lock.
func (c *Cluster) takeDown() error {
	// etcd stops last, since the others would wait for it while they stop.
	c.processes().Stop(grace, components[1:]...)
	c.processes().Stop(grace, components[0])
	for _, name := range []string{stateFile, "run", "pki", "etcd", "kubeconfig", "bin", "audit-policy.yaml"} {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return err
		}
	}
	return nil
}
