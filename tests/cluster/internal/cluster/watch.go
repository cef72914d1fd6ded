package cluster

import (
	"os"
	"strconv"
	"time"

	"ballast.dev/tests/cluster/internal/process"
)

// Watch waits until a process has ended, then stops the cluster. It runs in a process of its own,
// so that a killed test leaves nothing behind.
func (c *Cluster) Watch(parent process.ID) error {
	known := map[process.ID]bool{}
	for parent.Alive() {
		for _, name := range components {
			if id, running := c.processes().Find(name); running {
				known[id] = true
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	// A test may have deleted the folder, and the id files with it, before it ended.
	defer func() {
		for id := range known {
			id.Kill()
		}
	}()
	unlock, err := c.lock()
	if err != nil {
		return err
	}
	defer unlock()
	c.say("process %d has ended", parent.PID)
	return c.takeDown()
}

func (c *Cluster) startWatcher(parent process.ID) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	_, err = c.processes().Start(watcher, c.log(watcher), program, "watch", c.dir,
		strconv.Itoa(parent.PID), parent.Start)
	return err
}
