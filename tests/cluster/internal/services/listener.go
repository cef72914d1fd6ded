package services

import (
	"io"
	"net"
	"sync"
)

// listener passes the connections to an address on; safe for concurrent use.
type listener struct {
	socket net.Listener
	mutex  sync.Mutex
	to     []string // guarded by mutex
	turn   int      // guarded by mutex
}

func listen(address string) (*listener, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	l := &listener{socket: socket}
	go l.accept()
	return l, nil
}

// lead lets new connections go to these addresses in turn.
func (l *listener) lead(to []string) {
	l.mutex.Lock()
	l.to = to
	l.mutex.Unlock()
}

// close ends the listening; connections that there are go on.
func (l *listener) close() { l.socket.Close() }

func (l *listener) accept() {
	for {
		client, err := l.socket.Accept()
		if err != nil {
			return
		}
		go l.pass(client.(*net.TCPConn))
	}
}

func (l *listener) next() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.turn++
	return l.to[l.turn%len(l.to)]
}

func (l *listener) pass(client *net.TCPConn) {
	defer client.Close()
	connection, err := net.Dial("tcp", l.next())
	if err != nil {
		client.SetLinger(0) // who connected learns it by a reset, as if nothing were between
		return
	}
	server := connection.(*net.TCPConn)
	defer server.Close()
	back := make(chan struct{})
	go func() {
		copyAll(client, server)
		close(back)
	}()
	copyAll(server, client)
	<-back
}

func copyAll(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		// What one side has broken off, the other one learns at once.
		to.SetLinger(0)
		to.Close()
		return
	}
	to.CloseWrite()
}
