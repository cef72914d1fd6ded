package selector

import "testing"

func TestMatches(t *testing.T) {
	labels := map[string]string{"app": "web", "tier": "front", "empty": ""}
	for text, want := range map[string]bool{
		"":                                 true,
		"app=web":                          true,
		"app==web":                         true,
		"app = web , tier=front":           true,
		"app=web,tier=back":                false,
		"app!=web":                         false,
		"app!=db":                          true,
		"other!=x":                         true,
		"app in (db, web)":                 true,
		"app in (db),tier":                 false,
		"app notin (db,cache),tier=front":  true,
		"app notin (web)":                  false,
		"other notin (web)":                true,
		"other in (web)":                   false,
		"tier":                             true,
		"other":                            false,
		"!other":                           true,
		"!tier":                            false,
		"empty=":                           true,
		"app.kubernetes.io/name notin (x)": true,
	} {
		selector, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := selector.Matches(labels); got != want {
			t.Errorf("%q matches: %v", text, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"=web", ",", "app web", "app in web)", "app within (web)", "app in (web", "!", "a=b,"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
