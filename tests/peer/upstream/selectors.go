//go:build !kubernetes1.36

package podautoscaler

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/util/consistency"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

// The store that finds all autoscalers of a pod. That of the gate HPAOptimizedSelectorStore stops at the second
// one that it meets in the random order of a map.
func (a *HorizontalController) initSelectors() {
	a.selectorTracker = newBiMultimapSelectorTracker()
	a.consistencyStore = consistency.NewNoopConsistencyStore()
}

func (a *HorizontalController) putSelector(key selectors.Key, selector labels.Selector) {
	a.selectorTracker.PutIfAbsent(key.Namespace, key, selector)
}
