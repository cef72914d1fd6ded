// Package volume makes the files of volumes whose content comes from the API.
package volume

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ballast.dev/tests/cluster/internal/core"
)

// API is where values come from.
type API interface {
	// Values returns the values of a Secret or a ConfigMap, and whether there is one.
	Values(kind, name string) (values map[string][]byte, found bool, err error)
	// Token returns a new token of the pod's service account.
	Token(audience string, seconds int) (string, error)
	// Field returns the value of a field of the pod.
	Field(path string) (string, error)
}

// File is a file of a volume.
type File struct {
	Content []byte
	Mode    fs.FileMode
	// A token, which none but the container's user may read.
	Private bool
}

// Files is a volume's content by path.
type Files map[string]File

const defaultMode = 0o644

// Of returns the files of a volume; made is false if the volume is of a kind without content from
// the API.
func Of(volume core.Volume, api API) (files Files, made bool, err error) {
	files = Files{}
	switch {
	case volume.Secret != nil:
		source := *volume.Secret
		source.Name = source.SecretName
		err = files.values(api, "Secret", source, defaultMode)
	case volume.ConfigMap != nil:
		err = files.values(api, "ConfigMap", *volume.ConfigMap, defaultMode)
	case volume.DownwardAPI != nil:
		err = files.downward(api, *volume.DownwardAPI, defaultMode)
	case volume.Projected != nil:
		mode := core.Or(volume.Projected.DefaultMode, defaultMode)
		for _, source := range volume.Projected.Sources {
			switch {
			case source.Secret != nil:
				err = files.values(api, "Secret", *source.Secret, mode)
			case source.ConfigMap != nil:
				err = files.values(api, "ConfigMap", *source.ConfigMap, mode)
			case source.DownwardAPI != nil:
				err = files.downward(api, *source.DownwardAPI, mode)
			case source.ServiceAccountToken != nil:
				var token string
				token, err = api.Token(source.ServiceAccountToken.Audience, source.ServiceAccountToken.ExpirationSeconds)
				files[source.ServiceAccountToken.Path] = File{[]byte(token), 0o600, true}
			default:
				err = fmt.Errorf("the agent does not know this source")
			}
			if err != nil {
				break
			}
		}
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, true, fmt.Errorf("volume %s: %w", volume.Name, err)
	}
	return files, true, nil
}

// values adds a Secret's or a ConfigMap's values: those that the source lists, or all.
func (f Files) values(api API, kind string, source core.Source, mode int) error {
	values, found, err := api.Values(kind, source.Name)
	if err != nil || (!found && source.Optional) {
		return err
	}
	if !found {
		return fmt.Errorf("there is no %s %s", kind, source.Name)
	}
	mode = core.Or(source.DefaultMode, mode)
	if len(source.Items) == 0 {
		for key, value := range values {
			f[key] = File{Content: value, Mode: fs.FileMode(mode)}
		}
	}
	for _, item := range source.Items {
		value, found := values[item.Key]
		if !found && !source.Optional {
			return fmt.Errorf("%s %s has no key %s", kind, source.Name, item.Key)
		}
		if found {
			f[item.Path] = File{Content: value, Mode: fs.FileMode(core.Or(item.Mode, mode))}
		}
	}
	return nil
}

func (f Files) downward(api API, source core.Downward, mode int) error {
	mode = core.Or(source.DefaultMode, mode)
	for _, item := range source.Items {
		if item.FieldRef == nil {
			return fmt.Errorf("%s: the agent knows fieldRef alone", item.Path)
		}
		value, err := api.Field(item.FieldRef.FieldPath)
		if err != nil {
			return err
		}
		f[item.Path] = File{Content: []byte(value), Mode: fs.FileMode(core.Or(item.Mode, mode))}
	}
	return nil
}

// Owner says whose the files of a pod's volumes are.
type Owner struct {
	User  int // of private files
	Group int // fsGroup; -1: there is none
}

// Write writes the files below the folder, which is created.
func (f Files) Write(folder string, owner Owner) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for path, file := range f {
		if filepath.IsAbs(path) || strings.Contains("/"+path+"/", "/../") {
			return fmt.Errorf("%q leads out of the volume", path)
		}
		where := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(where, file.Content, 0o600); err != nil {
			return err
		}
		user, group := 0, 0
		if file.Private {
			user = owner.User
		}
		mode := file.Mode
		if owner.Group >= 0 {
			group, mode = owner.Group, mode|0o440
		}
		if err := os.Chown(where, user, group); err != nil {
			return err
		}
		if err := os.Chmod(where, mode); err != nil {
			return err
		}
	}
	return nil
}

// Writable makes an empty folder for containers to write to, or leaves the one that is there.
func Writable(folder string, owner Owner) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if owner.Group < 0 {
		return os.Chmod(folder, 0o777)
	}
	if err := os.Chown(folder, -1, owner.Group); err != nil {
		return err
	}
	return os.Chmod(folder, 0o775|fs.ModeSetgid)
}
