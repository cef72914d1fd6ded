// Command load simulates the CPU and memory usage of a test cluster's pods. tests/cluster/README.md
// describes it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/kube"
	"ballast.dev/tests/cluster/internal/load"
	"ballast.dev/tests/cluster/internal/pods"
)

const usage = `usage: load --kubeconfig FILE --via api|kwok [options] [--selector S LOAD]...

Simulates the load of pods until it is stopped: the ready pods of each selector share a total.
Prints one JSON line for each selector at the start, and one at each change. With --via api, it also
takes commands, as --steer does: POST /apis/metrics.k8s.io/v1beta1/steer to the API server.

  --via api            serve metrics.k8s.io: exact, at once; needs 'cluster up --metrics player'
  --via kwok           through kwok and metrics-server: as in a real cluster, 10 s to 40 s late
  --resolution TIME    how often the curve is sampled, at least 1s (default 1s; kwok: 5s)
  --steer              read commands from standard input, and stop at its end:
                       ` + load.Commands + `

For each selector (--namespace applies to the selectors after it):
  --namespace NAME     default: default
  --selector S         as in kubectl get -l
  --at CPU[:MEMORY]    a constant load: 2500m, 2.5:512Mi
  --curve POINTS       seconds:milliCPU[:MiB], straight between them: 0:500,60:2500:256
  --curve-file FILE    the same from a file, # begins a comment
  --cap CPU            the most that one pod can use
  --each               the load is that of each ready pod, not of all together
  --noise PERCENT      the CPU of each pod differs by up to that share, anew every 15 s
`

// errUsage marks an invalid command line.
var errUsage = errors.New("invalid arguments")

type options struct {
	kubeconfig, via string
	resolution      time.Duration
	steer           bool
	tracks          []*load.Track
}

func main() {
	err := run(os.Args[1:])
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "load: %v\n%s", err, usage)
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "load: %v\n", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	o, err := parse(arguments)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := kube.FromKubeconfig(o.kubeconfig)
	if err != nil {
		return err
	}
	store := pods.NewStore(client)
	lost, err := store.Follow(ctx)
	if err != nil {
		return err
	}
	player := load.NewPlayer(store, o.resolution, o.tracks)
	tell := func() error { return nil }
	if o.via == "api" {
		server, err := player.Serve(ctx, client)
		if err != nil {
			return err
		}
		defer server.Close()
	} else {
		annotator := load.Annotator{Client: client}
		tell = func() error {
			usages, _ := player.Sample()
			return annotator.Tell(ctx, usages)
		}
	}
	err = play(ctx, o, player, store.Changed(), lost, tell)
	if ctx.Err() != nil {
		return nil // stopped by a signal
	}
	return err
}

func play(ctx context.Context, o options, player *load.Player,
	changed <-chan struct{}, lost <-chan error, tell func() error) error {
	commands := make(chan string)
	if o.steer {
		go func() {
			defer close(commands)
			for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
				commands <- lines.Text()
			}
		}()
	}
	tick := time.NewTicker(o.resolution)
	defer tick.Stop()
	printed := map[string]load.Line{} // by namespace and selector
	for {
		if err := tell(); err != nil {
			return err
		}
		for _, line := range player.Lines() {
			before := printed[line.Namespace+" "+line.Selector]
			before.Time = line.Time
			if before != line {
				printed[line.Namespace+" "+line.Selector] = line
				if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
					return err
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-changed:
		case err := <-lost:
			return fmt.Errorf("the API server is gone: %w", err)
		case command, open := <-commands:
			if !open {
				return nil
			}
			// A mistyped command does not end the load.
			if err := player.Steer(command); err != nil {
				fmt.Fprintf(os.Stderr, "load: %v\n", err)
			}
		}
	}
}

func parse(arguments []string) (options, error) {
	var o options
	namespace := "default"
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(new(strings.Builder))
	flags.StringVar(&o.kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "")
	flags.StringVar(&o.via, "via", "", "")
	flags.DurationVar(&o.resolution, "resolution", 0, "")
	flags.BoolVar(&o.steer, "steer", false, "")
	flags.StringVar(&namespace, "namespace", namespace, "")
	flags.Func("selector", "", func(value string) error {
		track := &load.Track{Namespace: namespace, Selector: value}
		o.tracks = append(o.tracks, track)
		return track.Prepare()
	})
	// A track's options come after its selector.
	newest := func(set func(*load.Track, string) error) func(string) error {
		return func(value string) error {
			if len(o.tracks) == 0 {
				return errors.New("must come after its --selector")
			}
			return set(o.tracks[len(o.tracks)-1], value)
		}
	}
	ofTrack := func(name string, set func(*load.Track, string) error) {
		flags.Func(name, "", newest(set))
	}
	ofTrack("at", func(t *load.Track, value string) error {
		total, err := curve.ParseLoad(value)
		t.Curve = curve.Constant(total)
		return err
	})
	ofTrack("curve", func(t *load.Track, value string) (err error) {
		t.Curve, err = curve.Parse(value)
		return err
	})
	ofTrack("curve-file", func(t *load.Track, value string) error {
		text, err := os.ReadFile(value)
		if err != nil {
			return err
		}
		t.Curve, err = curve.Parse(string(text))
		return err
	})
	ofTrack("cap", func(t *load.Track, value string) error {
		limit, err := curve.ParseLoad(value)
		t.Cap = limit.CPU
		return err
	})
	flags.BoolFunc("each", "", newest(func(t *load.Track, _ string) error {
		t.Each = true
		return nil
	}))
	ofTrack("noise", func(t *load.Track, value string) error {
		percent, err := strconv.ParseFloat(value, 64)
		if err == nil && (percent < 0 || percent > 100) {
			err = errors.New("must be 0 to 100")
		}
		t.Noise = percent / 100
		return err
	})
	if err := flags.Parse(arguments); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, o.check()
}

func (o *options) check() error {
	if o.resolution == 0 {
		o.resolution = map[string]time.Duration{"api": time.Second, "kwok": 5 * time.Second}[o.via]
	}
	switch {
	case o.kubeconfig == "":
		return errors.New("--kubeconfig is missing")
	case o.via != "api" && o.via != "kwok":
		return errors.New("--via must be api or kwok")
	case o.resolution < time.Second:
		// Timestamps of metrics.k8s.io are whole seconds.
		return errors.New("--resolution must be at least 1s")
	case len(o.tracks) == 0 && o.via == "kwok":
		return errors.New("--selector is missing")
	}
	for _, track := range o.tracks {
		if track.Curve == nil {
			return fmt.Errorf("--selector %s has no load: --at, --curve or --curve-file", track.Selector)
		}
	}
	return nil
}
