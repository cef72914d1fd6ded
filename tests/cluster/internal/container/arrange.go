package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

var devices = []string{"null", "zero", "full", "random", "urandom"}

// arrange makes the container's file systems, and nothing else visible. It is called in the container's
// namespaces, as root.
func arrange(spec Spec) error {
	root := filepath.Join(spec.Folder, "root")
	upper, work := filepath.Join(spec.Folder, "upper"), filepath.Join(spec.Folder, "work")
	for _, folder := range []string{root, upper, work} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if err := mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return err
	}
	// What the container writes, and the points of its mounts, stay out of the image.
	layers := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", spec.Image, upper, work)
	if err := mount("overlay", root, "overlay", 0, layers); err != nil {
		return err
	}
	if err := kernelFiles(root); err != nil {
		return err
	}
	for _, each := range spec.Mounts {
		if err := bind(each.Source, filepath.Join(root, each.Target), each.ReadOnly); err != nil {
			return err
		}
	}
	if spec.Directory != "/" {
		if err := os.MkdirAll(filepath.Join(root, spec.Directory), 0o755); err != nil {
			return err
		}
	}
	if spec.ReadOnlyRoot {
		if err := mount("", root, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
			return err
		}
	}
	return enter(root)
}

// kernelFiles mounts what each container has of the kernel.
func kernelFiles(root string) error {
	for _, each := range []struct {
		kind, target, options string
		flags                 uintptr
	}{
		{"proc", "proc", "", syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC},
		{"sysfs", "sys", "", syscall.MS_RDONLY | syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC},
		{"tmpfs", "dev", "mode=755", syscall.MS_NOSUID},
		{"tmpfs", "dev/shm", "mode=1777", syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC},
	} {
		target := filepath.Join(root, each.target)
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := mount(each.kind, target, each.kind, each.flags, each.options); err != nil {
			return err
		}
	}
	for _, name := range devices {
		if err := bind("/dev/"+name, filepath.Join(root, "dev", name), false); err != nil {
			return err
		}
	}
	return nil
}

func bind(source, target string, readOnly bool) error {
	about, err := os.Stat(source)
	if err != nil {
		return err
	}
	if about.IsDir() {
		err = os.MkdirAll(target, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(target), 0o755); err == nil {
		var file *os.File
		if file, err = os.OpenFile(target, os.O_CREATE, 0o644); err == nil {
			err = file.Close()
		}
	}
	if err != nil {
		return err
	}
	if err := mount(source, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil || !readOnly {
		return err
	}
	return mount("", target, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
}

// enter makes the folder the root, and lets go of what was.
func enter(root string) error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := syscall.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root %s: %w", root, err)
	}
	if err := syscall.Unmount(".", syscall.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount what was the root: %w", err)
	}
	return os.Chdir("/")
}

func mount(source, target, kind string, flags uintptr, options string) error {
	if err := syscall.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("mount %s%s at %s: %w", kind, source, target, err)
	}
	return nil
}

// lookup finds the program as a shell does.
func lookup(name string, environment []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, variable := range environment {
		path, found := strings.CutPrefix(variable, "PATH=")
		if !found {
			continue
		}
		for _, folder := range strings.Split(path, ":") {
			file := filepath.Join(folder, name)
			if about, err := os.Stat(file); err == nil && about.Mode().IsRegular() && about.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("there is no program %q in the image's PATH", name)
}
