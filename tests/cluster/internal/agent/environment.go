package agent

import (
	"fmt"
	"strconv"
	"strings"

	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/core"
	"ballast.dev/tests/cluster/internal/volume"
)

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// A program is what a container runs, and as whom.
type program struct {
	args, environment []string
	directory         string
	user, group       int
}

// programOf reads what the container asks for. kubernetes is the address of the Service that leads to
// the API server, host:port.
func programOf(pod core.Pod, c core.Container, image container.Image, api volume.API, kubernetes string) (program, error) {
	p := program{directory: c.WorkingDir}
	if p.directory == "" {
		p.directory = image.WorkingDir
	}
	if p.directory == "" {
		p.directory = "/"
	}
	values, err := environment(c, api)
	if err != nil {
		return p, err
	}
	host, port, _ := strings.Cut(kubernetes, ":")
	p.environment = append([]string{"PATH=" + defaultPath, "HOSTNAME=" + pod.Metadata.Name}, image.Env...)
	p.environment = append(p.environment, "KUBERNETES_SERVICE_HOST="+host, "KUBERNETES_SERVICE_PORT="+port)
	for _, variable := range values {
		p.environment = append(p.environment, variable.Name+"="+variable.Value)
	}
	command, args := image.Entrypoint, image.Cmd
	if len(c.Command) > 0 {
		command, args = c.Command, nil
	}
	if len(c.Args) > 0 {
		args = c.Args
	}
	for _, word := range append(append([]string{}, command...), args...) {
		p.args = append(p.args, expand(word, values))
	}
	if len(p.args) == 0 {
		return p, fmt.Errorf("neither the container nor its image has a command")
	}
	p.user, p.group, err = userOf(pod, c, image)
	return p, err
}

// environment returns the container's own variables with their values.
func environment(c core.Container, api volume.API) ([]core.Variable, error) {
	if len(c.EnvFrom) > 0 {
		return nil, fmt.Errorf("the agent does not know envFrom")
	}
	var values []core.Variable
	for _, variable := range c.Env {
		value, found, err := valueOf(variable, api)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, err)
		}
		if found {
			values = append(values, core.Variable{Name: variable.Name, Value: expand(value, values)})
		}
	}
	return values, nil
}

func valueOf(variable core.Variable, api volume.API) (value string, found bool, err error) {
	from := variable.ValueFrom
	switch {
	case from == nil:
		return variable.Value, true, nil
	case from.FieldRef != nil:
		value, err = api.Field(from.FieldRef.FieldPath)
		return value, true, err
	case from.SecretKeyRef != nil:
		return key(api, "Secret", *from.SecretKeyRef)
	case from.ConfigMapKeyRef != nil:
		return key(api, "ConfigMap", *from.ConfigMapKeyRef)
	}
	return "", false, fmt.Errorf("the agent does not know this source")
}

func key(api volume.API, kind string, reference core.KeyRef) (string, bool, error) {
	values, _, err := api.Values(kind, reference.Name)
	if err != nil {
		return "", false, err
	}
	value, found := values[reference.Key]
	if !found && !reference.Optional {
		return "", false, fmt.Errorf("there is no %s %s with the key %s", kind, reference.Name, reference.Key)
	}
	return string(value), found, nil
}

// expand replaces $(NAME) by the variable's value and $$ by $; what names no variable stays.
func expand(text string, values []core.Variable) string {
	var result strings.Builder
	for len(text) > 0 {
		rest, dollar := strings.CutPrefix(text, "$")
		switch {
		case !dollar:
			end := strings.IndexByte(text, '$')
			if end < 0 {
				end = len(text)
			}
			result.WriteString(text[:end])
			text = text[end:]
		case strings.HasPrefix(rest, "$"):
			result.WriteByte('$')
			text = rest[1:]
		default:
			word, after := reference(rest, values)
			result.WriteString(word)
			text = after
		}
	}
	return result.String()
}

// reference reads what follows a dollar: (NAME) becomes its value.
func reference(text string, values []core.Variable) (word, rest string) {
	name, after, found := strings.Cut(strings.TrimPrefix(text, "("), ")")
	if !found || !strings.HasPrefix(text, "(") {
		return "$", text
	}
	for i := len(values) - 1; i >= 0; i-- { // the last of a name counts
		if values[i].Name == name {
			return values[i].Value, after
		}
	}
	return "$(" + name + ")", after
}

// userOf returns the container's user and group.
func userOf(pod core.Pod, c core.Container, image container.Image) (user, group int, err error) {
	own, shared := c.SecurityContext, pod.Spec.SecurityContext
	name, groupName, _ := strings.Cut(image.User, ":")
	if name != "" {
		if user, err = strconv.Atoi(name); err != nil {
			return 0, 0, fmt.Errorf("the image's user %q is no number", name)
		}
	}
	if groupName != "" {
		if group, err = strconv.Atoi(groupName); err != nil {
			return 0, 0, fmt.Errorf("the image's group %q is no number", groupName)
		}
	}
	user = core.Or(own.RunAsUser, core.Or(shared.RunAsUser, user))
	group = core.Or(own.RunAsGroup, core.Or(shared.RunAsGroup, group))
	if user == 0 && core.Or(own.RunAsNonRoot, core.Or(shared.RunAsNonRoot, false)) {
		return 0, 0, fmt.Errorf("container has runAsNonRoot and image will run as root")
	}
	return user, group, nil
}
