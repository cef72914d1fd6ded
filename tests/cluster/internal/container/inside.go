package container

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// How this program is called to become one of both.
	sandboxName, containerName = "agent-sandbox", "agent-container"
	// File descriptors of a container's first process.
	specFD, complaintFD = 3, 4
	// What package syscall lacks.
	cloneNewIPC, cloneNewUTS, cloneNewNet = 0x08000000, 0x04000000, 0x40000000
	prSetNoNewPrivs                       = 38
)

// Inside does nothing in an ordinary process. In one that this package started, it becomes the sandbox
// or the container's program, and does not return.
func Inside() {
	switch os.Args[0] {
	case sandboxName:
		if err := syscall.Sethostname([]byte(os.Args[1])); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		// The namespaces last for as long as this process.
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM)
		<-ended
		os.Exit(0)
	case containerName:
		// Of the threads, this one becomes the program, with the rights that it has then.
		runtime.LockOSThread()
		complaint := os.NewFile(complaintFD, "complaint")
		syscall.CloseOnExec(complaintFD)
		fmt.Fprint(complaint, become())
		os.Exit(128)
	}
}

// become returns only if it fails.
func become() error {
	var spec Spec
	if err := json.NewDecoder(os.NewFile(specFD, "spec")).Decode(&spec); err != nil {
		return err
	}
	syscall.CloseOnExec(specFD)
	for _, join := range []struct {
		name string
		kind uintptr
	}{{"net", cloneNewNet}, {"uts", cloneNewUTS}, {"ipc", cloneNewIPC}} {
		path := fmt.Sprintf("/proc/%d/ns/%s", spec.Sandbox, join.name)
		namespace, err := os.Open(path)
		if err != nil {
			return err
		}
		if err := call("setns "+path, sysSetns, namespace.Fd(), join.kind, 0); err != nil {
			return err
		}
		namespace.Close()
	}
	if err := arrange(spec); err != nil {
		return err
	}
	if err := os.Chdir(spec.Directory); err != nil {
		return err
	}
	program, err := lookup(spec.Args[0], spec.Env)
	if err != nil {
		return err
	}
	if err := restrict(spec); err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, spec.Args, spec.Env))
}

// restrict gives up all rights but the container's.
func restrict(spec Spec) error {
	kept := map[int]bool{}
	for _, number := range spec.Capabilities {
		kept[number] = true
	}
	for number := range capabilities {
		if kept[number] {
			continue
		}
		if err := call("drop a capability", syscall.SYS_PRCTL, syscall.PR_CAPBSET_DROP, uintptr(number), 0); err != nil {
			return err
		}
	}
	groups := make([]uint32, len(spec.Groups)+1) // one more, so that there is an address
	for i, group := range spec.Groups {
		groups[i] = uint32(group)
	}
	user, group := uintptr(spec.User), uintptr(spec.Group)
	steps := []error{
		call("setgroups", syscall.SYS_SETGROUPS, uintptr(len(spec.Groups)), uintptr(unsafe.Pointer(&groups[0])), 0),
		call("setresgid", syscall.SYS_SETRESGID, group, group, group),
		call("setresuid", syscall.SYS_SETRESUID, user, user, user),
		// The change of the user has undone it.
		call("set the parent's death signal", syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0),
	}
	if spec.NoNewPrivileges {
		steps = append(steps, call("set no_new_privs", syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0))
	}
	for _, err := range steps {
		if err != nil {
			return err
		}
	}
	syscall.Umask(0o022)
	return nil
}

// call calls the kernel from this thread alone.
func call(what string, number, a, b, c uintptr) error {
	if _, _, errno := syscall.RawSyscall6(number, a, b, c, 0, 0, 0); errno != 0 {
		return fmt.Errorf("%s: %w", what, errno)
	}
	return nil
}
