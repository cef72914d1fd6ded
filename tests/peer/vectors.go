package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"ballast.dev/tests/peer/internal/generate"
	"ballast.dev/tests/peer/internal/peer"
	"ballast.dev/tests/peer/internal/snapshot"
)

// vectors prints snapshots with upstream's decisions, under the rules of its version. It only counts those
// that upstream rejects.
type vectors struct {
	peer    *peer.Peer
	out     io.Writer
	refused int
	reason  error
}

type vector struct {
	ID       string             `json:"id"`
	Snapshot json.RawMessage    `json:"snapshot"`
	Expected *snapshot.Decision `json:"expected"`
}

// renew adds a vector's snapshot, with a new decision.
func (v *vectors) renew(line []byte) error {
	var old vector
	if err := json.Unmarshal(line, &old); err != nil {
		return err
	}
	_, err := v.add(old.Snapshot)
	return err
}

// add returns nil for a snapshot that upstream rejects.
func (v *vectors) add(line []byte) (*snapshot.Decision, error) {
	s, err := snapshot.Parse(line)
	var decision *snapshot.Decision
	if err == nil {
		decision, err = v.peer.Decide(s)
	}
	if err == nil {
		line, err = ofVersion(line)
	}
	if err != nil {
		v.refused, v.reason = v.refused+1, fmt.Errorf("%s: %w", s.ID, err)
		return nil, nil
	}
	return decision, write(v.out, vector{s.ID, line, decision})
}

// ofVersion returns the snapshot with settings that say whose rules apply.
func ofVersion(line []byte) ([]byte, error) {
	var object, settings map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return nil, err
	}
	if given, ok := object["settings"]; ok {
		if err := json.Unmarshal(given, &settings); err != nil {
			return nil, err
		}
	}
	if settings == nil {
		settings = map[string]json.RawMessage{}
	}
	settings["kubernetesVersion"] = json.RawMessage(strconv.Quote(kubernetes))
	text, err := snapshot.Print(settings)
	if err != nil {
		return nil, err
	}
	object["settings"] = text
	return snapshot.Print(object)
}

func (v *vectors) generate(seed, count, lives uint64) error {
	for number := range count {
		if _, err := v.addObject(generate.Snapshot(seed, number)); err != nil {
			return err
		}
	}
	for number := range lives {
		life := generate.NewLife(seed, number)
		for range 60 {
			decision, err := v.addObject(life.Next())
			if err != nil {
				return err
			}
			if decision == nil {
				break
			}
			life.Live(decision)
		}
	}
	return nil
}

func (v *vectors) addObject(object map[string]any) (*snapshot.Decision, error) {
	line, err := snapshot.Print(object)
	if err != nil {
		return nil, err
	}
	return v.add(line)
}

func (v *vectors) report() {
	if v.refused > 0 {
		fmt.Fprintf(os.Stderr, "peer: upstream rejects %d snapshots (%v)\n", v.refused, v.reason)
	}
}
