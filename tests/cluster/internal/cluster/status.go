package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ballast.dev/tests/cluster/internal/kube"
)

// ErrNotUp means that the cluster, or a part of it, is not running.
var ErrNotUp = errors.New("the cluster is not up")

// Status prints a line for each component. It fails unless all run and the API server is ready.
func (c *Cluster) Status(out io.Writer) error {
	s, up := c.readState()
	if !up {
		return ErrNotUp
	}
	for _, name := range append(s.Components, watcher) {
		if id, running := c.processes().Find(name); running {
			fmt.Fprintf(out, "%-24s running, pid %d\n", name, id.PID)
		} else if name != watcher {
			fmt.Fprintf(out, "%-24s not running, see %s\n", name, c.log(name))
		}
	}
	fmt.Fprintf(out, "%-24s %s\n", "server", s.Server)
	return c.healthy()
}

func (c *Cluster) healthy() error {
	s, up := c.readState()
	if !up {
		return ErrNotUp
	}
	for _, name := range s.Components {
		if _, running := c.processes().Find(name); !running {
			return fmt.Errorf("%w: %s is not running", ErrNotUp, name)
		}
	}
	client, err := c.client(s.Server)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return client.Get(ctx, "/readyz", nil)
}

// client returns a client with the administrator's rights.
func (c *Cluster) client(server string) (*kube.Client, error) {
	var pem [3][]byte
	for i, file := range []string{"ca.crt", "admin.crt", "admin.key"} {
		var err error
		if pem[i], err = os.ReadFile(c.path("pki", file)); err != nil {
			return nil, err
		}
	}
	return kube.NewClient(server, pem[0], pem[1], pem[2])
}
