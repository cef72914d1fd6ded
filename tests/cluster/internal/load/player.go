package load

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ballast.dev/tests/cluster/internal/curve"
	"ballast.dev/tests/cluster/internal/pods"
)

// Player plays tracks on the pods of a store; safe for concurrent use.
type Player struct {
	store      *pods.Store
	resolution time.Duration
	started    time.Time
	answered   atomic.Uint64 // requests for metrics
	mutex      sync.Mutex
	tracks     []*Track // guarded by mutex
	sample     sample   // guarded by mutex
}

// sample is what each pod uses at a time, kept because many clients ask between two changes.
type sample struct {
	at     time.Time
	pods   uint64 // the store's version
	usages []Usage
}

// Line is what the player prints when a load changes. CPU is in thousandths of a core.
type Line struct {
	Time      string  `json:"time"`
	Namespace string  `json:"namespace"`
	Selector  string  `json:"selector"`
	CPU       float64 `json:"cpuMilli"`
	Memory    float64 `json:"memoryMi"`
	Ready     int     `json:"readyPods"`
	PodCPU    float64 `json:"podCpuMilli"`
}

// NewPlayer starts all curves at the time of the current sample, so that every later sample is a
// whole number of resolutions after the start.
func NewPlayer(store *pods.Store, resolution time.Duration, tracks []*Track) *Player {
	p := &Player{store: store, resolution: resolution, tracks: tracks}
	p.started = p.sampleTime()
	return p
}

// Sample returns what each pod uses, and the time at which the sample was taken.
func (p *Player) Sample() ([]Usage, time.Time) {
	at := p.sampleTime()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if version := p.store.Version(); !p.sample.at.Equal(at) || p.sample.pods != version {
		all := p.store.List()
		p.sample = sample{at: at, pods: version}
		for _, track := range p.tracks {
			of, _ := track.usages(p.total(track, at), all, at)
			p.sample.usages = append(p.sample.usages, of...)
		}
	}
	return p.sample.usages, at
}

// Lines returns the current load of each track.
func (p *Player) Lines() []Line {
	at := p.sampleTime()
	all := p.store.List()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	lines := make([]Line, len(p.tracks))
	for i, track := range p.tracks {
		total := p.total(track, at)
		usages, ready := track.usages(total, all, at)
		lines[i] = Line{
			Time: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), Namespace: track.Namespace,
			Selector: track.Selector, CPU: float64(total.CPU) / 1e6, Memory: float64(total.Memory) / (1 << 20),
			Ready: ready,
		}
		for _, usage := range usages {
			if usage.Pod.Ready {
				lines[i].PodCPU = float64(usage.Load.CPU/1e3) / 1e3
				break
			}
		}
	}
	return lines
}

// Steer executes the command "total [SELECTOR] CPU[:MEMORY]": it makes the load of the first track
// with this selector constant from now on. Without a selector, it is the first track.
func (p *Player) Steer(command string) error {
	words := strings.Fields(command)
	if len(words) < 2 || len(words) > 3 || words[0] != "total" {
		return fmt.Errorf("%q is not \"total [SELECTOR] CPU[:MEMORY]\"", command)
	}
	load, err := curve.ParseLoad(words[len(words)-1])
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, track := range p.tracks {
		if len(words) == 2 || track.Selector == words[1] {
			track.Curve = curve.Constant(load)
			p.sample = sample{}
			return nil
		}
	}
	return fmt.Errorf("no load has the selector %q", words[1])
}

// sampleTime returns the last multiple of the resolution. Values change only then, as if scraped.
func (p *Player) sampleTime() time.Time { return time.Now().Truncate(p.resolution) }

func (p *Player) total(track *Track, at time.Time) curve.Load {
	return track.Curve.At(at.Sub(p.started))
}
