// Package podautoscaler is Kubernetes' own, compiled here with a stopped clock.
//
// These files give access to what the package does not export. The rest is not in this repository:
// ../peer adds the files of k8s.io/kubernetes/pkg/controller/podautoscaler during the build
// (go build -overlay), with every time.Now() and metav1.Now() in them replaced by clock(). Nothing
// else is changed.
package podautoscaler

import (
	"context"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/client-go/tools/record"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

// Now is the present time for everything in this package.
var Now time.Time

func clock() time.Time { return Now }

// World is what the controller reads and writes.
type World struct {
	Scales      scaleclient.ScalesGetter
	Autoscalers autoscalingclient.HorizontalPodAutoscalersGetter
	Mapper      apimeta.RESTMapper
	Pods        corelisters.PodLister
	Metrics     metricsclient.MetricsClient
	Events      record.EventRecorder
	Monitor     monitor.Monitor
}

// Flags are the controller's command-line flags.
type Flags struct {
	Tolerance                                              float64
	DownscaleStabilization                                 time.Duration
	CPUInitializationPeriod, DelayOfInitialReadinessStatus time.Duration
}

// Recommendation and ScaleEvent are what the controller remembers.
type Recommendation struct {
	Replicas int32
	Time     time.Time
}

type ScaleEvent struct {
	Change int32
	Time   time.Time
}

type Memory struct {
	Recommendations      []Recommendation
	ScaleUps, ScaleDowns []ScaleEvent
}

// NewController returns a controller without queue and informers; the caller calls Reconcile.
func NewController(world World, flags Flags) *HorizontalController {
	controller := &HorizontalController{
		scaleNamespacer:              world.Scales,
		hpaNamespacer:                world.Autoscalers,
		mapper:                       world.Mapper,
		tolerance:                    flags.Tolerance,
		eventRecorder:                world.Events,
		downscaleStabilisationWindow: flags.DownscaleStabilization,
		monitor:                      world.Monitor,
		podLister:                    world.Pods,
		replicaCalc: NewReplicaCalculator(world.Metrics, world.Pods, flags.CPUInitializationPeriod,
			flags.DelayOfInitialReadinessStatus),
		recommendations: map[string][]timestampedRecommendation{},
		scaleUpEvents:   map[string][]timestampedScaleEvent{},
		scaleDownEvents: map[string][]timestampedScaleEvent{},
	}
	controller.initSelectors()
	return controller
}

// Register adds an autoscaler with the selector of its target, which selects nothing if it has not
// been computed yet.
func (a *HorizontalController) Register(namespace, name string, selector labels.Selector) {
	a.putSelector(selectors.Key{Namespace: namespace, Name: name}, selector)
}

// Reconcile evaluates one autoscaler once.
func (a *HorizontalController) Reconcile(ctx context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	return a.reconcileAutoscaler(ctx, hpa, hpa.Namespace+"/"+hpa.Name)
}

// Remember replaces what the controller remembers about key.
func (a *HorizontalController) Remember(key string, memory Memory) {
	var recommendations []timestampedRecommendation // nil: never reconciled
	for _, r := range memory.Recommendations {
		recommendations = append(recommendations, timestampedRecommendation{r.Replicas, r.Time})
	}
	a.recommendations[key] = recommendations
	a.scaleUpEvents[key] = toUpstream(memory.ScaleUps)
	a.scaleDownEvents[key] = toUpstream(memory.ScaleDowns)
}

// Memory returns what the controller remembers about key.
func (a *HorizontalController) Memory(key string) Memory {
	var memory Memory
	for _, r := range a.recommendations[key] {
		memory.Recommendations = append(memory.Recommendations, Recommendation{r.recommendation, r.timestamp})
	}
	memory.ScaleUps = fromUpstream(a.scaleUpEvents[key])
	memory.ScaleDowns = fromUpstream(a.scaleDownEvents[key])
	return memory
}

func toUpstream(events []ScaleEvent) []timestampedScaleEvent {
	var list []timestampedScaleEvent
	for _, e := range events {
		list = append(list, timestampedScaleEvent{replicaChange: e.Change, timestamp: e.Time})
	}
	return list
}

func fromUpstream(events []timestampedScaleEvent) []ScaleEvent {
	var list []ScaleEvent
	for _, e := range events {
		list = append(list, ScaleEvent{e.replicaChange, e.timestamp})
	}
	return list
}
