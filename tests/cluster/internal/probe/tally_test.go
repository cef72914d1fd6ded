package probe

import (
	"testing"
	"time"

	"ballast.dev/tests/cluster/internal/core"
)

func TestTally(t *testing.T) {
	// Each letter is an answer and what it decides: s or f undecided, S or F decided.
	for name, row := range map[string]struct {
		successes, failures int
		answers             string
	}{
		"one of each decides":             {1, 1, "SFSSF"},
		"three failures in a row":         {1, 3, "ffFFSff"},
		"a success begins the row anew":   {1, 3, "ffSffSffF"},
		"two successes in a row":          {2, 1, "sSFsFsSS"},
		"the first failures are counted":  {1, 2, "fFF"},
		"the first successes are counted": {3, 2, "ssfssfF"},
	} {
		t.Run(name, func(t *testing.T) {
			tally := Tally{Successes: row.successes, Failures: row.failures}
			for i, letter := range row.answers {
				answer := letter == 's' || letter == 'S'
				wanted := letter == 'S' || letter == 'F'
				if decided := tally.Count(answer); decided != wanted {
					t.Fatalf("answer %d of %s: decided is %v", i, row.answers, decided)
				}
			}
		})
	}
}

func TestSettingsHaveTheDefaultsOfTheAPI(t *testing.T) {
	settings := Of(core.Probe{PeriodSeconds: 2})
	wanted := Settings{Period: 2 * time.Second, Timeout: time.Second, Tally: Tally{Successes: 1, Failures: 3}}
	if settings != wanted {
		t.Errorf("settings are %+v", settings)
	}
}
