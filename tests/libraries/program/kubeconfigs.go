package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A case may have a second file, which is named after the first in $KUBECONFIG and lies in another
// folder, and kubectl's flags.
type kubeconfigCase struct {
	Into    string   `json:"into"`
	Text    string   `json:"text"`
	Second  string   `json:"second,omitempty"`
	Context string   `json:"context,omitempty"`
	Cluster string   `json:"cluster,omitempty"`
	User    string   `json:"user,omitempty"`
	As      string   `json:"as,omitempty"`
	AsUID   string   `json:"asUid,omitempty"`
	AsGroup []string `json:"asGroup,omitempty"`
	answer
}

// What is asked of the server and of its caller; what is not set is left out.
type connection struct {
	Server     string              `json:"server"`
	ServerName string              `json:"serverName,omitempty"`
	Insecure   bool                `json:"insecure,omitempty"`
	CA         string              `json:"ca,omitempty"`
	Cert       string              `json:"cert,omitempty"`
	Key        string              `json:"key,omitempty"`
	Token      string              `json:"token,omitempty"`
	TokenFile  string              `json:"tokenFile,omitempty"`
	Username   string              `json:"username,omitempty"`
	Exec       *plugin             `json:"exec,omitempty"`
	As         string              `json:"as,omitempty"`
	AsUID      string              `json:"asUid,omitempty"`
	AsGroups   []string            `json:"asGroups,omitempty"`
	AsExtra    map[string][]string `json:"asExtra,omitempty"`
	Proxy      string              `json:"proxy,omitempty"`
	Namespace  string              `json:"namespace"`
}

type plugin struct {
	APIVersion  string   `json:"apiVersion"`
	Command     string   `json:"command"`
	Args        []string `json:"args,omitempty"`
	Env         []string `json:"env,omitempty"`
	ClusterInfo bool     `json:"clusterInfo,omitempty"`
	Hint        string   `json:"hint,omitempty"`
}

// The name that stands for the folder of the first file.
const folder = "/DIR"

func (c *kubeconfigCase) answerWith(templates map[string]template) error {
	known, found := templates[c.Into]
	if !found {
		return fmt.Errorf("there is no template %q", c.Into)
	}
	dir, err := os.MkdirTemp("", "kubeconfig")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	secrets, err := writeSecrets(dir)
	if err != nil {
		return err
	}
	paths := []string{filepath.Join(dir, "config")}
	texts := []string{known.around(c.Text)}
	if c.Second != "" {
		paths = append(paths, filepath.Join(dir, "other", "config"))
		texts = append(texts, c.Second)
	}
	for i, path := range paths {
		text := texts[i]
		for name, secret := range secrets {
			text = strings.ReplaceAll(text, "${"+name+"}", base64.StdEncoding.EncodeToString(secret))
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	made, err := c.connect(paths, secrets)
	if err != nil {
		c.set(nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), dir, folder)))
		return nil
	}
	for _, path := range []*string{&made.CA, &made.Cert, &made.Key, &made.TokenFile} {
		*path = strings.Replace(*path, dir, folder, 1)
	}
	if made.Exec != nil {
		made.Exec.Command = strings.Replace(made.Exec.Command, dir, folder, 1)
	}
	c.set(made, nil)
	return nil
}

func (c *kubeconfigCase) connect(paths []string, secrets map[string][]byte) (*connection, error) {
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	overrides.Context.Cluster, overrides.Context.AuthInfo = c.Cluster, c.User
	overrides.AuthInfo.Impersonate, overrides.AuthInfo.ImpersonateUID = c.As, c.AsUID
	overrides.AuthInfo.ImpersonateGroups = c.AsGroup
	rules := &clientcmd.ClientConfigLoadingRules{Precedence: paths}
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, err
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, err
	}
	// What a client makes of it before it sends anything.
	if _, err := rest.HTTPClientFor(config); err != nil {
		return nil, err
	}
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, err
	}
	if server.Scheme != "http" && server.Scheme != "https" {
		return nil, fmt.Errorf("unsupported protocol scheme %q", server.Scheme) // as http.Transport
	}
	server.RawQuery, server.Fragment = "", "" // as rest.NewRESTClient
	made := &connection{
		Server: strings.TrimSuffix(server.String(), "/"), ServerName: config.ServerName, Insecure: config.Insecure,
		CA: textOr(config.CAData, config.CAFile, secrets), Cert: textOr(config.CertData, config.CertFile, secrets),
		Key: textOr(config.KeyData, config.KeyFile, secrets), Token: config.BearerToken, TokenFile: config.BearerTokenFile,
		Username: config.Username, As: config.Impersonate.UserName, AsUID: config.Impersonate.UID,
		AsGroups: config.Impersonate.Groups, AsExtra: config.Impersonate.Extra, Namespace: namespace,
	}
	// The loader has read the file already, but clients read it anew.
	if read, err := os.ReadFile(config.BearerTokenFile); err == nil && string(read) == config.BearerToken {
		made.Token = ""
	}
	if config.Proxy != nil {
		request, err := http.NewRequest(http.MethodGet, server.String(), nil)
		if err != nil {
			return nil, err
		}
		proxy, err := config.Proxy(request)
		if err != nil {
			return nil, err
		}
		made.Proxy = proxy.String()
	}
	if exec := config.ExecProvider; exec != nil {
		made.Exec = &plugin{APIVersion: exec.APIVersion, Command: exec.Command, Args: exec.Args,
			ClusterInfo: exec.ProvideClusterInfo, Hint: exec.InstallHint}
		for _, variable := range exec.Env {
			made.Exec.Env = append(made.Exec.Env, variable.Name+"="+variable.Value)
		}
	}
	return made, nil
}

// textOr prints data by the name of the secret that it is, else the file's path.
func textOr(data []byte, file string, secrets map[string][]byte) string {
	for name, secret := range secrets {
		if string(data) == string(secret) {
			return name
		}
	}
	return string(data) + file
}

// writeSecrets makes what a file may refer to, and what it may contain in base64 for ${CA}, ${CERT} and ${KEY}.
func writeSecrets(dir string) (map[string][]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	certificate, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	inPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	secrets := map[string][]byte{
		"CA":   append([]byte("the authority\n"), inPEM...),
		"CERT": inPEM,
		"KEY":  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
	}
	if err := os.Mkdir(filepath.Join(dir, "other"), 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string][]byte{"ca.crt": secrets["CA"], "client.crt": inPEM, "client.key": secrets["KEY"],
		"token": []byte("from-file"), "other/ca.crt": secrets["CA"], "other/token": []byte("from-other")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}
