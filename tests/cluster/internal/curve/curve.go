// Package curve describes how a total load changes over time.
package curve

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Load is an amount of CPU (in billionths of a core) and memory (in bytes).
type Load struct {
	CPU, Memory int64
}

// Curve is linear between its points, and constant before the first and after the last.
type Curve []Point

// Point is the load at a time after the start.
type Point struct {
	At   time.Duration
	Load Load
}

// Parse reads points "seconds:milliCPU[:MiB]", ordered by time, separated by white space or commas.
// # begins a comment, which ends with the line.
func Parse(text string) (Curve, error) {
	var curve Curve
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r", r) }) {
			point, err := parsePoint(word)
			if err != nil {
				return nil, err
			}
			if n := len(curve); n > 0 && point.At <= curve[n-1].At {
				return nil, fmt.Errorf("point %q: not later than the one before", word)
			}
			curve = append(curve, point)
		}
	}
	if len(curve) == 0 {
		return nil, fmt.Errorf("a curve needs at least one point")
	}
	return curve, nil
}

// Constant returns a curve with the same load at all times.
func Constant(load Load) Curve { return Curve{{Load: load}} }

// At returns the load at a time after the start.
func (c Curve) At(at time.Duration) Load {
	next := sort.Search(len(c), func(i int) bool { return c[i].At > at })
	if next == 0 {
		return c[0].Load
	}
	from := c[next-1]
	if next == len(c) {
		return from.Load
	}
	to := c[next]
	part := float64(at-from.At) / float64(to.At-from.At)
	return Load{
		CPU:    from.Load.CPU + int64(part*float64(to.Load.CPU-from.Load.CPU)),
		Memory: from.Load.Memory + int64(part*float64(to.Load.Memory-from.Load.Memory)),
	}
}

func parsePoint(word string) (Point, error) {
	parts := strings.Split(word, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Point{}, fmt.Errorf("point %q: must be seconds:milliCPU[:MiB]", word)
	}
	var values [3]float64
	for i, part := range parts {
		value, err := strconv.ParseFloat(part, 64)
		// Up to this limit a float64 has the values exactly, also as billionths and bytes.
		if err != nil || !(value >= 0 && value <= 1e9) {
			return Point{}, fmt.Errorf("point %q: %q is not a number from 0 to 1e9", word, part)
		}
		values[i] = value
	}
	return Point{
		At:   time.Duration(values[0] * float64(time.Second)),
		Load: Load{CPU: int64(values[1] * 1e6), Memory: int64(values[2] * (1 << 20))},
	}, nil
}
