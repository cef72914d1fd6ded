//go:build kubernetes1.36

package podautoscaler

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/controller/util/selectors"
)

func (a *HorizontalController) initSelectors() { a.hpaSelectors = selectors.NewBiMultimap() }

func (a *HorizontalController) putSelector(key selectors.Key, selector labels.Selector) {
	a.hpaSelectors.PutSelector(key, selector)
}
