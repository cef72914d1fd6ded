package container

import (
	"fmt"
	"sort"
	"strings"
)

// In the order of their numbers.
var capabilities = strings.Fields(`CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP
	LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO
	SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE
	AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON
	BPF CHECKPOINT_RESTORE`)

// What containers have by default, as containerd and Docker have it.
var granted = strings.Fields(`CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW
	SYS_CHROOT MKNOD AUDIT_WRITE SETFCAP`)

// Capabilities returns the numbers of the capabilities of a container: the default, without those that
// are dropped, with those that are added.
func Capabilities(add, drop []string) ([]int, error) {
	has := map[string]bool{}
	change := func(names []string, has map[string]bool, to bool) error {
		for _, name := range names {
			name = strings.TrimPrefix(strings.ToUpper(name), "CAP_")
			if name == "ALL" {
				for _, each := range capabilities {
					has[each] = to
				}
			} else if _, known := numbers[name]; known {
				has[name] = to
			} else {
				return fmt.Errorf("there is no capability %q", name)
			}
		}
		return nil
	}
	for _, step := range []struct {
		names []string
		to    bool
	}{{granted, true}, {drop, false}, {add, true}} {
		if err := change(step.names, has, step.to); err != nil {
			return nil, err
		}
	}
	all := []int{}
	for name, is := range has {
		if is {
			all = append(all, numbers[name])
		}
	}
	sort.Ints(all)
	return all, nil
}

var numbers = func() map[string]int {
	all := map[string]int{}
	for number, name := range capabilities {
		all[name] = number
	}
	return all
}()
