package main

import (
	"context"
	"net/http"
	"net/http/httptest"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/scale"
)

type scaleCase struct {
	Text string `json:"text"`
	answer
}

type scaleAnswer struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Wanted          int32  `json:"wanted"`
	Present         int32  `json:"present"`
	Selector        string `json:"selector"`
}

// answerWith asks a server that answers the case's text for a scale.
func (c *scaleCase) answerWith() error {
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		out.Write([]byte(c.Text))
	}))
	defer server.Close()
	version := schema.GroupVersion{Group: "apps.openshift.io", Version: "v1"}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	mapper.Add(version.WithKind("DeploymentConfig"), meta.RESTScopeNamespace)
	client, err := scale.NewForConfig(&rest.Config{Host: server.URL}, mapper, dynamic.LegacyAPIPathResolverFunc, nil)
	if err != nil {
		return err
	}
	resource := version.WithResource("deploymentconfigs").GroupResource()
	got, err := client.Scales("shop").Get(context.Background(), resource, "web", metav1.GetOptions{})
	if err != nil {
		c.set(nil, err)
		return nil
	}
	c.set(&scaleAnswer{Name: got.Name, ResourceVersion: got.ResourceVersion, Wanted: got.Spec.Replicas,
		Present: got.Status.Replicas, Selector: got.Status.Selector}, nil)
	return nil
}
