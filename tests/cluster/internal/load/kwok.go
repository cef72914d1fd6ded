package load

import (
	"context"
	"fmt"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/kube"
)

// Annotator writes the pods' usage to annotations. kwok's simulated kubelet reads these, and
// metrics-server scrapes that kubelet.
type Annotator struct {
	Client *kube.Client
	told   map[string]curve.Load // by namespace/name
}

// Tell writes the usage that has changed since the last call.
func (a *Annotator) Tell(ctx context.Context, usages []Usage) error {
	told := map[string]curve.Load{}
	for _, usage := range usages {
		name := usage.Pod.Namespace + "/" + usage.Pod.Name
		told[name] = usage.Load
		if before, known := a.told[name]; known && before == usage.Load {
			continue
		}
		// kwok applies the value to each container; the value is in thousandths of a core.
		containers := int64(len(usage.Pod.Containers))
		annotations := object{"kwok.x-k8s.io/usage-cpu": fmt.Sprintf("%dm", usage.Load.CPU/containers/1e6)}
		// metrics-server ignores pods that use no memory; without this, kwok's default applies.
		if usage.Load.Memory > 0 {
			annotations["kwok.x-k8s.io/usage-memory"] = fmt.Sprint(usage.Load.Memory / containers)
		}
		patch := object{"metadata": object{"annotations": annotations}}
		path := "/api/v1/namespaces/" + usage.Pod.Namespace + "/pods/" + usage.Pod.Name
		if err := a.Client.Merge(ctx, path, patch); err != nil && !kube.NotFound(err) {
			return err
		}
	}
	a.told = told
	return nil
}
