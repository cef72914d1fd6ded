// Package container runs a pod's containers as processes in namespaces of their own.
//
// A Sandbox has what a pod's containers share: network, host name, IPC. Each container then has its own
// mounts and processes. Both are started as this program itself, which Inside turns into what is wanted;
// so the command's main function must call it first. They end with the process that started them.
package container

// Spec is what the first process in a container needs to become the container's program.
type Spec struct {
	Sandbox int    // the pid of the pod's sandbox
	Folder  string // for the container's own changes of the image
	Image   string // the image's root file system
	// The container may not write to its root file system.
	ReadOnlyRoot bool
	Mounts       []Mount
	Args, Env    []string
	Directory    string
	User, Group  int
	Groups       []int
	// What the program, and whatever it starts, may have at most, and has if the user is root.
	Capabilities []int
	// No program that it starts gets more rights than it has.
	NoNewPrivileges bool
}

// Mount lets a container see a file or a folder.
type Mount struct {
	Source, Target string
	ReadOnly       bool
}
