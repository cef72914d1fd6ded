package snapshot

import (
	"bytes"
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Parse reads one line as Kubernetes reads JSON: names are case-sensitive, unknown ones ignored.
func Parse(line []byte) (*Snapshot, error) {
	snapshot := &Snapshot{}
	if err := utiljson.Unmarshal(line, snapshot); err != nil {
		return snapshot, err
	}
	return snapshot, nil
}

// Print returns the value as one line of JSON, without the line break.
func Print(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}

func (v *Values) UnmarshalJSON(text []byte) error {
	if err := utiljson.Unmarshal(text, &v.Custom); err != nil {
		return err
	}
	return utiljson.Unmarshal(text, &v.External)
}
