package container

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Process is a container's program that has been started.
type Process struct {
	PID   int // outside
	spec  Spec
	ended chan int
}

// Start starts a container whose program appends its output to the file log.
func Start(spec Spec, log string) (*Process, error) {
	if err := os.MkdirAll(spec.Folder, 0o755); err != nil {
		return nil, err
	}
	output, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer output.Close()
	specOut, specIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer specOut.Close()
	complaintOut, complaintIn, err := os.Pipe()
	if err != nil {
		specIn.Close()
		return nil, err
	}
	defer complaintOut.Close()
	command := exec.Command("/proc/self/exe")
	command.Args = []string{containerName}
	command.Env = []string{}
	command.Stdout, command.Stderr = output, output
	command.ExtraFiles = []*os.File{specOut, complaintIn}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID, Setsid: true, Pdeathsig: syscall.SIGKILL}
	err = command.Start()
	complaintIn.Close()
	if err != nil {
		specIn.Close()
		return nil, err
	}
	err = json.NewEncoder(specIn).Encode(spec)
	specIn.Close()
	// The end of the file comes when the program has been started.
	complaint, readError := io.ReadAll(complaintOut)
	if err = errors.Join(err, readError); err == nil && len(complaint) > 0 {
		err = errors.New(string(complaint))
	}
	if err != nil {
		command.Process.Kill()
		command.Wait()
		return nil, err
	}
	p := &Process{PID: command.Process.Pid, spec: spec, ended: make(chan int, 1)}
	go func() {
		command.Wait()
		p.ended <- status(command.ProcessState.Sys().(syscall.WaitStatus))
	}()
	return p, nil
}

// Ended receives the exit code once the program has ended; 128 and the signal's number if by a signal.
func (p *Process) Ended() <-chan int { return p.ended }

func status(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// Signal sends a signal to the program, if it still runs.
func (p *Process) Signal(signal syscall.Signal) { syscall.Kill(p.PID, signal) }

// Exec runs another program in the container, as its user.
func (p *Process) Exec(ctx context.Context, words []string) error {
	number := strconv.Itoa
	command := exec.CommandContext(ctx, "nsenter", append([]string{
		"--target", number(p.PID), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd",
		"--setgid", number(p.spec.Group), "--setuid", number(p.spec.User), "--"}, words...)...)
	command.Env = p.spec.Env
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}
