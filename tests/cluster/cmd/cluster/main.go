// Command cluster starts a Kubernetes control plane on loopback, reports its status and stops it.
// tests/cluster/README.md describes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"ballast.dev/tests/cluster/internal/build"
	"ballast.dev/tests/cluster/internal/cluster"
	"ballast.dev/tests/cluster/internal/process"
)

const usage = `usage: cluster up DIR [options] | down DIR | status DIR | build [options]

up      build missing programs, start a control plane, return when pods can run
  --metrics real|player|steered
                              metrics.k8s.io from metrics-server (default), from a 'load --via api' that the
                              caller runs, or from one that is part of the cluster and takes commands
  --kwok                      let kwok play the kubelet, as with real metrics: it can serve kubectl exec
  --prometheus-adapter        build it too; the caller runs DIR/bin/prometheus-adapter
  --prom-label-proxy          likewise DIR/bin/prom-label-proxy
  --helm4                     likewise DIR/bin/helm4
  --hpa-controller            run Kubernetes' own HPA controller too, every 2 s
  --kubernetes VERSION        that of a folder modules/kubernetes-VERSION (default: modules/kubernetes)
  --audit-accounts            log all requests of service accounts but the control plane's own in audit.log
  --nodes N                   the number of nodes: node-0, node-1, ... (default 1)
  --parent-pid PID            stop the cluster when this process has ended
  --flag COMPONENT=FLAG       one more flag for etcd, kube-apiserver, kube-controller-manager, kwok
                              or metrics-server (repeatable)
down    stop all processes; remove everything but logs/, audit.log and lock
status  print what runs; exit with status 1 if something does not
build   only build the programs that up needs with these options

Exit status: 0: done; 1: failed; 2: invalid arguments; 77: this Go cannot build the programs.
`

// errUsage marks an invalid command line.
var errUsage = errors.New("invalid arguments")

func main() {
	switch err := run(os.Args[1:]); {
	case err == nil:
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "cluster: %v\n%s", err, usage)
		os.Exit(2)
	case errors.Is(err, build.ErrGo):
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		os.Exit(77)
	default:
		fmt.Fprintf(os.Stderr, "cluster: %v\n", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	source := os.Getenv("BALLAST_CLUSTER_SOURCE")
	if len(arguments) > 0 && arguments[0] == "build" {
		options, err := parse("up", arguments[1:])
		if err != nil {
			return err
		}
		ctx, stop := interruptible()
		defer stop()
		cache, err := build.CacheFolder()
		if err != nil {
			return err
		}
		_, err = build.Programs(ctx, source, cache, options.Wanted, os.Stderr)
		return err
	}
	if len(arguments) < 2 {
		return fmt.Errorf("%w: a command and a folder are needed", errUsage)
	}
	command, dir, rest := arguments[0], arguments[1], arguments[2:]
	if strings.HasPrefix(dir, "-") {
		return fmt.Errorf("%w: the folder comes before the options", errUsage)
	}
	options, err := parse(command, rest)
	if err != nil {
		return err
	}
	c, err := cluster.New(dir, os.Stderr)
	if err != nil {
		return err
	}
	switch command {
	case "up":
		ctx, stop := interruptible()
		defer stop()
		return c.Up(ctx, source, options)
	case "down":
		return c.Down()
	case "status":
		return c.Status(os.Stdout)
	}
	// "watch": up with --parent-pid starts another process with this command.
	pid, err := strconv.Atoi(rest[0])
	if err != nil {
		return err
	}
	return c.Watch(process.ID{PID: pid, Start: rest[1]})
}

// interruptible returns a context that SIGINT and SIGTERM cancel, so that commands that take long
// can clean up. The other commands are simply killed by a signal.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}

func parse(command string, arguments []string) (cluster.Options, error) {
	options := cluster.Options{Wanted: build.Wanted{MetricsServer: true}, Nodes: 1, Flags: map[string][]string{}}
	switch {
	case command == "watch" && len(arguments) == 2:
		return options, nil
	case (command == "down" || command == "status") && len(arguments) == 0:
		return options, nil
	case command != "up":
		return options, fmt.Errorf("%w: %s %s", errUsage, command, strings.Join(arguments, " "))
	}
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.SetOutput(new(strings.Builder))
	flags.IntVar(&options.Nodes, "nodes", 1, "")
	flags.BoolVar(&options.HPAController, "hpa-controller", false, "")
	flags.BoolVar(&options.AuditAccounts, "audit-accounts", false, "")
	flags.BoolVar(&options.PrometheusAdapter, "prometheus-adapter", false, "")
	flags.BoolVar(&options.PromLabelProxy, "prom-label-proxy", false, "")
	flags.BoolVar(&options.Helm4, "helm4", false, "")
	flags.StringVar(&options.Kubernetes, "kubernetes", "", "")
	flags.IntVar(&options.ParentPID, "parent-pid", 0, "")
	kwok := flags.Bool("kwok", false, "")
	flags.Func("metrics", "", func(value string) error {
		options.MetricsServer, options.Player = value == "real", value == "steered"
		if value != "real" && value != "player" && value != "steered" {
			return errors.New("must be real, player or steered")
		}
		return nil
	})
	flags.Func("flag", "", func(value string) error {
		component, flag, found := strings.Cut(value, "=")
		if !found || !strings.HasPrefix(flag, "--") {
			return errors.New("must be COMPONENT=--FLAG")
		}
		options.Flags[component] = append(options.Flags[component], flag)
		return nil
	})
	err := flags.Parse(arguments)
	options.Kwok = *kwok || options.MetricsServer
	switch {
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && options.Nodes < 1:
		err = errors.New("--nodes must be at least 1")
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", errUsage, err)
	}
	return options, err
}
