// Package cluster starts a Kubernetes control plane on loopback and stops it again. Everything that
// belongs to a cluster is in its folder (README.md lists the contents).
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ballast.dev/tests/cluster/internal/build"
	"ballast.dev/tests/cluster/internal/process"
)

// Options configures Up.
type Options struct {
	build.Wanted
	Nodes         int
	HPAController bool
	// Whether the load player is part of the cluster, without a load at first.
	Player bool
	// Whether the audit log has all requests of service accounts.
	AuditAccounts bool
	// Additional flags by component. They come last, so they override the others.
	Flags map[string][]string
	// The cluster stops when this process has ended; 0: it runs until `down`.
	ParentPID int
}

// Cluster is a cluster, identified by its folder.
type Cluster struct {
	dir      string
	progress io.Writer
}

// New returns the cluster of a folder, which need not exist. Its methods report to progress.
func New(dir string, progress io.Writer) (*Cluster, error) {
	dir, err := filepath.Abs(dir)
	return &Cluster{dir: dir, progress: progress}, err
}

// claim prepares the folder for a cluster. It refuses a folder that contains anything else.
func (c *Cluster) claim() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 && !c.claimed() {
		return fmt.Errorf("%s is neither empty nor a cluster's folder", c.dir)
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return os.Chmod(c.dir, 0o700)
}

func (c *Cluster) claimed() bool {
	_, err := os.Stat(c.path(lockFile))
	return err == nil
}

const (
	lockFile  = "lock"
	stateFile = "state.json"
	watcher   = "watcher"
	// A component that has not exited after this time is killed, since none of its data is kept.
	grace = 5 * time.Second
)

// In the order in which they start.
var components = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kubelet", "kwok", "metrics-server", "load"}

// state is written when the cluster is up.
type state struct {
	Server     string   `json:"server"`
	Components []string `json:"components"`
}

func (c *Cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *Cluster) processes() process.Folder { return process.Folder(c.path("run")) }

func (c *Cluster) log(name string) string { return c.path("logs", name+".log") }

func (c *Cluster) say(format string, values ...any) {
	fmt.Fprintf(c.progress, "cluster: "+format+"\n", values...)
}

// lock ensures that only one command at a time changes the cluster.
func (c *Cluster) lock() (unlock func(), err error) {
	return build.Lock(c.path(lockFile), func() {
		c.say("waiting for another command on %s", c.dir)
	})
}

func (c *Cluster) readState() (state, bool) {
	var s state
	text, err := os.ReadFile(c.path(stateFile))
	if err != nil || json.Unmarshal(text, &s) != nil {
		return state{}, false
	}
	return s, true
}

func (c *Cluster) writeState(s state) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(c.path(stateFile), append(text, '\n'), 0o600)
}
