package load

import (
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/pods"
)

// A resolution so long that no sample is taken during a test.
const noSoonerThan = 1000 * time.Hour

func player(t *testing.T, resolution time.Duration) *Player {
	t.Helper()
	track := &Track{Namespace: "shop", Selector: "app=web", Curve: curve.Constant(curve.Load{CPU: 100e6})}
	if err := track.Prepare(); err != nil {
		t.Fatal(err)
	}
	return NewPlayer(pods.NewStore(nil), resolution, []*Track{track})
}

func TestTotalCountsAtOnceOrFromTheNextSampleOn(t *testing.T) {
	for _, test := range []struct {
		commands  []string
		now, then int64 // thousandths of a core
	}{
		{nil, 100, 100},
		{[]string{"total app=web 200m"}, 200, 200},
		{[]string{"next total app=web 200m"}, 100, 200},
		{[]string{"next total 200m"}, 100, 200},
		{[]string{"total 300m", "next total 200m"}, 300, 200},
		{[]string{"next total 200m", "next total 400m"}, 100, 400},
		{[]string{"next total 200m", "total 300m"}, 300, 300},
	} {
		p := player(t, noSoonerThan)
		for _, command := range test.commands {
			if err := p.Steer(command); err != nil {
				t.Fatal(err)
			}
		}
		at := p.sampleTime()
		now, then := p.total(p.tracks[0], at).CPU/1e6, p.total(p.tracks[0], at.Add(noSoonerThan)).CPU/1e6
		if now != test.now || then != test.then {
			t.Errorf("%q: %d, then %d", test.commands, now, then)
		}
	}
}

func TestSamplesAreAligned(t *testing.T) {
	const resolution = 7 * time.Second
	for command, sampled := range map[string]time.Time{
		"align 1800000007.25": time.UnixMilli(1800000007250),
		"align 1800000000":    time.Unix(1800000000, 0),
		"align 0.001":         time.UnixMilli(1),
	} {
		p := player(t, resolution)
		if err := p.Steer(command); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		at := p.sampleTime()
		if at.After(time.Now()) || !at.Add(resolution).After(before) {
			t.Errorf("%q: at %v the last sample is of %v", command, before, at)
		}
		if rest := at.Sub(sampled) % resolution; rest != 0 {
			t.Errorf("%q: %v beside it", command, rest)
		}
	}
}

func TestRefusesWhatIsNoCommand(t *testing.T) {
	for _, command := range []string{"", "total", "next 200m", "next total", "next total app=db 200m", "align", "align now",
		"align -1", "align NaN", "align 1e300", "next drop shop"} {
		if player(t, time.Second).Steer(command) == nil {
			t.Errorf("%q is taken", command)
		}
	}
}
