// Package selector matches labels as the labelSelector parameter of the Kubernetes API does.
package selector

import (
	"fmt"
	"strings"
)

// Selector is a list of requirements that must all be met; an empty list matches everything.
type Selector []requirement

type requirement struct {
	key    string
	values map[string]bool // nil: any value
	not    bool            // met when the label is missing or its value is not among values
}

// Parse reads requirements separated by commas: k=v, k==v, k!=v, k in (a,b), k notin (a,b), k, !k.
func Parse(text string) (Selector, error) {
	var selector Selector
	for _, part := range split(text) {
		r, err := parseRequirement(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("selector %q: %w", text, err)
		}
		selector = append(selector, r)
	}
	return selector, nil
}

// Matches reports whether it selects an object with these labels.
func (s Selector) Matches(labels map[string]string) bool {
	for _, r := range s {
		value, present := labels[r.key]
		if met := present && (r.values == nil || r.values[value]); met == r.not {
			return false
		}
	}
	return true
}

// split splits a text at the commas that are outside parentheses.
func split(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var parts []string
	begin, depth := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

func parseRequirement(text string) (requirement, error) {
	if list, found := strings.CutSuffix(text, ")"); found {
		head, list, _ := strings.Cut(list, "(")
		words := strings.Fields(head)
		if len(words) != 2 || (words[1] != "in" && words[1] != "notin") {
			return requirement{}, fmt.Errorf("%q is not KEY in (...) or KEY notin (...)", text)
		}
		values := map[string]bool{}
		for _, value := range strings.Split(list, ",") {
			values[strings.TrimSpace(value)] = true
		}
		return check(requirement{words[0], values, words[1] == "notin"}, text)
	}
	for _, operator := range []string{"!=", "==", "="} {
		if key, value, found := strings.Cut(text, operator); found {
			values := map[string]bool{strings.TrimSpace(value): true}
			return check(requirement{strings.TrimSpace(key), values, operator == "!="}, text)
		}
	}
	key, not := strings.CutPrefix(text, "!")
	return check(requirement{strings.TrimSpace(key), nil, not}, text)
}

func check(r requirement, text string) (requirement, error) {
	if r.key == "" || strings.ContainsAny(r.key, " !=()") {
		return requirement{}, fmt.Errorf("%q names no label", text)
	}
	return r, nil
}
