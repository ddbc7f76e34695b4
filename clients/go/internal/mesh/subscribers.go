package main

import (
	"context"
	"log"

	"github.com/mneme-ai/mneme/clients/go"
)

// As in test/demo/mesh/signals.ts.
const (
	signal       = "signal"
	signalEvery  = 3
	subscription = "signals"
	standingHits = 50
)

// watch goes on by its resume token, also with another client where certificates are renewed.
func (c *callers) watch(ctx context.Context, namespace string) {
	token := ""
	for ctx.Err() == nil {
		client := c.client.Load()
		for event, err := range client.WithNamespace(namespace).Watch(ctx, mneme.WatchQuery{ResumeToken: token, IncludeCaughtUp: true}, reported()) {
			if err != nil {
				end(ctx, err)
				return
			}
			if event.ResumeToken != "" {
				token = event.ResumeToken
			}
			if event.Kind == mneme.WatchCaughtUp {
				c.catchUp(namespace)
				if client != c.client.Load() {
					break
				}
			} else if event.Kind == mneme.WatchRelisting {
				tellWrong("the watch of %s has missed changes", namespace)
			} else if event.ID != "" {
				tell(map[string]any{"saw": event.Kind, "namespace": namespace, "id": event.ID})
			}
		}
	}
}

func (c *callers) catchUp(namespace string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caughtUp[namespace] = true
	if len(c.caughtUp) == len(c.namespaces) {
		tell(map[string]any{"ready": true})
	}
}

// consume goes on at its cursor, which the server keeps, also with another client where certificates are renewed.
func (c *callers) consume(ctx context.Context, namespace string) {
	for ctx.Err() == nil {
		client := c.client.Load()
		calls := client.WithNamespace(namespace).Subscriptions
		for delivery, err := range calls.Consume(ctx, subscription, c.name, mneme.ConsumeQuery{}, reported()) {
			if err != nil {
				end(ctx, err)
				return
			}
			tell(map[string]any{"delivered": delivery.Kind, "namespace": namespace, "id": delivery.ID})
			delivery.Acknowledge()
			if client != c.client.Load() {
				break
			}
		}
	}
}

// subscribe reports how each answer differs from the one before it, which may be of another client.
func (c *callers) subscribe(ctx context.Context, namespace string) {
	before := map[string]string{}
	query := mneme.RecallQuery{Filter: mneme.Where.Tag.Equals(signal), Limit: standingHits}
	for ctx.Err() == nil {
		client := c.client.Load()
		for answer, err := range client.WithNamespace(namespace).Subscribe(ctx, query, reported()) {
			if err != nil {
				end(ctx, err)
				return
			}
			after := map[string]string{}
			for _, hit := range answer.Hits {
				after[hit.Memory.ID] = hit.Memory.Text
			}
			tellDifferences(namespace, before, after)
			before = after
			if client != c.client.Load() {
				break
			}
		}
	}
}

func tellDifferences(namespace string, before, after map[string]string) {
	for id, text := range after {
		if known, has := before[id]; !has || known != text {
			tell(map[string]any{"answered": "has", "namespace": namespace, "id": id, "text": text})
		}
	}
	for id := range before {
		if _, has := after[id]; !has {
			tell(map[string]any{"answered": "lacks", "namespace": namespace, "id": id})
		}
	}
}

func reported() mneme.StreamOptions {
	return mneme.StreamOptions{OnBroken: func(err error) { tell(map[string]any{"broken": nameOf(err)}) }}
}

// end ends the program unless the stream was ended on purpose.
func end(ctx context.Context, err error) {
	if ctx.Err() == nil {
		log.Fatal(err)
	}
}
