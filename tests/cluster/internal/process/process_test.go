package process

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// start returns when the script has printed something, because its traps are set by then.
func start(t *testing.T, folder Folder, name, script string) {
	t.Helper()
	log := filepath.Join(string(folder), name+".log")
	if _, err := folder.Start(name, log, "/bin/sh", "-c", script); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Stop(0, name) })
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if text, _ := os.ReadFile(log); len(text) > 0 {
			return
		}
	}
	t.Fatalf("%s does not run", name)
}

func TestStopEndsAndForgets(t *testing.T) {
	for _, script := range []string{"echo on; exec sleep 100", "trap '' TERM; echo on; while :; do sleep 0.1; done"} {
		folder := Folder(t.TempDir())
		start(t, folder, "a", script)
		id, _ := folder.Find("a")
		folder.Stop(100*time.Millisecond, "a", "never started")
		if id.Alive() {
			t.Errorf("%q is still alive", script)
		}
		if _, running := folder.Find("a"); running {
			t.Errorf("%q is still found", script)
		}
	}
}

func TestStrangerWithTheSameIdIsLeftAlone(t *testing.T) {
	folder := Folder(t.TempDir())
	start(t, folder, "stranger", "echo on; exec sleep 100")
	stranger, _ := folder.Find("stranger")
	recycled := strconv.Itoa(stranger.PID) + " 1\n"
	if err := os.WriteFile(filepath.Join(string(folder), "ours.pid"), []byte(recycled), 0o600); err != nil {
		t.Fatal(err)
	}
	folder.Stop(0, "ours")
	if !stranger.Alive() {
		t.Error("a process was killed that only has the id of one of ours")
	}
}

func TestEndIsTold(t *testing.T) {
	folder := Folder(t.TempDir())
	ended, err := folder.Start("a", filepath.Join(string(folder), "log"), "/bin/sh", "-c", "echo why; exit 3")
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || err.Error() != "exit status 3" {
		t.Errorf("told %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(string(folder), "log")); string(text) != "why\n" {
		t.Errorf("log %q", text)
	}
}

func TestOf(t *testing.T) {
	me, alive := Of(os.Getpid())
	if !alive || !me.Alive() {
		t.Error("this process is not alive")
	}
	if (ID{PID: me.PID, Start: "1"}).Alive() {
		t.Error("another start time, and still this process")
	}
}
