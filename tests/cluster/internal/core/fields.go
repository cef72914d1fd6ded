package core

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Address is where the agent runs a pod.
type Address struct{ PodIP, HostIP string }

// Field returns the value of a field of the pod as the downward API does.
func (p Pod) Field(path string, at Address) (string, error) {
	switch path {
	case "metadata.name":
		return p.Metadata.Name, nil
	case "metadata.namespace":
		return p.Metadata.Namespace, nil
	case "metadata.uid":
		return p.Metadata.UID, nil
	case "metadata.labels":
		return lines(p.Metadata.Labels), nil
	case "metadata.annotations":
		return lines(p.Metadata.Annotations), nil
	case "spec.nodeName":
		return p.Spec.NodeName, nil
	case "spec.serviceAccountName":
		return p.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return at.PodIP, nil
	case "status.hostIP", "status.hostIPs":
		return at.HostIP, nil
	}
	of, key, found := strings.Cut(strings.TrimSuffix(path, "']"), "['")
	switch {
	case found && of == "metadata.labels":
		return p.Metadata.Labels[key], nil
	case found && of == "metadata.annotations":
		return p.Metadata.Annotations[key], nil
	}
	return "", fmt.Errorf("the downward API has no field %s", path)
}

func lines(values map[string]string) string {
	all := make([]string, 0, len(values))
	for key, value := range values {
		all = append(all, key+"="+strconv.Quote(value))
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}
