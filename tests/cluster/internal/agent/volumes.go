package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/volume"
)

var errInitContainers = errors.New("the agent does not run init containers")

// place is where a volume's files are.
type place struct {
	folder   string
	readOnly bool
}

func (w *worker) makeSandbox() error {
	if w.pod.Spec.HostNetwork {
		return errors.New("the agent does not know hostNetwork")
	}
	number, err := w.agent.takeNumber()
	if err != nil {
		return err
	}
	sandbox, err := container.NewSandbox(number, w.pod.Metadata.Name, fmt.Sprintf(podIP, number), hostIP)
	if err != nil {
		w.agent.releaseNumber(number)
		return err
	}
	w.sandbox, w.number = sandbox, number
	return nil
}

// makeVolumes makes the pod's volumes, by their names.
func (w *worker) makeVolumes() (map[string]place, error) {
	owner := volume.Owner{User: core.Or(w.pod.Spec.SecurityContext.RunAsUser, 0),
		Group: core.Or(w.pod.Spec.SecurityContext.FSGroup, -1)}
	places := map[string]place{}
	for _, v := range w.pod.Spec.Volumes {
		here := place{folder: filepath.Join(w.folder, "volumes", v.Name)}
		files, made, err := volume.Of(v, podAPI{w})
		switch {
		case err != nil:
		case made:
			here.readOnly = true
			err = files.Write(here.folder, owner)
		case v.EmptyDir != nil:
			err = volume.Writable(here.folder, owner)
		case v.PersistentVolumeClaim != nil:
			here.readOnly = v.PersistentVolumeClaim.ReadOnly
			if here.folder, err = w.claim(v.PersistentVolumeClaim.ClaimName); err == nil {
				err = volume.Writable(here.folder, owner)
			}
		default:
			err = fmt.Errorf("the agent does not know the kind of volume %s", v.Name)
		}
		if err != nil {
			return nil, err
		}
		places[v.Name] = here
	}
	return places, nil
}

// claim returns the folder of a claim, which outlives the pod, and marks the claim as bound: there is
// nothing else that provides volumes.
func (w *worker) claim(name string) (string, error) {
	path := fmt.Sprintf("/api/v1/namespaces/%s/persistentvolumeclaims/%s", w.pod.Metadata.Namespace, name)
	var claim struct {
		Metadata core.Meta
		Spec     struct {
			AccessModes []string
			Resources   struct{ Requests map[string]string }
		}
		Status struct{ Phase string }
	}
	if err := w.agent.client.Get(w.ctx, path, &claim); err != nil {
		return "", err
	}
	if claim.Status.Phase != "Bound" {
		err := w.agent.client.Merge(w.ctx, path+"/status", map[string]any{"status": map[string]any{
			"phase": "Bound", "accessModes": claim.Spec.AccessModes, "capacity": claim.Spec.Resources.Requests}})
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(w.agent.Folder, "claims", claim.Metadata.UID), nil
}

// containerSpec says how a container is run.
func (w *worker) containerSpec(c core.Container, image container.Image) (container.Spec, error) {
	p, err := programOf(w.pod, c, image, podAPI{w}, w.agent.kubernetes)
	if err != nil {
		return container.Spec{}, err
	}
	own, shared := c.SecurityContext, w.pod.Spec.SecurityContext
	if core.Or(own.Privileged, false) {
		return container.Spec{}, errors.New("the agent does not run privileged containers")
	}
	capabilities, err := container.Capabilities(own.Capabilities.Add, own.Capabilities.Drop)
	if err != nil {
		return container.Spec{}, err
	}
	spec := container.Spec{
		Sandbox: w.sandbox.PID, Image: image.Root, ReadOnlyRoot: core.Or(own.ReadOnlyRootFilesystem, false),
		Args: p.args, Env: p.environment, Directory: p.directory, User: p.user, Group: p.group,
		Groups: shared.SupplementalGroups, Capabilities: capabilities,
		NoNewPrivileges: !core.Or(own.AllowPrivilegeEscalation, true),
	}
	if shared.FSGroup != nil {
		spec.Groups = append(spec.Groups, *shared.FSGroup)
	}
	if spec.Mounts, err = w.names(); err != nil {
		return spec, err
	}
	for _, mount := range c.VolumeMounts {
		here, found := w.volumes[mount.Name]
		if !found {
			return spec, fmt.Errorf("there is no volume %s", mount.Name)
		}
		spec.Mounts = append(spec.Mounts, container.Mount{Source: filepath.Join(here.folder, mount.SubPath),
			Target: mount.MountPath, ReadOnly: mount.ReadOnly || here.readOnly})
	}
	return spec, nil
}

// names writes the files by which programs find out about names. There is no name server.
func (w *worker) names() ([]container.Mount, error) {
	var mounts []container.Mount
	for name, text := range map[string]string{
		"hostname":    w.pod.Metadata.Name + "\n",
		"hosts":       fmt.Sprintf("127.0.0.1\tlocalhost\n%s\t%s\n", w.sandbox.IP, w.pod.Metadata.Name),
		"resolv.conf": "",
	} {
		file := filepath.Join(w.folder, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
		mounts = append(mounts, container.Mount{Source: file, Target: "/etc/" + name})
	}
	return mounts, nil
}

// podAPI is where the pod's volumes and variables get their values.
type podAPI struct{ w *worker }

func (p podAPI) Values(kind, name string) (values map[string][]byte, found bool, err error) {
	plural := map[string]string{"Secret": "secrets", "ConfigMap": "configmaps"}[kind]
	path := fmt.Sprintf("/api/v1/namespaces/%s/%s/%s", p.w.pod.Metadata.Namespace, plural, name)
	values = map[string][]byte{}
	if kind == "Secret" {
		var secret struct{ Data map[string][]byte }
		err = p.w.agent.client.Get(p.w.ctx, path, &secret)
		values = secret.Data
	} else {
		var config struct {
			Data       map[string]string
			BinaryData map[string][]byte
		}
		err = p.w.agent.client.Get(p.w.ctx, path, &config)
		for key, value := range config.Data {
			values[key] = []byte(value)
		}
		for key, value := range config.BinaryData {
			values[key] = value
		}
	}
	if kube.NotFound(err) {
		return nil, false, nil
	}
	return values, err == nil, err
}

func (p podAPI) Token(audience string, seconds int) (string, error) {
	pod := p.w.pod
	request := map[string]any{
		"expirationSeconds": seconds,
		"boundObjectRef": map[string]string{"apiVersion": "v1", "kind": "Pod", "name": pod.Metadata.Name,
			"uid": pod.Metadata.UID},
	}
	if audience != "" {
		request["audiences"] = []string{audience}
	}
	var answer struct{ Status struct{ Token string } }
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", pod.Metadata.Namespace, pod.Spec.ServiceAccountName)
	err := p.w.agent.client.Create(p.w.ctx, path, map[string]any{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": request}, &answer)
	return answer.Status.Token, err
}

func (p podAPI) Field(path string) (string, error) {
	return p.w.pod.Field(path, core.Address{PodIP: p.w.sandbox.IP, HostIP: hostIP})
}
