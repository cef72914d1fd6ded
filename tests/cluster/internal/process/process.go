// Package process starts programs that outlive the process that starts them, finds them again and
// stops them.
//
// A program's pid and start time are written to <folder>/<name>.pid before the program itself runs,
// so that it is found even if the process that started it was killed. The start time tells it from
// another process that gets the same pid later. Linux only: it reads /proc.
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

// Folder is the folder with the id files of programs that belong together.
type Folder string

// ID identifies a process for ever: pids are reused, but not with the same start time (in ticks
// since boot).
type ID struct {
	PID   int
	Start string
}

// exec replaces the shell by the program, which keeps the shell's pid and start time.
const recordAndRun = `echo "$$ $(cut -d" " -f22 /proc/$$/stat)" >"$0" && exec "$@"`

// Start starts a program with its output in log. It runs in a session of its own, so that Ctrl-C
// does not reach it. The channel receives how the program ended, if this process still runs then.
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

// Stop sends SIGTERM to the named programs and waits until they have exited. Those that still run
// after the grace time are killed.
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

// Alive reports whether this process is still running; a zombie is not.
func (id ID) Alive() bool {
	start, ok := startTime(id.PID)
	return ok && start == id.Start
}

// Kill kills this process if it is still running.
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

// startTime returns field 22 of /proc/PID/stat. It counts from the last parenthesis, since the
// second field is the program's name in parentheses, which may contain anything.
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
