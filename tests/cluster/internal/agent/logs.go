package agent

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sort"
	"strings"

	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/pki"
)

// logFile is where a container's output goes; each start has its own.
func (a *agent) logFile(pod core.Pod, container string, start int) string {
	return filepath.Join(a.Folder, "logs", fmt.Sprintf("%s_%s_%s_%s_%04d.log", pod.Metadata.Namespace,
		pod.Metadata.Name, container, pod.Metadata.UID, start))
}

// serveLogs serves, until ctx is cancelled, what the API server asks for `kubectl logs`, all of it and
// without following it. It returns the port.
func (a *agent) serveLogs(ctx context.Context) (int, error) {
	authority, err := pki.NewAuthority("ballast-test-agent")
	if err != nil {
		return 0, err
	}
	pair, err := authority.Serving(hostIP)
	if err != nil {
		return 0, err
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return 0, err
	}
	socket, err := tls.Listen("tcp", hostIP+":0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return 0, err
	}
	server := http.Server{Handler: http.HandlerFunc(a.answerLog)}
	go server.Serve(socket)
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	return socket.Addr().(*net.TCPAddr).Port, nil
}

// answerLog answers /containerLogs/NAMESPACE/POD/CONTAINER.
func (a *agent) answerLog(w http.ResponseWriter, r *http.Request) {
	words := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if len(words) != 4 || words[0] != "containerLogs" {
		http.Error(w, "the agent serves logs alone", http.StatusNotFound)
		return
	}
	uid := a.uidOf(words[1], words[2])
	files, err := filepath.Glob(filepath.Join(a.Folder, "logs", strings.Join(append(words[1:], uid), "_")+"_*.log"))
	back := 1
	if r.URL.Query().Get("previous") == "true" {
		back = 2
	}
	if err != nil || uid == "" || len(files) < back {
		http.Error(w, "there is no such log", http.StatusNotFound)
		return
	}
	sort.Strings(files)
	http.ServeFile(w, r, files[len(files)-back])
}

func (a *agent) uidOf(namespace, name string) string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for uid, worker := range a.workers {
		if worker.name == namespace+"/"+name {
			return uid
		}
	}
	return ""
}
