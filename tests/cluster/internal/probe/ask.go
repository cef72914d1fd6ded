package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

// Target is the container that is asked.
type Target struct {
	IP    string
	Ports []core.Port
	// Runs a command in the container.
	Exec func(ctx context.Context, command []string) error
}

// Ask does what the handler says; an error is a failure.
func Ask(ctx context.Context, handler core.Handler, target Target) error {
	switch {
	case handler.HTTPGet != nil:
		return get(ctx, handler, target)
	case handler.TCPSocket != nil:
		address, err := target.address(handler.TCPSocket.Host, handler.TCPSocket.Port)
		if err != nil {
			return err
		}
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	case handler.Exec != nil:
		return target.Exec(ctx, handler.Exec.Command)
	case handler.Sleep != nil:
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(handler.Sleep.Seconds) * time.Second):
		}
		return nil
	}
	return fmt.Errorf("the agent knows httpGet, tcpSocket, exec and sleep, and this is none of them")
}

func (t Target) address(host string, port core.IntOrString) (string, error) {
	number, err := port.In(t.Ports)
	if host == "" {
		host = t.IP
	}
	return net.JoinHostPort(host, strconv.Itoa(number)), err
}

func get(ctx context.Context, handler core.Handler, target Target) error {
	how := handler.HTTPGet
	address, err := target.address(how.Host, how.Port)
	if err != nil {
		return err
	}
	where := url.URL{Scheme: strings.ToLower(how.Scheme), Host: address}
	if where.Scheme == "" {
		where.Scheme = "http"
	}
	path, err := url.Parse(how.Path)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, where.ResolveReference(path).String(), nil)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "kube-probe/1")
	for _, header := range how.HTTPHeaders {
		if request.Header.Set(header.Name, header.Value); http.CanonicalHeaderKey(header.Name) == "Host" {
			request.Host = header.Value
		}
	}
	// Each time a new connection, and no question whose certificate it is.
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode >= 400 {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", answer.StatusCode)
	}
	return nil
}
