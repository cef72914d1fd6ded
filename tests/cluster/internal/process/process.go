// Package process starts programs that outlive their starter and finds and ends them again.
//
// A program's id is written to <folder>/<name>.pid before the program itself begins, together with
// the time its process started, so that it is found even if the starter was killed, and so that a
// stranger who got the same id later is left alone. Linux only: it reads /proc.
package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Folder holds the id files of the programs that belong together.
type Folder string

// ID names a process for good: ids are used again, but not at the same start time (in ticks since
// the machine's boot).
type ID struct {
	PID   int
	Start string
}

// A shell keeps its process id and start time when it becomes the program.
const recordAndRun = `echo "$$ $(cut -d" " -f22 /proc/$$/stat)" >"$0" && exec "$@"`

// Start runs a program with its output in log, in a session of its own (Ctrl-C at the
// starter does not reach it). The channel yields the program's end, as long as the starter lives.
func (f Folder) Start(name, log, program string, args ...string) (<-chan error, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, err
	}
	output, err := os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	command := exec.Command("/bin/sh", append([]string{"-c", recordAndRun, f.file(name), program}, args...)...)
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		if err := command.Wait(); err != nil {
			ended <- err
		} else {
			ended <- fmt.Errorf("ended with status 0")
		}
	}()
	return ended, nil
}

// Find returns the id of a program that is running.
func (f Folder) Find(name string) (ID, bool) {
	text, err := os.ReadFile(f.file(name))
	if err != nil {
		return ID{}, false
	}
	pid, start, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	number, err := strconv.Atoi(pid)
	if err != nil {
		return ID{}, false
	}
	id := ID{PID: number, Start: start}
	return id, id.Alive()
}

// Stop ends the named programs together and waits for their end; who has not gone after the grace
// time is killed.
func (f Folder) Stop(grace time.Duration, names ...string) {
	deadline := time.Now().Add(grace)
	f.signal(syscall.SIGTERM, names)
	for f.anyRunning(names) {
		if time.Now().After(deadline) {
			f.signal(syscall.SIGKILL, names)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, name := range names {
		os.Remove(f.file(name))
	}
}

// Of returns the id of the process that has this pid now.
func Of(pid int) (ID, bool) {
	start, ok := startTime(pid)
	return ID{PID: pid, Start: start}, ok
}

// Alive tells whether this very process is running (a zombie is not).
func (id ID) Alive() bool {
	start, ok := startTime(id.PID)
	return ok && start == id.Start
}

// Kill ends this very process at once, if it is running.
func (id ID) Kill() { id.signal(syscall.SIGKILL) }

func (id ID) signal(signal syscall.Signal) {
	if id.Alive() {
		syscall.Kill(id.PID, signal)
	}
}

func (f Folder) file(name string) string { return filepath.Join(string(f), name+".pid") }

func (f Folder) signal(signal syscall.Signal, names []string) {
	for _, name := range names {
		if id, running := f.Find(name); running {
			id.signal(signal)
		}
	}
}

func (f Folder) anyRunning(names []string) bool {
	for _, name := range names {
		if _, running := f.Find(name); running {
			return true
		}
	}
	return false
}

// Field 22 of /proc/PID/stat; the second field is a name in parentheses that may hold anything.
func startTime(pid int) (string, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const state, start = 3 - 3, 22 - 3
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	return fields[start], true
}
