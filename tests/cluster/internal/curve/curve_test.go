package curve

import (
	"testing"
	"time"
)

func TestAt(t *testing.T) {
	curve, err := Parse("10:1000:100, 20:2000 # rises\n20.5:2000\n30:0")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		seconds    float64
		milli, mib int64
	}{
		{0, 1000, 100}, {10, 1000, 100}, {15, 1500, 50}, {20, 2000, 0}, {20.2, 2000, 0}, {30, 0, 0}, {99, 0, 0},
	} {
		want := Load{CPU: test.milli * 1e6, Memory: test.mib << 20}
		if got := curve.At(time.Duration(test.seconds * float64(time.Second))); got != want {
			t.Errorf("at %v s: %v, not %v", test.seconds, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "# nothing", "1", "1:2:3:4", "a:1", "1:-1", "1:NaN", "1:2000000000", "2:1,1:1", "1:1 1:1"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestParseLoad(t *testing.T) {
	for _, test := range []struct {
		text string
		want Load
	}{
		{"0", Load{}},
		{"2500m", Load{CPU: 2500e6}},
		{"2.5:512Mi", Load{CPU: 2500e6, Memory: 512 << 20}},
		{"1n:1k", Load{CPU: 1, Memory: 1000}},
		{"1:1.5Gi", Load{CPU: 1e9, Memory: 3 << 29}},
	} {
		if got, err := ParseLoad(test.text); err != nil || got != test.want {
			t.Errorf("%q is %v (%v), not %v", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"", "m", "-1", "1:", ":1", "1x", "1e30", "NaN", "1:2:3"} {
		if got, err := ParseLoad(text); err == nil {
			t.Errorf("%q is taken as %v", text, got)
		}
	}
}
