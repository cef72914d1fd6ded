// Package build builds the control plane's programs, once, from the modules pinned in modules/.
//
// They are stored in <cache>/<hash of what they are built from>. Each is built elsewhere and then
// renamed, so an interrupted build leaves nothing that looks finished. One build runs at a time.
package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrGo means that the installed Go cannot build the programs.
var ErrGo = errors.New("this Go cannot build the control plane")

// Built has the paths of the programs and, with kwok, of its manifests.
type Built struct {
	Bin, CRDs, Objects string
}

// CacheFolder returns the folder that caches the programs of test clusters.
func CacheFolder() (string, error) {
	if folder := os.Getenv("BALLAST_CACHE"); folder != "" {
		return filepath.Abs(filepath.Join(folder, "cluster"))
	}
	// The user's cache folder: XDG_CACHE_HOME, else ~/.cache.
	folder, err := os.UserCacheDir()
	return filepath.Join(folder, "ballast", "cluster"), err
}

// Wanted says which programs are built.
type Wanted struct {
	// The version of Kubernetes, like "1.29"; empty: the newest.
	Kubernetes          string
	Kwok, MetricsServer bool
	// Which the caller runs.
	PrometheusAdapter, PromLabelProxy, Helm4 bool
}

// programs returns those that are wanted.
func (w Wanted) programs() []program {
	choices := map[string]bool{
		kwok: w.Kwok, metricsServer: w.MetricsServer, prometheusAdapter: w.PrometheusAdapter, promLabelProxy: w.PromLabelProxy,
		helm4: w.Helm4,
	}
	var wanted []program
	for _, p := range programs {
		if chosen, isChoice := choices[p.name]; chosen || !isChoice {
			wanted = append(wanted, p)
		}
	}
	return wanted
}

// modules is the folder of the pinned modules, and the version of Kubernetes that is wanted.
type modules struct {
	root, kubernetes string
}

// of returns the folder of a program's module: modules/kubernetes-VERSION instead of
// modules/kubernetes if a version is wanted.
func (m modules) of(p program) string {
	name := p.module
	if name == "kubernetes" && m.kubernetes != "" {
		name += "-" + m.kubernetes
	}
	return filepath.Join(m.root, name)
}

// Programs returns what is wanted of the modules below source. It builds the programs that are
// missing, and prints to progress before and after each, and each minute, how much is left.
func Programs(ctx context.Context, source, cache string, wanted Wanted, progress io.Writer) (Built, error) {
	modules := modules{filepath.Join(source, "modules"), wanted.Kubernetes}
	if wanted.Kubernetes != "" && !exists(modules.of(program{module: "kubernetes"})) {
		return Built{}, fmt.Errorf("no module has Kubernetes %s: see the folders %s/kubernetes-*", wanted.Kubernetes, modules.root)
	}
	key, err := hash(ctx, modules)
	if err != nil {
		return Built{}, err
	}
	folder := filepath.Join(cache, key)
	built := Built{
		Bin:     filepath.Join(folder, "bin"),
		CRDs:    filepath.Join(folder, "kwok", "crds"),
		Objects: filepath.Join(folder, "kwok", "objects"),
	}
	if built.has(wanted) {
		return built, nil
	}
	for _, path := range []string{built.Bin, built.CRDs, built.Objects} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			return Built{}, err
		}
	}
	unlock, err := Lock(filepath.Join(folder, "lock"), func() {
		fmt.Fprintln(progress, "cluster: waiting for another build of the control plane")
	})
	if err != nil {
		return Built{}, err
	}
	defer unlock()
	if err := buildPrograms(ctx, modules, wanted.programs(), folder, progress); err != nil {
		return Built{}, err
	}
	if wanted.Kwok && !exists(built.manifests()) {
		if err := copyManifests(ctx, modules, built); err != nil {
			return Built{}, err
		}
	}
	return built, nil
}

// manifests is a file that exists if all manifests have been copied.
func (b Built) manifests() string { return filepath.Join(filepath.Dir(b.CRDs), "complete") }

func (b Built) has(wanted Wanted) bool {
	for _, p := range wanted.programs() {
		if !exists(filepath.Join(b.Bin, p.name)) {
			return false
		}
	}
	return !wanted.Kwok || exists(b.manifests())
}

// Lock takes an exclusive lock on a file, and creates the file if it is missing. The kernel
// releases the lock when the process exits. If another process has the lock, Lock calls wait once
// and waits.
func Lock(path string, wait func()) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		wait()
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
			file.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
	return func() { file.Close() }, nil
}

func buildPrograms(ctx context.Context, modules modules, programs []program, folder string, progress io.Writer) error {
	if err := checkGo(ctx, modules); err != nil {
		return err
	}
	// This process has the lock, so a build that was killed left this. If its go command still
	// runs, it fails, because its folder is gone.
	work := filepath.Join(folder, "unfinished")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var missing []program
	var left estimate
	for _, p := range programs {
		if !exists(filepath.Join(folder, "bin", p.name)) {
			missing = append(missing, p)
			left.left += usual[p.name]
		}
	}
	for i, p := range missing {
		started := time.Now()
		stop := everyMinute(func() {
			fmt.Fprintf(progress, "cluster: building %s (%d of %d), %s\n", p.name, i+1, len(missing),
				inWords(left.remaining(time.Since(started))))
		})
		unfinished := filepath.Join(work, p.name)
		err := p.build(ctx, modules, unfinished)
		stop()
		if err != nil {
			return fmt.Errorf("build %s: %w", p.name, err)
		}
		if err := os.Rename(unfinished, filepath.Join(folder, "bin", p.name)); err != nil {
			return err
		}
		took := time.Since(started)
		left.built(p.name, took)
		fmt.Fprintf(progress, "cluster: built %s in %.0f s\n", p.name, took.Seconds())
	}
	return nil
}

// everyMinute calls tell now and each minute, until the returned function is called.
func everyMinute(tell func()) (stop func()) {
	tell()
	ticker := time.NewTicker(time.Minute)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				tell()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
	}
}

func (p program) build(ctx context.Context, modules modules, target string) error {
	folder := modules.of(p)
	flags, err := linkerFlags(ctx, p, folder)
	if err != nil {
		return err
	}
	arguments := append([]string{"build", "-trimpath", "-ldflags", flags, "-o", target}, p.compilerFlags()...)
	_, err = golang(ctx, folder, append(arguments, p.path)...)
	return err
}

// checkGo fails if a module needs a version of Go that GOTOOLCHAIN does not permit. (`go env` would
// not fail.)
func checkGo(ctx context.Context, modules modules) error {
	for _, p := range programs {
		if _, err := golang(ctx, modules.of(p), "list", "-m"); err != nil {
			return fmt.Errorf("%w: %w; GOTOOLCHAIN=auto lets it fetch a newer one", ErrGo, err)
		}
	}
	return nil
}

func copyManifests(ctx context.Context, modules modules, built Built) error {
	module, err := golang(ctx, filepath.Join(modules.root, "helpers"), "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok")
	if err != nil {
		return err
	}
	for _, file := range kwokManifests {
		text, err := os.ReadFile(filepath.Join(module, file))
		if err != nil {
			return err
		}
		folder := built.Objects
		if strings.Contains(file, "/crd/") {
			folder = built.CRDs
		}
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(built.manifests(), nil, 0o644)
}

// hash returns a hash of what the binaries are built from: programs.go, the pinned modules, and
// each module's Go version (GOTOOLCHAIN may choose another one than the installed one).
func hash(ctx context.Context, modules modules) (string, error) {
	sum := sha256.New()
	io.WriteString(sum, programsSource)
	seen := map[string]bool{}
	for _, p := range programs {
		if seen[p.module] {
			continue
		}
		seen[p.module] = true
		folder := modules.of(p)
		for _, name := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return "", err
			}
			sum.Write(text)
		}
		version, err := golang(ctx, folder, "env", "GOVERSION")
		if err != nil {
			return "", err
		}
		io.WriteString(sum, version)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
}

func golang(ctx context.Context, folder string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOOS=", "GOARCH=",
		// Memory for time: the compiler collects no garbage below that size, and takes a fifth less CPU.
		"GOGC=off", "GOMEMLIMIT=1500MiB")
	var output, complaint bytes.Buffer
	command.Stdout, command.Stderr = &output, &complaint
	err := command.Run()
	if ctx.Err() != nil {
		return "", errors.New("interrupted")
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		if len(lines) > 20 {
			lines = lines[len(lines)-20:]
		}
		return "", fmt.Errorf("go %s: %w: %s", arguments[0], err, strings.Join(lines, "\n"))
	}
	return strings.TrimSpace(output.String()), nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
