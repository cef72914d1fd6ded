// Package services lets the addresses of Services lead to their endpoints, on this machine, as kube-proxy
// does: each new connection goes to the next endpoint.
package services

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
)

// Service has the fields of a v1 Service that are used here.
type Service struct {
	Metadata core.Meta
	Spec     struct {
		ClusterIP string
		Ports     []struct {
			Name, Protocol string
			Port           int
		}
	}
}

// Slice is a discovery.k8s.io/v1 EndpointSlice.
type Slice struct {
	Metadata  core.Meta
	Endpoints []struct {
		Addresses  []string
		Conditions struct{ Ready, Serving, Terminating *bool }
	}
	Ports []struct {
		Name string
		Port int
	}
}

// Forwarder forwards connections; safe for concurrent use.
type Forwarder struct {
	server    string // where the API server listens
	mutex     sync.Mutex
	services  map[string]Service   // guarded by mutex; by uid
	slices    map[string]Slice     // guarded by mutex; by uid
	open      map[string]*listener // guarded by mutex; by address
	addresses map[string]bool      // guarded by mutex; those that this machine has got
}

// Follow forwards until ctx is cancelled. server is where the API server listens, to which the Service
// kubernetes leads; it has no endpoints, as they may not be loopback addresses. lost is as kube.Follow
// has it.
func Follow(ctx context.Context, client *kube.Client, server string) (lost []<-chan error, err error) {
	f := &Forwarder{server: server, services: map[string]Service{}, slices: map[string]Slice{},
		open: map[string]*listener{}, addresses: map[string]bool{}}
	services, err := kube.Follow(ctx, client, "/api/v1/services", followed(f, f.services,
		func(s Service) string { return s.Metadata.UID }))
	if err != nil {
		return nil, err
	}
	slices, err := kube.Follow(ctx, client, "/apis/discovery.k8s.io/v1/endpointslices", followed(f, f.slices,
		func(s Slice) string { return s.Metadata.UID }))
	return []<-chan error{services, slices}, err
}

// followed keeps the objects by their uids, and forwards anew after each change.
func followed[T any](f *Forwarder, kept map[string]T, uid func(T) string) kube.Followed[T] {
	change := func(how func()) {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		how()
		f.forward()
	}
	return kube.Followed[T]{
		All: func(all []T) {
			change(func() {
				for old := range kept {
					delete(kept, old)
				}
				for _, each := range all {
					kept[uid(each)] = each
				}
			})
		},
		Changed: func(changed T) { change(func() { kept[uid(changed)] = changed }) },
		Gone:    func(gone T) { change(func() { delete(kept, uid(gone)) }) },
	}
}

// forward listens at the addresses that lead somewhere, and at no others: who connects to a Service
// without endpoints is refused. The caller must have the mutex.
func (f *Forwarder) forward() {
	wanted := map[string][]string{}
	for _, service := range f.services {
		if net.ParseIP(service.Spec.ClusterIP) == nil {
			continue
		}
		for _, port := range service.Spec.Ports {
			if to := f.endpoints(service, port.Name); len(to) > 0 && port.Protocol == "TCP" {
				wanted[net.JoinHostPort(service.Spec.ClusterIP, strconv.Itoa(port.Port))] = to
			}
		}
	}
	for address, listener := range f.open {
		if wanted[address] == nil {
			listener.close()
			delete(f.open, address)
		}
	}
	for address, to := range wanted {
		if f.open[address] == nil {
			listener, err := f.listen(address)
			if err != nil {
				fmt.Fprintf(os.Stderr, "the address %s of a Service: %v\n", address, err)
				continue
			}
			f.open[address] = listener
		}
		f.open[address].lead(to)
	}
}

func (f *Forwarder) endpoints(service Service, port string) []string {
	if service.Metadata.Namespace == "default" && service.Metadata.Name == "kubernetes" {
		return []string{f.server}
	}
	var slices []Slice
	for _, slice := range f.slices {
		if slice.Metadata.Namespace == service.Metadata.Namespace &&
			slice.Metadata.Labels["kubernetes.io/service-name"] == service.Metadata.Name {
			slices = append(slices, slice)
		}
	}
	return Endpoints(slices, port)
}

// listen listens at an address, which this machine gets first.
func (f *Forwarder) listen(address string) (*listener, error) {
	ip, _, _ := net.SplitHostPort(address)
	if !f.addresses[ip] {
		if err := container.Run("ip", "address", "replace", ip+"/32", "dev", "lo"); err != nil {
			return nil, err
		}
		f.addresses[ip] = true
	}
	return listen(address)
}
