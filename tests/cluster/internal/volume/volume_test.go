package volume

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sort"
	"testing"

	"ballast.dev/tests/cluster/internal/core"
)

// api has a Secret s and a ConfigMap c; the Secret refused may not be read.
type api struct{}

func (api) Values(kind, name string) (map[string][]byte, bool, error) {
	switch kind + " " + name {
	case "Secret s":
		return map[string][]byte{"tls.crt": []byte("certificate"), "tls.key": []byte("key")}, true, nil
	case "ConfigMap c":
		return map[string][]byte{"ca.crt": []byte("authority")}, true, nil
	case "Secret refused":
		return nil, false, errors.New("status 403")
	}
	return nil, false, nil
}

func (api) Token(audience string, seconds int) (string, error) {
	return fmt.Sprintf("token for %q, %d s", audience, seconds), nil
}

func (api) Field(path string) (string, error) { return "the " + path, nil }

func TestFiles(t *testing.T) {
	for volume, wanted := range map[string]string{
		`{"secret": {"secretName": "s"}}`:                                                         "tls.crt 644 certificate; tls.key 644 key; ",
		`{"secret": {"secretName": "s", "defaultMode": 256}}`:                                     "tls.crt 400 certificate; tls.key 400 key; ",
		`{"secret": {"secretName": "s", "items": [{"key": "tls.key", "path": "k"}]}}`:             "k 644 key; ",
		`{"secret": {"secretName": "s", "items": [{"key": "x", "path": "k"}]}}`:                   "volume v: Secret s has no key x",
		`{"secret": {"secretName": "s", "optional": true, "items": [{"key": "x", "path": "k"}]}}`: "",
		`{"secret": {"secretName": "absent"}}`:                                                    "volume v: there is no Secret absent",
		`{"secret": {"secretName": "absent", "optional": true}}`:                                  "",
		`{"secret": {"secretName": "refused", "optional": true}}`:                                 "volume v: status 403",
		`{"configMap": {"name": "c"}}`:                                                            "ca.crt 644 authority; ",
		`{"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}}`: "n 644 the metadata.name; ",
		`{"downwardAPI": {"items": [{"path": "n"}]}}`:                                             "volume v: n: the agent knows fieldRef alone",
		// What the API server adds to every pod.
		`{"projected": {"defaultMode": 420, "sources": [
			{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
			{"configMap": {"name": "c", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
			{"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}}]}}`: "ca.crt 644 authority; namespace 644 the metadata.namespace; token 600 token for \"\", 3607 s private; ",
		`{"projected": {"sources": [{"secret": {"name": "s", "items": [{"key": "tls.key", "path": "a/k"}]}},
			{"configMap": {"name": "absent"}}]}}`: "volume v: there is no ConfigMap absent",
		`{"projected": {"sources": [{"clusterTrustBundle": {}}]}}`: "volume v: the agent does not know this source",
		`{"emptyDir": {}}`: "none",
		`{"nfs": {}}`:      "none",
	} {
		var v core.Volume
		if err := json.Unmarshal([]byte(volume), &v); err != nil {
			t.Fatal(err)
		}
		v.Name = "v"
		files, made, err := Of(v, api{})
		if got := shown(files, made, err); got != wanted {
			t.Errorf("%s\n has %s\nnot %s", volume, got, wanted)
		}
	}
}

func shown(files Files, made bool, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case !made:
		return "none"
	}
	text := ""
	for _, path := range sorted(files) {
		file := files[path]
		text += fmt.Sprintf("%s %o %s", path, file.Mode, file.Content)
		if file.Private {
			text += " private"
		}
		text += "; "
	}
	return text
}

func TestWrite(t *testing.T) {
	files := Files{"a/b": {[]byte("x"), 0o600, true}, "c": {[]byte("y"), 0o644, false}}
	folder := t.TempDir() + "/v"
	owner := Owner{User: os.Getuid(), Group: os.Getgid()}
	if os.Getuid() != 0 {
		t.Skip("only root may give files away")
	}
	if err := files.Write(folder, owner); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for path := range files {
		text, err := os.ReadFile(folder + "/" + path)
		if err != nil {
			t.Fatal(err)
		}
		about, _ := os.Stat(folder + "/" + path)
		got[path] = fmt.Sprintf("%s %o", text, about.Mode())
	}
	if wanted := map[string]string{"a/b": "x 640", "c": "y 644"}; !reflect.DeepEqual(got, wanted) {
		t.Errorf("wrote %v", got)
	}
	if err := (Files{"../x": {}}).Write(folder, owner); err == nil {
		t.Error("a file was written outside the volume")
	}
}

func sorted(files Files) []string {
	var paths []string
	for path := range files {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return paths
}
