package container

import (
	"fmt"
	"testing"
)

func TestCapabilities(t *testing.T) {
	all := []string{"ALL"}
	for _, row := range []struct {
		add, drop []string
		wanted    string
	}{
		{nil, nil, "[0 1 3 4 5 6 7 8 10 13 18 27 29 31]"},
		{nil, all, "[]"},
		{[]string{"NET_BIND_SERVICE", "CAP_SYS_TIME"}, all, "[10 25]"},
		{nil, []string{"chown", "NET_RAW"}, "[1 3 4 5 6 7 8 10 18 27 29 31]"},
	} {
		got, err := Capabilities(row.add, row.drop)
		if err != nil || fmt.Sprint(got) != row.wanted {
			t.Errorf("add %v, drop %v: %v, %v", row.add, row.drop, got, err)
		}
	}
	if got, err := Capabilities(all, all); err != nil || len(got) != len(capabilities) {
		t.Errorf("all: %v, %v", got, err)
	}
	if _, err := Capabilities([]string{"FLY"}, nil); err == nil {
		t.Error("an unknown capability was taken")
	}
}
