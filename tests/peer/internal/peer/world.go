package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	autoscalingclient "k8s.io/client-go/kubernetes/typed/autoscaling/v2"
	corelisters "k8s.io/client-go/listers/core/v1"
	scaleclient "k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/metrics/pkg/apis/custom_metrics/v1beta2"
	external "k8s.io/metrics/pkg/apis/external_metrics/v1beta1"
	metricsapi "k8s.io/metrics/pkg/apis/metrics/v1beta1"
	resourceclient "k8s.io/metrics/pkg/client/clientset/versioned/typed/metrics/v1beta1"
	customclient "k8s.io/metrics/pkg/client/custom_metrics"
	externalclient "k8s.io/metrics/pkg/client/external_metrics"

	"ballast.dev/tests/peer/internal/snapshot"
)

// world answers the controller from one snapshot, and records what it does. It implements only the
// methods that the controller calls; any other one panics with a nil pointer.
type world struct {
	scaleclient.ScaleInterface
	monitor.Monitor
	snapshot *snapshot.Snapshot

	metric  int // index of the one that is being computed
	rescale bool
	status  *autoscalingv2.HorizontalPodAutoscalerStatus // nil: not written, so unchanged
	events  []snapshot.Event
}

// The target.

type mapper struct{ apimeta.RESTMapper }

func (mapper) RESTMappings(kind schema.GroupKind, _ ...string) ([]*apimeta.RESTMapping, error) {
	return []*apimeta.RESTMapping{{Resource: schema.GroupVersionResource{Group: kind.Group, Resource: kind.Kind}}}, nil
}

func (w *world) Scales(string) scaleclient.ScaleInterface { return w }

func (w *world) Get(context.Context, schema.GroupResource, string, metav1.GetOptions) (*autoscalingv1.Scale, error) {
	if w.snapshot.Scale.Error != nil {
		return nil, errors.New(*w.snapshot.Scale.Error)
	}
	return w.snapshot.Scale.Object.DeepCopy(), nil
}

func (w *world) Update(_ context.Context, _ schema.GroupResource, scale *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	w.rescale = true
	if w.snapshot.ScaleUpdateError != nil {
		return nil, errors.New(*w.snapshot.ScaleUpdateError)
	}
	return scale, nil
}

// The autoscaler.

type autoscalers struct {
	autoscalingclient.HorizontalPodAutoscalerInterface
	world *world
}

func (a autoscalers) HorizontalPodAutoscalers(string) autoscalingclient.HorizontalPodAutoscalerInterface {
	return a
}

func (a autoscalers) UpdateStatus(_ context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, _ metav1.UpdateOptions) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	a.world.status = &hpa.Status
	return hpa, nil
}

func (w *world) Event(_ runtime.Object, kind, reason, message string) {
	w.events = append(w.events, snapshot.Event{Type: kind, Reason: reason, Message: sortNames(message)})
}

func (w *world) Eventf(object runtime.Object, kind, reason, format string, arguments ...any) {
	w.Event(object, kind, reason, fmt.Sprintf(format, arguments...))
}

func (w *world) AnnotatedEventf(object runtime.Object, _ map[string]string, kind, reason, format string, arguments ...any) {
	w.Eventf(object, kind, reason, format, arguments...)
}

// The pods, in the order of the snapshot. They are those that the scale's selector matches.

type pods struct {
	corelisters.PodLister
	corelisters.PodNamespaceLister
	world *world
}

func (p pods) Pods(string) corelisters.PodNamespaceLister { return p }

func (p pods) List(labels.Selector) ([]*v1.Pod, error) {
	if p.world.snapshot.PodsError != nil {
		return nil, errors.New(*p.world.snapshot.PodsError)
	}
	return p.world.snapshot.Pods, nil
}

// The metrics. The controller computes them one after another and reports each to its monitor,
// which therefore knows for which one it asks.

func (w *world) ObserveMetricComputationResult(action monitor.ActionLabel, err monitor.ErrorLabel, duration time.Duration, kind autoscalingv2.MetricSourceType) {
	w.metric++
	w.Monitor.ObserveMetricComputationResult(action, err, duration, kind)
}

func (w *world) answer() (snapshot.Answer, error) {
	if w.metric >= len(w.snapshot.Metrics) {
		return snapshot.Answer{}, errors.New("there is no answer")
	}
	answer := w.snapshot.Metrics[w.metric]
	if answer.Error != nil {
		return answer, errors.New(*answer.Error)
	}
	return answer, nil
}

type podMetrics struct {
	resourceclient.PodMetricsInterface
	world *world
}

func (p podMetrics) PodMetricses(string) resourceclient.PodMetricsInterface { return p }

func (p podMetrics) List(context.Context, metav1.ListOptions) (*metricsapi.PodMetricsList, error) {
	answer, err := p.world.answer()
	if err != nil {
		return nil, err
	}
	return answer.PodMetrics, nil
}

type customMetrics struct{ world *world }

func (c customMetrics) RootScopedMetrics() customclient.MetricsInterface       { return c }
func (c customMetrics) NamespacedMetrics(string) customclient.MetricsInterface { return c }

func (c customMetrics) GetForObjects(schema.GroupKind, labels.Selector, string, labels.Selector) (*v1beta2.MetricValueList, error) {
	answer, err := c.world.answer()
	if err != nil {
		return nil, err
	}
	return &answer.Values.Custom, nil
}

func (c customMetrics) GetForObject(kind schema.GroupKind, _, metric string, selector labels.Selector) (*v1beta2.MetricValue, error) {
	list, err := c.GetForObjects(kind, nil, metric, selector)
	if err != nil {
		return nil, err
	}
	if len(list.Items) != 1 {
		return nil, fmt.Errorf("the custom metrics API server returned %v results when we asked for exactly one", len(list.Items))
	}
	return &list.Items[0], nil
}

type externalMetrics struct{ world *world }

func (e externalMetrics) NamespacedMetrics(string) externalclient.MetricsInterface { return e }

func (e externalMetrics) List(string, labels.Selector) (*external.ExternalMetricValueList, error) {
	answer, err := e.world.answer()
	if err != nil {
		return nil, err
	}
	return &answer.Values.External, nil
}
