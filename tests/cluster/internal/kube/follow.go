package kube

import (
	"context"
	"encoding/json"
	"time"
)

// patience is how long the API server may not answer before Follow gives up.
const patience = 30 * time.Second

// Followed receives what Follow learns. Its functions are called one at a time.
type Followed[T any] struct {
	All     func([]T) // after each list: all objects that there are
	Changed func(T)   // after an object was created or changed
	Gone    func(T)   // after an object was deleted
}

// Follow lists the objects at path (a collection, without a query), then watches them until ctx is
// cancelled. When a watch ends, it lists and watches again. lost receives an error when the server
// has not answered for 30 s.
func Follow[T any](ctx context.Context, client *Client, path string, to Followed[T]) (lost <-chan error, err error) {
	version, err := list(ctx, client, path, to)
	if err != nil {
		return nil, err
	}
	failure := make(chan error, 1)
	go func() {
		answered := time.Now()
		for ctx.Err() == nil {
			if watch(ctx, client, path+"?watch=true&resourceVersion="+version, to) {
				answered = time.Now()
			}
			// The new list makes up for missed events. The pause spares a server that is down.
			time.Sleep(100 * time.Millisecond)
			listed, err := list(ctx, client, path, to)
			if err == nil {
				version, answered = listed, time.Now()
			} else if time.Since(answered) > patience {
				failure <- err
				return
			}
		}
	}()
	return failure, nil
}

func list[T any](ctx context.Context, client *Client, path string, to Followed[T]) (version string, err error) {
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []T
	}
	if err := client.Get(ctx, path, &list); err != nil {
		return "", err
	}
	to.All(list.Items)
	return list.Metadata.ResourceVersion, nil
}

// watch returns when the stream ends, and reports whether the server opened one.
func watch[T any](ctx context.Context, client *Client, path string, to Followed[T]) bool {
	body, err := client.Stream(ctx, path)
	if err != nil {
		return false
	}
	defer body.Close()
	events := json.NewDecoder(body)
	for {
		var event struct {
			Type   string
			Object T
		}
		if events.Decode(&event) != nil || event.Type == "ERROR" {
			return true
		}
		if event.Type == "DELETED" {
			to.Gone(event.Object)
		} else {
			to.Changed(event.Object)
		}
	}
}
