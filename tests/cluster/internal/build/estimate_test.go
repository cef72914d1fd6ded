package build

import (
	"testing"
	"time"
)

func TestEstimate(t *testing.T) {
	left := estimate{left: usual["etcd"] + usual["kube-apiserver"]}
	if got, want := inWords(left.remaining(0)), "about 5 minutes remain"; got != want {
		t.Errorf("at the start: %q instead of %q", got, want)
	}
	left.built("etcd", 2*usual["etcd"])
	if got, want := left.remaining(time.Minute), 2*usual["kube-apiserver"]-time.Minute; got != want {
		t.Errorf("at half the speed: %v instead of %v", got, want)
	}
	if got, want := inWords(left.remaining(time.Hour)), "about a minute remains"; got != want {
		t.Errorf("when it takes longer than usual: %q instead of %q", got, want)
	}
}

func TestEachProgramHasAnEstimate(t *testing.T) {
	for _, p := range programs {
		if usual[p.name] == 0 {
			t.Errorf("%s has none", p.name)
		}
	}
}
