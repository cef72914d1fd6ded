package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
)

type manifestCase struct {
	Into string `json:"into"`
	Text string `json:"text"`
	answer
}

func (c *manifestCase) answerWith(templates map[string]template) error {
	known, found := templates[c.Into]
	if !found {
		return fmt.Errorf("there is no template %q", c.Into)
	}
	objects, err := readDocuments(known.around(c.Text))
	if c.Into == "documents" {
		names := []string{}
		for _, object := range objects {
			names = append(names, object.GetName())
		}
		c.set(names, err)
		return nil
	}
	if err == nil && len(objects) != 1 {
		err = fmt.Errorf("%d documents", len(objects))
	}
	if err != nil {
		c.set(nil, err)
		return nil
	}
	value, err := storedForm(objects[0])
	if err == nil {
		value = memberAt(value, known.At)
	}
	c.set(value, err)
	return nil
}

// readDocuments reads a file as kubectl does.
func readDocuments(text string) ([]*unstructured.Unstructured, error) {
	objects := []*unstructured.Unstructured{}
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		var one runtime.RawExtension
		if err := decoder.Decode(&one); err == io.EOF {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		one.Raw = bytes.TrimSpace(one.Raw)
		if len(one.Raw) == 0 || bytes.Equal(one.Raw, []byte("null")) {
			continue
		}
		object, err := runtime.Decode(unstructured.UnstructuredJSONScheme, one.Raw)
		if err != nil {
			return nil, err
		}
		switch read := object.(type) {
		case *unstructured.UnstructuredList:
			for i := range read.Items {
				objects = append(objects, &read.Items[i])
			}
		case *unstructured.Unstructured:
			objects = append(objects, read)
		}
	}
}

// storedForm decodes what kubectl sends as the API server does with fieldValidation=Strict (unknown
// fields are errors), fills in the defaults, and converts the result to autoscaling/v2.
func storedForm(object *unstructured.Unstructured) (any, error) {
	sent, err := runtime.Encode(unstructured.UnstructuredJSONScheme, object)
	if err != nil {
		return nil, err
	}
	scheme := legacyscheme.Scheme
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme,
		serializer.SerializerOptions{Strict: true})
	decoded, _, err := strict.Decode(sent, nil, nil)
	if err != nil {
		return nil, err
	}
	for _, version := range []schema.GroupVersion{autoscaling.SchemeGroupVersion, autoscalingv2.SchemeGroupVersion} {
		scheme.Default(decoded)
		if decoded, err = scheme.ConvertToVersion(decoded, version); err != nil {
			return nil, err
		}
	}
	scheme.Default(decoded)
	hpa, isHPA := decoded.(*autoscalingv2.HorizontalPodAutoscaler)
	if !isHPA {
		return nil, fmt.Errorf("it is a %T", decoded)
	}
	text, err := json.Marshal(map[string]any{
		"metadata": metav1.ObjectMeta{Name: hpa.Name, Namespace: hpa.Namespace, Labels: hpa.Labels,
			Annotations: hpa.Annotations},
		"spec": hpa.Spec,
	})
	if err != nil {
		return nil, err
	}
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	var value any
	err = numbers.Decode(&value)
	return value, err
}

// memberAt follows a path such as "spec.metrics.0"; nothing is null.
func memberAt(value any, path string) any {
	if path == "" {
		return value
	}
	name, rest, _ := strings.Cut(path, ".")
	switch container := value.(type) {
	case map[string]any:
		return memberAt(container[name], rest)
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i < len(container) {
			return memberAt(container[i], rest)
		}
	}
	return json.RawMessage("null")
}
