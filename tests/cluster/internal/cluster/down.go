package cluster

import "os"

// Down ends all processes, waits for them, and removes all but logs/ and audit.log. It needs
// nothing but the id files, and may be repeated.
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

// takeDown leaves the watcher alone, which calls it too. It needs the lock.
func (c *Cluster) takeDown() error {
	// etcd goes last: the others would wait for it in vain.
	c.processes().Stop(grace, components[1:]...)
	c.processes().Stop(grace, components[0])
	for _, name := range []string{stateFile, "run", "pki", "etcd", "kubeconfig", "bin", "audit-policy.yaml"} {
		if err := os.RemoveAll(c.path(name)); err != nil {
			return err
		}
	}
	return nil
}
