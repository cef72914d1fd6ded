// Package peer runs Kubernetes' own HorizontalPodAutoscaler controller on snapshots, one reconcile
// each, with the clock stopped at the snapshot's time.
//
// Not safe for concurrent use: the controller's clock and its feature gates are global.
package peer

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/go-logr/logr"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/labels"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/monitor"
	"k8s.io/kubernetes/pkg/features"

	"ballast.dev/tests/peer/internal/snapshot"
	podautoscaler "ballast.dev/tests/peer/upstream"
)

// Peer keeps the memory of each series from one snapshot to the next.
type Peer struct {
	quiet  context.Context // with a logger that prints nothing
	series map[string]snapshot.Memory
}

func New() *Peer {
	utilruntime.ErrorHandlers = nil
	quiet := klog.NewContext(context.Background(), logr.Discard())
	return &Peer{quiet: quiet, series: map[string]snapshot.Memory{}}
}

// Decide runs one reconcile.
func (p *Peer) Decide(s *snapshot.Snapshot) (decision *snapshot.Decision, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("upstream panics: %v", problem)
		}
	}()
	if s.Autoscaler.Kind != "HorizontalPodAutoscaler" {
		return nil, fmt.Errorf("autoscaler.kind: upstream knows no %q", s.Autoscaler.Kind)
	}
	if err := setGates(s.Settings.FeatureGates); err != nil {
		return nil, err
	}
	podautoscaler.Now = s.Now
	world := &world{snapshot: s, Monitor: monitor.New(), events: []snapshot.Event{}}
	controller := podautoscaler.NewController(podautoscaler.World{
		Scales:      world,
		Autoscalers: autoscalers{world: world},
		Mapper:      mapper{},
		Pods:        pods{world: world},
		Metrics:     metricsclient.NewRESTMetricsClient(podMetrics{world: world}, customMetrics{world}, externalMetrics{world}),
		Events:      world,
		Monitor:     world,
	}, flags(s.Settings))
	key := s.Autoscaler.Namespace + "/" + s.Autoscaler.Name
	controller.Remember(key, p.recall(s))
	controller.Register(s.Autoscaler.Namespace, s.Autoscaler.Name, labels.Nothing())
	for _, rival := range s.Rivals {
		controller.Register(s.Autoscaler.Namespace, rival.Name, parse(rival.Selector))
	}
	// The error is already in the events and conditions.
	_ = controller.Reconcile(p.quiet, &s.Autoscaler)

	decision = world.conclude(remembered(controller.Memory(key)))
	if s.Series != nil {
		p.series[*s.Series] = decision.Memory
	}
	return decision, nil
}

// setGates sets both feature gates; they are on unless the snapshot says otherwise. Since 1.37 the second
// cannot be off.
func setGates(gates map[string]*bool) error {
	for _, name := range []featuregate.Feature{features.HPAScaleToZero, features.HPAConfigurableTolerance} {
		on := gates[string(name)] == nil || *gates[string(name)]
		if utilfeature.DefaultFeatureGate.Enabled(name) == on {
			continue
		}
		if utilfeature.DefaultMutableFeatureGate.GetAll()[name].LockToDefault {
			return fmt.Errorf("%s is locked", name) // setting it would fail, now and for ever
		}
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(name): on}); err != nil {
			return err
		}
	}
	return nil
}

func flags(settings snapshot.Settings) podautoscaler.Flags {
	seconds := func(value *int64, otherwise int64) time.Duration {
		if value != nil {
			otherwise = *value
		}
		return time.Duration(otherwise) * time.Second
	}
	flags := podautoscaler.Flags{
		Tolerance:                     0.1,
		DownscaleStabilization:        seconds(settings.DownscaleStabilizationSeconds, 300),
		CPUInitializationPeriod:       seconds(settings.CPUInitializationPeriod, 300),
		DelayOfInitialReadinessStatus: seconds(settings.InitialReadinessDelay, 30),
	}
	if settings.Tolerance != nil {
		flags.Tolerance = *settings.Tolerance
	}
	return flags
}

// parse returns the selector that upstream knows for an autoscaler. It selects nothing as long as
// the scale's selector is missing or invalid.
func parse(selector string) labels.Selector {
	parsed, err := labels.Parse(selector)
	if selector == "" || err != nil {
		return labels.Nothing()
	}
	return parsed
}

func (p *Peer) recall(s *snapshot.Snapshot) podautoscaler.Memory {
	memory := snapshot.Memory{}
	if s.Memory != nil {
		memory = *s.Memory
	} else if s.Series != nil {
		memory = p.series[*s.Series]
	}
	var upstream podautoscaler.Memory
	for _, r := range memory.Recommendations {
		upstream.Recommendations = append(upstream.Recommendations, podautoscaler.Recommendation{Replicas: r.Replicas, Time: r.Time})
	}
	upstream.ScaleUps = toUpstream(memory.ScaleUps)
	upstream.ScaleDowns = toUpstream(memory.ScaleDowns)
	return upstream
}

func toUpstream(events []snapshot.ScaleEvent) (list []podautoscaler.ScaleEvent) {
	for _, e := range events {
		list = append(list, podautoscaler.ScaleEvent{Change: e.Change, Time: e.Time})
	}
	return list
}

func remembered(memory podautoscaler.Memory) snapshot.Memory {
	out := snapshot.Memory{
		Recommendations: make([]snapshot.Recommendation, 0, len(memory.Recommendations)),
		ScaleUps:        fromUpstream(memory.ScaleUps),
		ScaleDowns:      fromUpstream(memory.ScaleDowns),
	}
	for _, r := range memory.Recommendations {
		out.Recommendations = append(out.Recommendations, snapshot.Recommendation{Time: r.Time, Replicas: r.Replicas})
	}
	return out
}

func fromUpstream(events []podautoscaler.ScaleEvent) []snapshot.ScaleEvent {
	list := make([]snapshot.ScaleEvent, 0, len(events))
	for _, e := range events {
		list = append(list, snapshot.ScaleEvent{Time: e.Time, Change: e.Change})
	}
	return list
}

func (w *world) conclude(memory snapshot.Memory) *snapshot.Decision {
	status := w.snapshot.Autoscaler.Status
	if w.status != nil {
		status = *w.status
	}
	return &snapshot.Decision{
		ID:              w.snapshot.ID,
		DesiredReplicas: status.DesiredReplicas,
		Rescale:         w.rescale,
		Conditions:      conditions(status.Conditions),
		CurrentMetrics:  status.CurrentMetrics,
		Events:          w.events,
		Memory:          memory,
	}
}

func conditions(from []autoscalingv2.HorizontalPodAutoscalerCondition) []snapshot.Condition {
	list := make([]snapshot.Condition, 0, len(from))
	for _, c := range from {
		list = append(list, snapshot.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason,
			Message: sortNames(c.Message)})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Type < list[j].Type })
	return list
}

// ambiguity matches the message about an ambiguous selector: up to 1.36, or with "(e.g. ...)", of which
// two autoscalers are named.
var ambiguity = regexp.MustCompile(
	`^(pods by selector .* are controlled by (?:multiple HPAs: |more than one HPA (\(e\.g\. )))\[(.*)\](\)?)$`)

// sortNames sorts the autoscalers in that message, as the format requires: upstream prints them in the
// random order of a map, and chooses the two by it.
func sortNames(message string) string {
	parts := ambiguity.FindStringSubmatch(message)
	if parts == nil {
		return message
	}
	list := strings.Fields(parts[3])
	sort.Strings(list)
	if parts[2] != "" {
		list = list[:2]
	}
	return parts[1] + "[" + strings.Join(list, " ") + "]" + parts[4]
}
