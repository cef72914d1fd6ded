package probe

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"ballast.dev/tests/cluster/internal/core"
)

func TestAsk(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		if r.URL.Path != "/livez" {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	host, text, _ := net.SplitHostPort(server.Listener.Addr().String())
	port, _ := strconv.Atoi(text)
	target := Target{IP: host, Ports: []core.Port{{Name: "metrics", ContainerPort: port}}}

	for probe, wanted := range map[string]bool{
		`{"httpGet": {"path": "/livez?status=200", "port": "metrics"}}`:         true,
		`{"httpGet": {"path": "/livez?status=399", "port": ` + text + `}}`:      true,
		`{"httpGet": {"path": "/livez?status=400", "port": "metrics"}}`:         false,
		`{"httpGet": {"path": "/readyz?status=200", "port": "metrics"}}`:        false,
		`{"httpGet": {"path": "/livez?status=200", "port": "unknown"}}`:         false,
		`{"httpGet": {"path": "/livez", "port": "metrics", "scheme": "HTTPS"}}`: false,
		`{"tcpSocket": {"port": "metrics"}}`:                                    true,
		`{"tcpSocket": {"port": 1}}`:                                            false,
		`{"grpc": {"port": 1}}`:                                                 false,
	} {
		var handler core.Handler
		if err := json.Unmarshal([]byte(probe), &handler); err != nil {
			t.Fatal(err)
		}
		if err := Ask(context.Background(), handler, target); (err == nil) != wanted {
			t.Errorf("%s: %v", probe, err)
		}
	}
}
