package services

import (
	"net"
	"sort"
	"strconv"

	"ballast.dev/tests/cluster/internal/core"
)

// Endpoints returns where connections to a Service's port go: to the endpoints that are ready, and if
// there is none, to those that still serve while they terminate.
func Endpoints(slices []Slice, port string) []string {
	var ready, terminating []string
	for _, slice := range slices {
		for _, of := range slice.Ports {
			if of.Name != port {
				continue
			}
			for _, endpoint := range slice.Endpoints {
				address := net.JoinHostPort(endpoint.Addresses[0], strconv.Itoa(of.Port))
				conditions := endpoint.Conditions
				switch {
				case core.Or(conditions.Ready, true):
					ready = append(ready, address)
				case core.Or(conditions.Serving, false) && core.Or(conditions.Terminating, false):
					terminating = append(terminating, address)
				}
			}
		}
	}
	if len(ready) == 0 {
		ready = terminating
	}
	sort.Strings(ready)
	return ready
}
