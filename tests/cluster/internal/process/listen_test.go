package process

import (
	"net"
	"os"
	"testing"
)

func TestListens(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	me, _ := Of(os.Getpid())
	parent, _ := Of(os.Getppid())
	if !me.Listens(port) {
		t.Error("this process does not listen")
	}
	if parent.Listens(port) {
		t.Error("the parent listens on the child's port")
	}
	listener.Close()
	if me.Listens(port) {
		t.Error("this process still listens")
	}
}
