package load

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/pki"
)

const (
	serviceName    = "load-player"
	servicePath    = "/api/v1/namespaces/kube-system/services/" + serviceName
	apiServicePath = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1." + group
)

// Server serves the cluster's metrics.k8s.io until Close.
type Server struct {
	client *kube.Client
	http   http.Server
}

// Serve listens on loopback, registers the API and returns when the API server forwards to it.
func (p *Player) Serve(ctx context.Context, client *kube.Client) (*Server, error) {
	if err := refuseOther(ctx, client); err != nil {
		return nil, err
	}
	authority, err := pki.NewAuthority(serviceName)
	if err != nil {
		return nil, err
	}
	// The aggregator dials the external name, but expects the Service's name in the certificate.
	pair, err := authority.Serving(serviceName+".kube-system.svc", "localhost", "127.0.0.1")
	if err != nil {
		return nil, err
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{client: client, http: http.Server{
		Handler:   p.API(),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		ErrorLog:  log.New(io.Discard, "", 0),
	}}
	go s.http.ServeTLS(listener, "", "")
	if err := s.register(ctx, listener.Addr().(*net.TCPAddr).Port, authority.PEM); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes the API from the cluster and stops serving it.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return errors.Join(s.client.Delete(ctx, apiServicePath), s.client.Delete(ctx, servicePath), s.http.Close())
}

// refuseOther fails if another server, such as metrics-server, serves the API. The registration
// that a killed player left may be replaced.
func refuseOther(ctx context.Context, client *kube.Client) error {
	var present struct {
		Spec struct{ Service struct{ Name string } }
	}
	err := client.Get(ctx, apiServicePath, &present)
	if kube.NotFound(err) {
		return nil
	}
	if err == nil && present.Spec.Service.Name != serviceName {
		err = fmt.Errorf("%s is served by %s already; start the cluster with --metrics player, or play with --via kwok",
			group, present.Spec.Service.Name)
	}
	return err
}

func (s *Server) register(ctx context.Context, port int, authority []byte) error {
	err := s.client.Apply(ctx, servicePath, object{"apiVersion": "v1", "kind": "Service",
		"metadata": object{"name": serviceName, "namespace": "kube-system"},
		"spec": object{"type": "ExternalName", "externalName": "localhost",
			"ports": []any{object{"port": port}}}})
	if err != nil {
		return err
	}
	err = s.client.Apply(ctx, apiServicePath, object{"apiVersion": "apiregistration.k8s.io/v1",
		"kind": "APIService", "metadata": object{"name": "v1beta1." + group},
		"spec": object{"group": group, "version": "v1beta1", "groupPriorityMinimum": 100,
			"versionPriority": 100, "caBundle": authority,
			"service": object{"name": serviceName, "namespace": "kube-system", "port": port}}})
	if err != nil {
		return err
	}
	return s.waitAvailable(ctx)
}

func (s *Server) waitAvailable(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		// The APIService's condition may still be an earlier player's, so only an answer counts.
		err := s.client.Get(ctx, root+"/pods", nil)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not become available: %w", group, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
