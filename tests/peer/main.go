// Command peer runs Kubernetes' own HorizontalPodAutoscaler controller as a filter. README.md
// describes it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"ballast.dev/tests/peer/internal/peer"
	"ballast.dev/tests/peer/internal/snapshot"
)

const usage = `peer decide                       reads snapshots, prints decisions, one JSON line each
peer bench                        reads snapshots, prints the CPU time of a decision in microseconds
peer vectors                      reads vectors, prints them with upstream's decisions
peer vectors --seed S --count N --lives L
                                  the same for N random snapshots and L lives of 60 steps
`

// kubernetes is the version whose controller this is, "1.37"; ./peer sets it.
var kubernetes string

func main() {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	err := run(os.Args[1:], out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "peer: %v\n", err)
		os.Exit(1)
	}
}

func run(words []string, out io.Writer) error {
	if len(words) == 0 {
		words = []string{""}
	}
	flags := flag.NewFlagSet(words[0], flag.ExitOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	seed := flags.Uint64("seed", 1, "")
	count := flags.Uint64("count", 0, "")
	lives := flags.Uint64("lives", 0, "")
	flags.Parse(words[1:])
	switch words[0] {
	case "decide":
		return decide(os.Stdin, out)
	case "bench":
		return bench(os.Stdin, out)
	case "vectors":
		v := &vectors{peer: peer.New(), out: out}
		defer v.report()
		if *count == 0 && *lives == 0 {
			return eachLine(os.Stdin, v.renew)
		}
		return v.generate(*seed, *count, *lives)
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(2)
	return nil
}

func decide(in io.Reader, out io.Writer) error {
	p := peer.New()
	return eachLine(in, func(line []byte) error {
		var answer any
		s, err := snapshot.Parse(line)
		if err == nil {
			answer, err = p.Decide(s)
		}
		if err != nil {
			answer = map[string]string{"error": err.Error()}
		}
		return write(out, answer)
	})
}

func write(out io.Writer, value any) error {
	text, err := snapshot.Print(value)
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

func eachLine(in io.Reader, use func([]byte) error) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if err := use(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
