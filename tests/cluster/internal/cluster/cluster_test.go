package cluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/process"
)

func TestFreePortsDiffer(t *testing.T) {
	ports, err := freePorts(50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, port := range ports {
		if port == 0 || seen[port] {
			t.Errorf("port %d is 0 or occurs twice", port)
		}
		seen[port] = true
	}
}

func TestClaim(t *testing.T) {
	for _, test := range []struct {
		what  string
		files []string
		good  bool
	}{
		{"empty", nil, true},
		{"a cluster's", []string{lockFile, "audit.log"}, true},
		{"somebody's", []string{"thesis.txt"}, false},
	} {
		dir := t.TempDir()
		for _, name := range test.files {
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, _ := New(dir, io.Discard)
		if err := c.claim(); (err == nil) != test.good {
			t.Errorf("%s: %v", test.what, err)
		}
		if info, _ := os.Stat(dir); test.good && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v", test.what, info.Mode())
		}
	}
}

func TestNothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	c, _ := New(dir, io.Discard)
	if err := c.Down(); err != nil {
		t.Errorf("down: %v", err)
	}
	if err := c.Status(io.Discard); !errors.Is(err, ErrNotUp) {
		t.Errorf("status: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}

// If another process takes a port before the component uses it, start tries again with other ports.
// Any other failure is final; its error has the end of the log.
func TestStartTriesOtherPorts(t *testing.T) {
	dir := t.TempDir()
	c, _ := New(dir, io.Discard)
	program := `#!/bin/sh
if mkdir "` + dir + `/tried"; then echo "bind: address already in use"; else echo "$1"; fi
exit 1
`
	for _, folder := range []string{"bin", "logs"} {
		if err := os.Mkdir(c.path(folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(c.path("bin", "etcd"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := c.start(context.Background(), component{
		name: "etcd", ports: 1,
		arguments: func([]int) []string { return []string{"out of luck"} },
	})
	if err == nil || !strings.Contains(err.Error(), "out of luck") || !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("ended with %v", err)
	}
}

func TestWatchEndsWhatItsFolderForgot(t *testing.T) {
	c, _ := New(filepath.Join(t.TempDir(), "cluster"), io.Discard)
	elsewhere := process.Folder(t.TempDir())
	start := func(folder process.Folder, name string) process.ID {
		if _, err := folder.Start(name, filepath.Join(string(elsewhere), "log"), "/bin/sleep", "100"); err != nil {
			t.Fatal(err)
		}
		for {
			if id, running := folder.Find(name); running {
				t.Cleanup(id.Kill)
				return id
			}
			time.Sleep(time.Millisecond)
		}
	}
	component, parent := start(c.processes(), "etcd"), start(elsewhere, "parent")
	ended := make(chan error)
	go func() { ended <- c.Watch(parent) }()
	// After two of its rounds, the watcher has seen the component at least once.
	time.Sleep(500 * time.Millisecond)
	if !component.Alive() {
		t.Error("ended before its parent")
	}
	os.RemoveAll(c.dir)
	parent.Kill()
	<-ended
	for deadline := time.Now().Add(5 * time.Second); component.Alive(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("left behind")
		}
	}
}

func TestTogether(t *testing.T) {
	broken := errors.New("broken")
	err := together(context.Background(),
		func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		func(context.Context) error { return broken })
	if err != broken {
		t.Errorf("ended with %v", err)
	}
}
