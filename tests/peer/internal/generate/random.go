// Package generate generates random snapshots: valid ones and unusual ones, with many edge cases.
//
// The same seed and number always give the same snapshot. No snapshot depends on another, except
// within a life.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

type object = map[string]any
type list = []any

type random struct{ *rand.Rand }

func newRandom(seed, number uint64) random {
	return random{rand.New(rand.NewPCG(seed, number))}
}

func (r random) percent(chance int) bool { return r.IntN(100) < chance }

// between returns a number from low to high, both included.
func (r random) between(low, high int) int { return low + r.IntN(high-low+1) }

func pick[T any](r random, from ...T) T { return from[r.IntN(len(from))] }

// quantity returns thousandths in one of the formats that Kubernetes accepts; some formats add or
// subtract less than one thousandth.
func (r random) quantity(milli int64) string {
	switch r.IntN(10) {
	case 0:
		return fmt.Sprintf("%du", milli*1000-int64(r.IntN(1000))*int64(min(milli, 1)))
	case 1:
		return fmt.Sprintf("%dn", milli*1_000_000+int64(r.between(-999_999, 999_999)))
	case 2:
		return fmt.Sprintf("%d.%03d", milli/1000, max(milli, -milli)%1000)
	case 3:
		return fmt.Sprintf("%de-3", milli)
	case 4:
		if milli%1000 == 0 {
			return fmt.Sprint(milli / 1000)
		}
	case 5:
		if milli%1_000_000 == 0 {
			return fmt.Sprintf("%dk", milli/1_000_000)
		}
	}
	return fmt.Sprintf("%dm", milli)
}

// oddQuantity returns an unusual quantity: zero, negative, huge, tiny or not canonical.
func (r random) oddQuantity() string {
	return pick(r, "0", "0m", "-0", "1n", "-1n", "1u", "-1", "-250m", "0.5", ".5", "1e3", "1E", "1Ei", "7Ei", "8Ei", "100P",
		"9223372036854775807", "9223372036854775807m", "9223372036854775.807", "9223372036854775808", "-9223372036854775808",
		"9223372036854775807n", "92233720368547758070", "1e18", "1e19", "1e30", "-1e30", "0.0000000001", "1.0000000001",
		"123456789012345678", "999999999999999999m", "4611686018427387904m", "12345678.9Ki", "1.5Gi", "0.1Ki", "1e-9", "1e-12",
		"+5", "00012", "1000000m", "2147483647", "2147483648", "4294967296")
}

// around returns a duration, often exactly one of the edges, or just below or above it.
func (r random) around(edges ...time.Duration) time.Duration {
	edge := pick(r, edges...)
	switch r.IntN(8) {
	case 0:
		return edge
	case 1:
		return edge + time.Nanosecond
	case 2:
		return edge - time.Nanosecond
	case 3:
		return edge + time.Second
	case 4:
		return edge - time.Second
	case 5:
		return edge + time.Duration(r.Int64N(int64(2*time.Minute)))
	case 6:
		return time.Duration(r.Int64N(int64(edge + time.Second)))
	}
	return time.Duration(r.Int64N(int64(time.Hour)))
}

func text(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func seconds(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// soup joins random words of a language without regard to its grammar.
func (r random) soup(length int, words ...string) string {
	var out strings.Builder
	for range r.between(1, length) {
		out.WriteString(pick(r, words...))
	}
	return out.String()
}
