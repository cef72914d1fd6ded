package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Listens reports whether this process itself listens on a TCP port of 127.0.0.1. To connect to the
// port would prove nothing: another cluster may have got it first.
func (id ID) Listens(port int) bool {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil || !id.Alive() {
		return false
	}
	const address, state, inode, listening = 1, 3, 9, "0A"
	local := fmt.Sprintf("0100007F:%04X", port)
	for _, line := range strings.Split(string(table), "\n") {
		fields := strings.Fields(line)
		if len(fields) > inode && fields[address] == local && fields[state] == listening {
			return id.has("socket:[" + fields[inode] + "]")
		}
	}
	return false
}

func (id ID) has(file string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", id.PID))
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == file {
			return true
		}
	}
	return false
}
