// Package snapshot has the engine's format (docs/engine.md): snapshots and decisions, one JSON line
// each. Objects have Kubernetes' own types.
package snapshot

import (
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	custom "k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	external "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metrics "k8s.io/metrics/pkg/apis/metrics/v1beta1"
)

// Snapshot is everything that one reconcile knows.
type Snapshot struct {
	ID               string                                `json:"id"`
	Now              time.Time                             `json:"now"`
	Settings         Settings                              `json:"settings"`
	Autoscaler       autoscalingv2.HorizontalPodAutoscaler `json:"autoscaler"`
	Scale            Scale                                 `json:"scale"`
	Pods             []*v1.Pod                             `json:"pods"`
	PodsError        *string                               `json:"podsError"`
	Rivals           []Rival                               `json:"rivals"`
	Metrics          []Answer                              `json:"metrics"`
	ScaleUpdateError *string                               `json:"scaleUpdateError"`
	Series           *string                               `json:"series"`
	Memory           *Memory                               `json:"memory"`
}

// Settings are the controller's flags; absent ones have their defaults.
type Settings struct {
	Tolerance                     *float64         `json:"tolerance"`
	CPUInitializationPeriod       *int64           `json:"cpuInitializationPeriodSeconds"`
	InitialReadinessDelay         *int64           `json:"initialReadinessDelaySeconds"`
	DownscaleStabilizationSeconds *int64           `json:"downscaleStabilizationSeconds"`
	FeatureGates                  map[string]*bool `json:"featureGates"`
}

// Scale is the target's scale, or the error of reading it.
type Scale struct {
	Object *autoscalingv1.Scale `json:"object"`
	Error  *string              `json:"error"`
}

// Rival is another autoscaler of the namespace, with the selector of its target.
type Rival struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
}

// Answer is what the metrics API answered for one metric of the spec.
type Answer struct {
	PodMetrics *metrics.PodMetricsList `json:"podMetrics"`
	Values     *Values                 `json:"values"`
	Error      *string                 `json:"error"`
}

// Values is the answer of the custom or the external metrics API, depending on the metric's type.
type Values struct {
	Custom   custom.MetricValueList
	External external.ExternalMetricValueList
}

// Memory is what the controller remembers of earlier reconciles.
type Memory struct {
	Recommendations []Recommendation `json:"recommendations"`
	ScaleUps        []ScaleEvent     `json:"scaleUps"`
	ScaleDowns      []ScaleEvent     `json:"scaleDowns"`
}

type Recommendation struct {
	Time     time.Time `json:"time"`
	Replicas int32     `json:"replicas"`
}

type ScaleEvent struct {
	Time   time.Time `json:"time"`
	Change int32     `json:"change"`
}

// Decision is the whole result of a reconcile.
type Decision struct {
	ID              string                       `json:"id,omitempty"`
	DesiredReplicas int32                        `json:"desiredReplicas"`
	Rescale         bool                         `json:"rescale"`
	Conditions      []Condition                  `json:"conditions"`
	CurrentMetrics  []autoscalingv2.MetricStatus `json:"currentMetrics"`
	Events          []Event                      `json:"events"`
	Memory          Memory                       `json:"memory"`
}

type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
