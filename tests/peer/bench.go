package main

import (
	"fmt"
	"io"
	"sort"
	"syscall"
	"time"

	"ballast.dev/tests/peer/internal/peer"
	"ballast.dev/tests/peer/internal/snapshot"
)

const rounds = 9

// bench prints the CPU time of a decision in microseconds, without reading and printing: the median
// of several rounds over all snapshots.
func bench(in io.Reader, out io.Writer) error {
	var snapshots []*snapshot.Snapshot
	err := eachLine(in, func(line []byte) error {
		s, err := snapshot.Parse(line)
		snapshots = append(snapshots, s)
		return err
	})
	if err != nil {
		return err
	}
	p := peer.New()
	var measured []float64
	for range rounds {
		before := cpu()
		for _, s := range snapshots {
			if _, err := p.Decide(s); err != nil {
				return err
			}
		}
		used := cpu() - before
		measured = append(measured, float64(used.Nanoseconds())/1e3/float64(len(snapshots)))
	}
	sort.Float64s(measured)
	_, err = fmt.Fprintf(out, "%.1f\n", measured[rounds/2])
	return err
}

// cpu returns the CPU time that all threads of this process have used so far.
func cpu() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
