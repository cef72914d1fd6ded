// Command agent runs the containers of pods as processes. tests/cluster/README.md describes it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ballast.dev/tests/cluster/internal/agent"
	"ballast.dev/tests/cluster/internal/container"
	"ballast.dev/tests/cluster/internal/kube"
)

const usage = `usage: agent --kubeconfig FILE --folder DIR --image ARCHIVE [--image ARCHIVE]... [options]

A small kubelet: registers nodes, binds pods that name no node, and runs their containers as processes
until it is stopped, which ends them. Lets the addresses of Services lead to their endpoints. Needs root
in a network namespace of its own, in which the control plane runs too (unshare --net). Prints a line
when pods can run, and says on standard error what becomes of each.

  --folder DIR      for everything that it keeps; it must not exist yet
  --image ARCHIVE   an image with its names, as docker save and make image write it
  --node NAME       a node's name (default agent-0); repeat it for several
`

// errUsage marks an invalid command line.
var errUsage = errors.New("invalid arguments")

func main() {
	container.Inside()
	err := run(os.Args[1:])
	switch {
	case err == nil:
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "agent: %v\n%s", err, usage)
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "agent: %v\n", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	options, kubeconfig, err := parse(arguments)
	if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if err := isolated(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	client, err := kube.FromKubeconfig(kubeconfig)
	if err != nil {
		return err
	}
	options.Server = strings.TrimPrefix(client.Server(), "https://")
	if err := os.Mkdir(options.Folder, 0o755); err != nil {
		return err
	}
	return agent.Run(ctx, client, options, func() { fmt.Println("ready") })
}

// isolated fails in a network that leads anywhere: the agent changes addresses and routes.
func isolated() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, each := range interfaces {
		if each.Flags&net.FlagLoopback == 0 && each.Flags&net.FlagUp != 0 {
			return fmt.Errorf("this network has an interface %s; start the control plane and the agent by unshare --net", each.Name)
		}
	}
	return nil
}

func parse(arguments []string) (options agent.Options, kubeconfig string, err error) {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(new(strings.Builder))
	flags.StringVar(&kubeconfig, "kubeconfig", os.Getenv("KUBECONFIG"), "")
	flags.StringVar(&options.Folder, "folder", "", "")
	list := func(name string, to *[]string) {
		flags.Func(name, "", func(value string) error {
			*to = append(*to, value)
			return nil
		})
	}
	list("image", &options.Images)
	list("node", &options.Nodes)
	err = flags.Parse(arguments)
	switch {
	case err != nil:
	case flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case kubeconfig == "":
		err = errors.New("--kubeconfig is missing")
	case options.Folder == "":
		err = errors.New("--folder is missing")
	}
	if len(options.Nodes) == 0 {
		options.Nodes = []string{"agent-0"}
	}
	return options, kubeconfig, err
}
