// Package core has the fields of Kubernetes' core objects that the two kubelets read. The names are
// theirs, which encoding/json finds whatever their case.
package core

import (
	"encoding/json"
	"fmt"
	"time"
)

// Meta is an object's metadata.
type Meta struct {
	Name, Namespace, UID       string
	Labels, Annotations        map[string]string
	DeletionTimestamp          *time.Time
	DeletionGracePeriodSeconds *int64
	OwnerReferences            []struct{ Kind string }
}

// Pod is a v1 Pod.
type Pod struct {
	Metadata Meta
	Spec     PodSpec
	Status   PodStatus
}

// Path is the pod's path in the API.
func (p Pod) Path() string {
	return fmt.Sprintf("/api/v1/namespaces/%s/pods/%s", p.Metadata.Namespace, p.Metadata.Name)
}

func (p Pod) String() string { return p.Metadata.Namespace + "/" + p.Metadata.Name }

// PodSpec is what a pod asks for.
type PodSpec struct {
	NodeName, RestartPolicy       string
	ServiceAccountName            string
	NodeSelector                  map[string]string
	TerminationGracePeriodSeconds *int64
	HostNetwork                   bool
	InitContainers, Containers    []Container
	ReadinessGates                []struct{ ConditionType string }
	Volumes                       []Volume
	SecurityContext               SecurityContext
	Affinity                      struct {
		NodeAffinity struct {
			RequiredDuringSchedulingIgnoredDuringExecution struct{ NodeSelectorTerms []NodeSelectorTerm }
		}
		PodAntiAffinity struct {
			RequiredDuringSchedulingIgnoredDuringExecution []struct {
				TopologyKey   string
				LabelSelector struct{ MatchLabels map[string]string }
			}
		}
	}
}

// NodeSelectorTerm is conditions that a node must meet all of.
type NodeSelectorTerm struct {
	MatchExpressions []struct {
		Key, Operator string
		Values        []string
	}
}

// Container is one program of a pod.
type Container struct {
	Name, Image, WorkingDir, RestartPolicy      string
	Command, Args                               []string
	Env                                         []Variable
	EnvFrom                                     []json.RawMessage
	Ports                                       []Port
	VolumeMounts                                []Mount
	SecurityContext                             SecurityContext
	StartupProbe, LivenessProbe, ReadinessProbe *Probe
	Lifecycle                                   struct{ PreStop *Handler }
}

// Variable is an environment variable, from a text or from elsewhere.
type Variable struct {
	Name, Value string
	ValueFrom   *struct {
		FieldRef        *FieldRef
		SecretKeyRef    *KeyRef
		ConfigMapKeyRef *KeyRef
	}
}

// FieldRef names a field of the pod.
type FieldRef struct{ FieldPath string }

// KeyRef names a value of a Secret or a ConfigMap.
type KeyRef struct {
	Name, Key string
	Optional  bool
}

// Port is a port that has a name.
type Port struct {
	Name          string
	ContainerPort int
}

// Mount says where a container has a volume.
type Mount struct {
	Name, MountPath, SubPath string
	ReadOnly                 bool
}

// SecurityContext is a pod's or a container's; a container's fields count first.
type SecurityContext struct {
	RunAsUser, RunAsGroup, FSGroup                   *int
	RunAsNonRoot                                     *bool
	SupplementalGroups                               []int
	AllowPrivilegeEscalation, ReadOnlyRootFilesystem *bool
	Privileged                                       *bool
	Capabilities                                     struct{ Add, Drop []string }
}

// Handler is what a probe or a hook does.
type Handler struct {
	HTTPGet *struct {
		Path, Scheme, Host string
		Port               IntOrString
		HTTPHeaders        []struct{ Name, Value string }
	}
	TCPSocket *struct {
		Host string
		Port IntOrString
	}
	Exec  *struct{ Command []string }
	Sleep *struct{ Seconds int }
}

// Probe is one of a container's probes.
type Probe struct {
	Handler
	InitialDelaySeconds, TimeoutSeconds, PeriodSeconds int
	SuccessThreshold, FailureThreshold                 int
	TerminationGracePeriodSeconds                      *int64
}

// Volume is a source of files.
type Volume struct {
	Name      string
	EmptyDir  *struct{}
	Secret    *Source
	ConfigMap *Source
	Projected *struct {
		Sources []struct {
			Secret, ConfigMap   *Source
			DownwardAPI         *Downward
			ServiceAccountToken *struct {
				Audience, Path    string
				ExpirationSeconds int
			}
		}
		DefaultMode *int
	}
	DownwardAPI           *Downward
	PersistentVolumeClaim *struct {
		ClaimName string
		ReadOnly  bool
	}
}

// Source is a Secret or a ConfigMap whose values become files. A Secret's volume calls its name
// secretName, everything else calls it name.
type Source struct {
	Name, SecretName string
	Items            []struct {
		Key, Path string
		Mode      *int
	}
	DefaultMode *int
	Optional    bool
}

// Downward has fields of the pod as files.
type Downward struct {
	Items []struct {
		Path     string
		FieldRef *FieldRef
		Mode     *int
	}
	DefaultMode *int
}

// PodStatus is what the API has about a pod; the agent writes its own.
type PodStatus struct {
	Phase      string
	Conditions []Condition
	PodIP      string
}

// Condition is a pod's condition as the API has it.
type Condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason,omitempty"`
	Message            string    `json:"message,omitempty"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// IntOrString is a port's number or its name.
type IntOrString struct {
	Number int
	Name   string
}

// UnmarshalJSON reads both forms.
func (p *IntOrString) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &p.Number) == nil {
		return nil
	}
	return json.Unmarshal(text, &p.Name)
}

// In returns the port's number among the container's ports.
func (p IntOrString) In(ports []Port) (int, error) {
	if p.Name == "" {
		return p.Number, nil
	}
	for _, port := range ports {
		if port.Name == p.Name {
			return port.ContainerPort, nil
		}
	}
	return 0, fmt.Errorf("the container has no port %q", p.Name)
}

// Or returns the value, or otherwise if there is none.
func Or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
