package build

import (
	"fmt"
	"time"
)

// usual is how long each program took, in the order of a first build on two cores. Only the
// proportions matter once one is built.
var usual = map[string]time.Duration{
	"etcd":                    47 * time.Second,
	"kube-apiserver":          233 * time.Second,
	"kube-controller-manager": 54 * time.Second,
	"kubectl":                 19 * time.Second,
	kwok:                      73 * time.Second,
	metricsServer:             57 * time.Second,
	"helm":                    20 * time.Second,
	prometheusAdapter:         90 * time.Second,
	promLabelProxy:            12 * time.Second,
	helm4:                     40 * time.Second,
}

// estimate says how much of a build is left: the usual time of what is left, by the speed so far.
type estimate struct {
	left  time.Duration // usually, with the program that is being built
	done  time.Duration // usually, of what was built in this run
	spent time.Duration // really
}

func (e *estimate) built(name string, took time.Duration) {
	e.left -= usual[name]
	e.done += usual[name]
	e.spent += took
}

// remaining returns how long it will still take, when the present program has been built for `running`.
func (e estimate) remaining(running time.Duration) time.Duration {
	left := e.left
	if e.done > 0 {
		left = time.Duration(float64(left) * float64(e.spent) / float64(e.done))
	}
	return max(left-running, 0)
}

// inWords rounds to what can be promised.
func inWords(span time.Duration) string {
	if minutes := int((span + time.Minute/2) / time.Minute); minutes > 1 {
		return fmt.Sprintf("about %d minutes remain", minutes)
	}
	return "about a minute remains"
}
