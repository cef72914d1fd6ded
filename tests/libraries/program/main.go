// Command libraries answers with Kubernetes' own libraries what a text means. README.md describes it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

const usage = `libraries manifests TEMPLATES     reads cases, prints them with what kubectl and the API server make of them
libraries kubeconfigs TEMPLATES   the same for kubeconfigs, with what client-go makes of them
libraries scales TEMPLATES        the same for scales, with what client-go's scale client makes of them
`

// What a library makes of the text of a case: a value, or an error.
type answer struct {
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	// The words by which a document names the difference, where Ballast differs on purpose.
	Docs string `json:"docs,omitempty"`
}

// Where the text of a case goes, and which part of the value is compared.
type template struct {
	Text string `json:"text"`
	At   string `json:"at"`
}

func (t template) around(text string) string {
	return strings.Replace(t.Text, "@", text, 1)
}

func main() {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	err := run(os.Args[1:], os.Stdin, out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "libraries: %v\n", err)
		os.Exit(1)
	}
}

func run(words []string, in io.Reader, out io.Writer) error {
	if len(words) != 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	text, err := os.ReadFile(words[1])
	if err != nil {
		return err
	}
	var templates map[string]map[string]template
	if err := json.Unmarshal(text, &templates); err != nil {
		return err
	}
	known := templates[words[0]]
	switch words[0] {
	case "manifests":
		return renew(in, out, func(c *manifestCase) error { return c.answerWith(known) })
	case "kubeconfigs":
		return renew(in, out, func(c *kubeconfigCase) error { return c.answerWith(known) })
	case "scales":
		return renew(in, out, func(c *scaleCase) error { return c.answerWith() })
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(2)
	return nil
}

// renew prints each line of the input with the answer that it gets now.
func renew[Case any](in io.Reader, out io.Writer, answer func(*Case) error) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var one Case
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&one); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if err := answer(&one); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(one); err != nil {
			return err
		}
	}
	return lines.Err()
}

// set keeps the words that name a difference. Of an error the beginning is enough to recognize it.
func (a *answer) set(value any, err error) {
	a.Value, a.Error = value, ""
	if err != nil {
		a.Value = nil
		a.Error, _, _ = strings.Cut(err.Error(), "\n")
		if len(a.Error) > 100 {
			a.Error = strings.ToValidUTF8(a.Error[:100], "")
		}
	}
}
