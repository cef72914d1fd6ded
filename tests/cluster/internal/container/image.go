package container

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Image is an unpacked image.
type Image struct {
	Names []string
	ID    string
	// The root file system, which containers do not change.
	Root                 string
	User, WorkingDir     string
	Entrypoint, Cmd, Env []string
}

// FullName is an image's name with its registry, as container runtimes complete it.
func FullName(name string) string {
	first, _, parts := strings.Cut(name, "/")
	switch {
	case !parts:
		return "docker.io/library/" + name
	case strings.ContainsAny(first, ".:") || first == "localhost":
		return name
	}
	return "docker.io/" + name
}

// Unpack unpacks an image's archive, with a manifest as `docker save` writes it, into the folder.
func Unpack(archive, folder string) (Image, error) {
	image := Image{Root: folder}
	blobs, err := read(archive)
	if err != nil {
		return image, err
	}
	var manifests []struct {
		Config           string
		RepoTags, Layers []string
	}
	if err := json.Unmarshal(blobs["manifest.json"], &manifests); err != nil || len(manifests) != 1 {
		return image, fmt.Errorf("%s: not the archive of one image: %v", archive, err)
	}
	var about struct{ Config *Image }
	about.Config = &image
	if err := json.Unmarshal(blobs[manifests[0].Config], &about); err != nil {
		return image, fmt.Errorf("%s: %w", archive, err)
	}
	image.Names, image.ID = manifests[0].RepoTags, "sha256:"+filepath.Base(manifests[0].Config)
	for _, layer := range manifests[0].Layers {
		if err := unpack(blobs[layer], folder); err != nil {
			return image, fmt.Errorf("%s: %s: %w", archive, layer, err)
		}
	}
	return image, nil
}

func read(archive string) (map[string][]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	blobs := map[string][]byte{}
	for members := tar.NewReader(file); ; {
		member, err := members.Next()
		if err == io.EOF {
			return blobs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		if blobs[member.Name], err = io.ReadAll(members); err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
	}
}

// unpack unpacks a layer, which replaces nothing of an earlier one.
func unpack(layer []byte, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	content, err := gzip.NewReader(bytes.NewReader(layer))
	if err != nil {
		return err
	}
	for members := tar.NewReader(content); ; {
		member, err := members.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = extract(member, members, folder)
		}
		if err != nil {
			return err
		}
	}
}

func extract(member *tar.Header, content io.Reader, folder string) error {
	if strings.Contains("/"+member.Name+"/", "/../") {
		return fmt.Errorf("%q leads out of the image", member.Name)
	}
	path := filepath.Join(folder, member.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch member.Typeflag {
	case tar.TypeDir:
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
	case tar.TypeSymlink:
		return os.Symlink(member.Linkname, path)
	case tar.TypeReg:
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if _, err := io.Copy(file, content); err != nil {
			file.Close()
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%s: a file of type %q", member.Name, member.Typeflag)
	}
	if err := os.Chown(path, member.Uid, member.Gid); err != nil {
		return err
	}
	return os.Chmod(path, member.FileInfo().Mode())
}
