package container

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func archive(t *testing.T, members ...tar.Header) []byte {
	t.Helper()
	var text bytes.Buffer
	to := tar.NewWriter(&text)
	for _, member := range members {
		content := []byte(member.PAXRecords["content"])
		member.PAXRecords = nil
		member.Size = int64(len(content))
		if err := to.WriteHeader(&member); err != nil {
			t.Fatal(err)
		}
		to.Write(content)
	}
	to.Close()
	return text.Bytes()
}

func file(name, content string) tar.Header {
	return tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o755, Uid: os.Getuid(), Gid: os.Getgid(),
		PAXRecords: map[string]string{"content": content}}
}

func packed(t *testing.T, layer ...tar.Header) string {
	t.Helper()
	var small bytes.Buffer
	to := gzip.NewWriter(&small)
	to.Write(archive(t, layer...))
	to.Close()
	path := filepath.Join(t.TempDir(), "image.tar")
	whole := archive(t,
		file("manifest.json", `[{"Config": "blobs/sha256/abc", "RepoTags": ["app:1"], "Layers": ["blobs/sha256/def"]}]`),
		file("blobs/sha256/abc", `{"os": "linux", "config": {"User": "5:6", "Entrypoint": ["/app"], "Cmd": ["run"],
			"Env": ["A=b"], "Volumes": {"/data": {}}}}`),
		file("blobs/sha256/def", small.String()))
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnpack(t *testing.T) {
	link := tar.Header{Name: "lib", Typeflag: tar.TypeSymlink, Linkname: "usr/lib"}
	folder := filepath.Join(t.TempDir(), "root")
	got, err := Unpack(packed(t, file("usr/lib/app", "program"), link), folder)
	wanted := Image{Names: []string{"app:1"}, ID: "sha256:abc", Root: folder, User: "5:6",
		Entrypoint: []string{"/app"}, Cmd: []string{"run"}, Env: []string{"A=b"}}
	if err != nil || !reflect.DeepEqual(got, wanted) {
		t.Fatalf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(folder + "/lib/app"); string(text) != "program" {
		t.Errorf("the program is %q, %v", text, err)
	}
	if about, err := os.Stat(folder + "/lib/app"); err != nil || about.Mode() != 0o755 {
		t.Errorf("the program is %v, %v", about, err)
	}
}

func TestFullName(t *testing.T) {
	for name, wanted := range map[string]string{
		"app:1":                   "docker.io/library/app:1",
		"docker.io/library/app:1": "docker.io/library/app:1",
		"team/app":                "docker.io/team/app",
		"registry:5000/app":       "registry:5000/app",
		"localhost/app":           "localhost/app",
	} {
		if got := FullName(name); got != wanted {
			t.Errorf("%s is %s, not %s", name, got, wanted)
		}
	}
}

func TestUnpackRefuses(t *testing.T) {
	for name, member := range map[string]tar.Header{
		"a way out": file("../x", ""), "a device": {Name: "x", Typeflag: tar.TypeBlock},
	} {
		if _, err := Unpack(packed(t, member), t.TempDir()); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
	if _, err := Unpack("/nowhere", t.TempDir()); err == nil {
		t.Error("nothing was unpacked")
	}
}
