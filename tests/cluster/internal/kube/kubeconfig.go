package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// FromKubeconfig returns a client for a file's current context, whose user must have a client
// certificate. It uses kubectl to read the YAML: a test cluster's own, else the one on PATH.
func FromKubeconfig(path string) (*Client, error) {
	kubectl := filepath.Join(filepath.Dir(path), "bin", "kubectl")
	if _, err := os.Stat(kubectl); err != nil {
		kubectl = "kubectl"
	}
	// --minify leaves only what the current context uses.
	text, err := exec.Command(kubectl, "config", "view", "--kubeconfig="+path, "--raw", "--flatten",
		"--minify", "--output=json").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return nil, fmt.Errorf("kubeconfig %s: %s", path, exit.Stderr)
		}
		return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server    string `json:"server"`
				Authority []byte `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Certificate []byte `json:"client-certificate-data"`
				Key         []byte `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return nil, fmt.Errorf("kubeconfig %s: its current context names no cluster or no user", path)
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	return NewClient(cluster.Server, cluster.Authority, user.Certificate, user.Key)
}
