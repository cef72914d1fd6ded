package load

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
	offset     atomic.Int64  // nanoseconds from a multiple of the resolution to the next sample
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

// Commands are those of Steer, for who writes them.
const Commands = `"[next] total [SELECTOR] CPU[:MEMORY]", "play NAMESPACE SELECTOR CPU[:MEMORY]", ` +
	`"drop NAMESPACE" or "align SECONDS"`

// Steer executes a command. `total` makes the load of the first track with this selector constant from
// now on; without a selector, of the first track; `next`: from the next sample on. `play` does that for
// the track of this namespace and selector, and adds it if there is none. `drop` removes all tracks of
// the namespace. `align` lets a sample be taken at that time, in seconds since 1970, and all others a
// whole number of resolutions before or after it.
func (p *Player) Steer(command string) error {
	words := strings.Fields(command)
	switch {
	case len(words) == 2 && words[0] == "drop":
		p.drop(words[1])
		return nil
	case len(words) == 4 && words[0] == "play":
		return p.play(words[1], words[2], words[3])
	case len(words) == 2 && words[0] == "align":
		return p.align(words[1])
	case (len(words) == 2 || len(words) == 3) && words[0] == "total":
		return p.setTotal(words[1:len(words)-1], words[len(words)-1], false)
	case (len(words) == 3 || len(words) == 4) && words[0] == "next" && words[1] == "total":
		return p.setTotal(words[2:len(words)-1], words[len(words)-1], true)
	}
	return fmt.Errorf("%q is not %s", command, Commands)
}

// setTotal is for the first track of the selector, if there is one, else for the first of all.
func (p *Player) setTotal(selector []string, text string, next bool) error {
	total, err := curve.ParseLoad(text)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, track := range p.tracks {
		if len(selector) == 0 || track.Selector == selector[0] {
			if next {
				at := p.sampleTime()
				from := at.Add(p.resolution).Sub(p.started)
				track.Curve = curve.Curve{{At: from - 1, Load: p.total(track, at)}, {At: from, Load: total}}
			} else {
				track.Curve = curve.Constant(total)
				p.sample = sample{}
			}
			return nil
		}
	}
	return fmt.Errorf("no load has the selector %q", selector)
}

func (p *Player) play(namespace, selector, text string) error {
	total, err := curve.ParseLoad(text)
	if err != nil {
		return err
	}
	track := &Track{Namespace: namespace, Selector: selector, Curve: curve.Constant(total)}
	if err := track.Prepare(); err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sample = sample{}
	for i, before := range p.tracks {
		if before.Namespace == namespace && before.Selector == selector {
			p.tracks[i] = track
			return nil
		}
	}
	p.tracks = append(p.tracks, track)
	return nil
}

func (p *Player) drop(namespace string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.sample = sample{}
	p.tracks = slices.DeleteFunc(p.tracks, func(track *Track) bool { return track.Namespace == namespace })
}

func (p *Player) align(text string) error {
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds <= 1e10) {
		return fmt.Errorf("%q are no seconds since 1970", text)
	}
	at := time.UnixMilli(int64(math.Round(seconds * 1e3)))
	p.offset.Store(int64(at.Sub(at.Truncate(p.resolution))))
	return nil
}

// sampleTime returns the last multiple of the resolution, or what it was aligned to. Values change only then, as if
// scraped.
func (p *Player) sampleTime() time.Time {
	offset := time.Duration(p.offset.Load())
	return time.Now().Add(-offset).Truncate(p.resolution).Add(offset)
}

func (p *Player) total(track *Track, at time.Time) curve.Load {
	return track.Curve.At(at.Sub(p.started))
}
