// Package kube is a small client of the API server: plain REST and JSON.
package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Client talks to one API server as one user; safe for concurrent use.
type Client struct {
	server string
	http   *http.Client
}

// StatusError is an answer whose status is not 2xx.
type StatusError struct {
	Code          int
	Request, Text string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: status %d: %s", e.Request, e.Code, e.Text)
}

// NewClient returns a client of the server at https://host:port. authority is the CA that signed
// the server's certificate; certificate and key are the client's. All are PEM.
func NewClient(server string, authority, certificate, key []byte) (*Client, error) {
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("no certificate of %s's authority", server)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
		ForceAttemptHTTP2: true,
	}
	return &Client{server: strings.TrimSuffix(server, "/"), http: &http.Client{Transport: transport}}, nil
}

// Server is the server's address, https://host:port.
func (c *Client) Server() string { return c.server }

// Get decodes the object at path into result, which may be nil.
func (c *Client) Get(ctx context.Context, path string, result any) error {
	return c.call(ctx, http.MethodGet, path, "", nil, result)
}

// Apply creates or changes the object at path by server-side apply; it overrides conflicts.
func (c *Client) Apply(ctx context.Context, path string, object any) error {
	return c.call(ctx, http.MethodPatch, path+"?fieldManager=ballast-tests&force=true",
		"application/apply-patch+yaml", object, nil)
}

// Merge patches the object at path (RFC 7396).
func (c *Client) Merge(ctx context.Context, path string, patch any) error {
	return c.call(ctx, http.MethodPatch, path, "application/merge-patch+json", patch, nil)
}

// Create posts the object to the collection or the subresource at path, and decodes the answer into
// result, which may be nil.
func (c *Client) Create(ctx context.Context, path string, object, result any) error {
	return c.call(ctx, http.MethodPost, path, "application/json", object, result)
}

// Delete removes the object at path.
func (c *Client) Delete(ctx context.Context, path string) error {
	return c.call(ctx, http.MethodDelete, path, "", nil, nil)
}

// DeleteNow removes the object at path, without any time for its end, unless it has another uid.
func (c *Client) DeleteNow(ctx context.Context, path, uid string) error {
	options := map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
		"preconditions": map[string]string{"uid": uid}}
	return c.call(ctx, http.MethodDelete, path, "application/json", options, nil)
}

// Stream returns the body of an answer that lasts until ctx is cancelled or the server closes it.
func (c *Client) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	return c.send(ctx, http.MethodGet, path, "", nil)
}

func (c *Client) call(ctx context.Context, method, path, kind string, object, result any) error {
	body, err := c.send(ctx, method, path, kind, object)
	if err != nil {
		return err
	}
	defer body.Close()
	if result == nil {
		_, err = io.Copy(io.Discard, body)
		return err
	}
	return json.NewDecoder(body).Decode(result)
}

func (c *Client) send(ctx context.Context, method, path, kind string, object any) (io.ReadCloser, error) {
	var body io.Reader
	if object != nil {
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, body)
	if err != nil {
		return nil, err
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		return nil, &StatusError{answer.StatusCode, method + " " + path, strings.TrimSpace(string(text))}
	}
	return answer.Body, nil
}

// NotFound reports whether the server answered that the object does not exist.
func NotFound(err error) bool { return answered(err, http.StatusNotFound) }

// Conflict reports whether the server answered that the object is another one by now.
func Conflict(err error) bool { return answered(err, http.StatusConflict) }

func answered(err error, code int) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == code
}
