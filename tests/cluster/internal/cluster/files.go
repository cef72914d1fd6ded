package cluster

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/template"

	"ballast.dev/tests/cluster/internal/build"
	"ballast.dev/tests/cluster/internal/pki"
)

//go:embed manifests
var manifests embed.FS

var templates = template.Must(template.ParseFS(manifests, "manifests/*.yaml"))

// writeFiles creates the files that must exist before the first component starts.
func (c *Cluster) writeFiles(built build.Built, o Options) error {
	for _, folder := range []string{"logs", "pki", "run"} {
		if err := os.MkdirAll(c.path(folder), 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(built.Bin, c.path("bin")); err != nil {
		return err
	}
	if err := os.RemoveAll(c.path("audit.log")); err != nil {
		return err
	}
	policy, err := render("audit-policy.yaml", o)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.path("audit-policy.yaml"), []byte(policy), 0o600); err != nil {
		return err
	}
	return c.writeKeys()
}

func (c *Cluster) writeKeys() error {
	authority, err := pki.NewAuthority("ballast-test-cluster")
	if err != nil {
		return err
	}
	// The aggregator gets a CA of its own, since a client with its certificate can act as any user.
	frontProxy, err := pki.NewAuthority("ballast-test-front-proxy")
	if err != nil {
		return err
	}
	server, err := authority.Serving("localhost", loopback, firstService, "kubernetes.default.svc",
		"metrics-server.kube-system.svc")
	if err != nil {
		return err
	}
	admin, err := authority.Client("admin", "system:masters")
	if err != nil {
		return err
	}
	proxy, err := frontProxy.Client("front-proxy-client")
	if err != nil {
		return err
	}
	tokens, err := pki.NewKey()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"ca.crt": authority.PEM, "front-proxy-ca.crt": frontProxy.PEM, "tokens.key": tokens,
		"server.crt": server.Certificate, "server.key": server.Key,
		"admin.crt": admin.Certificate, "admin.key": admin.Key,
		"front-proxy.crt": proxy.Certificate, "front-proxy.key": proxy.Key,
	} {
		if err := os.WriteFile(c.path("pki", name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeKubeconfig writes the administrator's kubeconfig. It includes the keys, so it can be copied.
func (c *Cluster) writeKubeconfig(server string) error {
	values := map[string]string{"Server": server}
	for name, file := range map[string]string{"CA": "ca.crt", "Certificate": "admin.crt", "Key": "admin.key"} {
		text, err := c.base64(file)
		if err != nil {
			return err
		}
		values[name] = text
	}
	text, err := render("kubeconfig.yaml", values)
	if err != nil {
		return err
	}
	return os.WriteFile(c.path("kubeconfig"), []byte(text), 0o600)
}

func (c *Cluster) metricsManifest(port int) (string, error) {
	authority, err := c.base64("ca.crt")
	if err != nil {
		return "", err
	}
	return render("metrics-server.yaml", map[string]any{"Port": port, "CA": authority})
}

func nodeManifests(count int) (string, error) {
	var all strings.Builder
	for i := 0; i < count; i++ {
		text, err := render("node.yaml", fmt.Sprintf("node-%d", i))
		if err != nil {
			return "", err
		}
		all.WriteString(text)
	}
	return all.String(), nil
}

func (c *Cluster) base64(file string) (string, error) {
	text, err := os.ReadFile(c.path("pki", file))
	return base64.StdEncoding.EncodeToString(text), err
}

func render(name string, values any) (string, error) {
	var text strings.Builder
	err := templates.ExecuteTemplate(&text, name, values)
	return text.String(), err
}

// kubectl runs the cluster's own kubectl as the administrator.
func (c *Cluster) kubectl(ctx context.Context, input string, arguments ...string) error {
	command := exec.CommandContext(ctx, c.path("bin", "kubectl"), arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+c.path("kubeconfig"),
		"KUBECACHEDIR="+c.path("run", "kubectl"))
	command.Stdin = strings.NewReader(input)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", arguments[0], err, output.String())
	}
	return nil
}
