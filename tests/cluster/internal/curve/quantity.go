package curve

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseLoad reads "CPU[:MEMORY]" as Kubernetes writes quantities: "2500m", "2.5:512Mi".
func ParseLoad(text string) (Load, error) {
	cpu, memory, both := strings.Cut(text, ":")
	var load Load
	var err error
	if load.CPU, err = parse(cpu, 1e9); err == nil && both {
		load.Memory, err = parse(memory, 1)
	}
	return load, err
}

var suffixes = []struct {
	suffix string
	factor float64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"", 1},
}

// parse returns a quantity as a multiple of 1/parts.
func parse(text string, parts float64) (int64, error) {
	for _, s := range suffixes {
		if number, found := strings.CutSuffix(text, s.suffix); found {
			value, err := strconv.ParseFloat(number, 64)
			if value = value * s.factor * parts; err == nil && value >= 0 && value < 1e18 {
				return int64(value + 0.5), nil
			}
			break
		}
	}
	return 0, fmt.Errorf("%q is not a quantity like 2500m, 2.5 or 512Mi", text)
}
