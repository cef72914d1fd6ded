package container

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Sandbox has the network, the host name and the IPC of a pod.
type Sandbox struct {
	PID, number int
	IP          string
	command     *exec.Cmd
}

// NewSandbox makes the network of a pod: the address IP, which the node (whose own address is node)
// reaches and which reaches the node and all addresses that the node has. number tells it from others.
func NewSandbox(number int, host, ip, node string) (*Sandbox, error) {
	command := exec.Command("/proc/self/exe")
	command.Args = []string{sandboxName, host}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: cloneNewNet | cloneNewUTS | cloneNewIPC, Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		return nil, err
	}
	s := &Sandbox{PID: command.Process.Pid, number: number, IP: ip, command: command}
	device, pid := fmt.Sprintf("pod%d", number), strconv.Itoa(s.PID)
	inside := []string{"nsenter", "--target", pid, "--net", "ip"}
	for _, words := range [][]string{
		{"ip", "link", "add", device, "type", "veth", "peer", "name", "eth0", "netns", pid},
		{"ip", "link", "set", device, "up"},
		{"ip", "route", "replace", ip + "/32", "dev", device, "src", node},
		append(inside, "link", "set", "lo", "up"),
		append(inside, "address", "add", ip+"/32", "dev", "eth0"),
		append(inside, "link", "set", "eth0", "up"),
		append(inside, "route", "add", node, "dev", "eth0"),
		append(inside, "route", "add", "default", "via", node),
	} {
		if err := Run(words...); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Close ends the sandbox, which the containers in it must have left. Its address can be used again.
func (s *Sandbox) Close() {
	s.command.Process.Kill()
	s.command.Wait()
	// With the namespace its end of the cable goes, a little later, and with that the other one.
	Run("ip", "link", "delete", fmt.Sprintf("pod%d", s.number))
}

// Run runs a command of this machine.
func Run(words ...string) error {
	output, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}
