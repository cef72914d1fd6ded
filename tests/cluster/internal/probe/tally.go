// Package probe asks whether a container is alive and ready, as the kubelet does.
package probe

import (
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

// Tally turns a probe's answers into its verdict: the thresholds count answers in a row.
type Tally struct {
	// How many in a row change the verdict.
	Successes, Failures int
	last                bool
	run                 int
}

// Count counts an answer. decided: enough in a row were like it, so that it is the verdict.
func (t *Tally) Count(answer bool) (decided bool) {
	if t.run > 0 && answer == t.last {
		t.run++
	} else {
		t.last, t.run = answer, 1
	}
	if answer {
		return t.run >= t.Successes
	}
	return t.run >= t.Failures
}

// Settings are a probe's, with the API's defaults.
type Settings struct {
	Delay, Period, Timeout time.Duration
	Tally                  Tally
}

// Of returns the settings of a probe.
func Of(p core.Probe) Settings {
	seconds := func(value, otherwise int) time.Duration {
		return time.Duration(or(value, otherwise)) * time.Second
	}
	return Settings{
		Delay: seconds(p.InitialDelaySeconds, 0), Period: seconds(p.PeriodSeconds, 10),
		Timeout: seconds(p.TimeoutSeconds, 1),
		Tally:   Tally{Successes: or(p.SuccessThreshold, 1), Failures: or(p.FailureThreshold, 3)},
	}
}

func or(value, otherwise int) int {
	if value == 0 {
		return otherwise
	}
	return value
}
