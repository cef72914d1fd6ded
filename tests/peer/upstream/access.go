// Package podautoscaler is Kubernetes' own, compiled here with a stopped clock and a door.
//
// This file is the door. The rest is not in this repository: ../peer lays the files of
// k8s.io/kubernetes/pkg/controller/podautoscaler beside it while it builds (go build -overlay),
// with every time.Now() in them replaced by clock(). Nothing else is changed.
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

// Now is the time, for everything in this package.
var Now time.Time

func clock() time.Time { return Now }

// World is what the controller sees and touches.
type World struct {
	Scales      scaleclient.ScalesGetter
	Autoscalers autoscalingclient.HorizontalPodAutoscalersGetter
	Mapper      apimeta.RESTMapper
	Pods        corelisters.PodLister
	Metrics     metricsclient.MetricsClient
	Events      record.EventRecorder
	Monitor     monitor.Monitor
}

// Flags are the controller's.
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

// NewController makes a controller without queue and informers: Reconcile is called by hand.
func NewController(world World, flags Flags) *HorizontalController {
	return &HorizontalController{
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
		hpaSelectors:    selectors.NewBiMultimap(),
	}
}

// Register makes an autoscaler known, and the selector of its target if it has been computed.
func (a *HorizontalController) Register(namespace, name string, selector labels.Selector) {
	a.hpaSelectors.PutSelector(selectors.Key{Namespace: namespace, Name: name}, selector)
}

// Reconcile is one evaluation of one autoscaler.
func (a *HorizontalController) Reconcile(ctx context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler) error {
	return a.reconcileAutoscaler(ctx, hpa, hpa.Namespace+"/"+hpa.Name)
}

// Remember puts memory into the place of what is remembered about key.
func (a *HorizontalController) Remember(key string, memory Memory) {
	var recommendations []timestampedRecommendation // nil: never reconciled
	for _, r := range memory.Recommendations {
		recommendations = append(recommendations, timestampedRecommendation{r.Replicas, r.Time})
	}
	a.recommendations[key] = recommendations
	a.scaleUpEvents[key] = toUpstream(memory.ScaleUps)
	a.scaleDownEvents[key] = toUpstream(memory.ScaleDowns)
}

// Memory is what is remembered about key.
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
