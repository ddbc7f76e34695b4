package main

import (
	"context"
	"iter"
	"log"

	"github.com/mneme-ai/mneme/clients/go"
)

// face is the client.
type face struct{ *mneme.Client }

func newFace(address string) face {
	client, err := mneme.Connect(address)
	if err != nil {
		log.Fatal(err)
	}
	return face{client}
}

func (f face) get(ctx context.Context, namespace, id string) error {
	_, err := f.WithNamespace(namespace).Get(ctx, id)
	return err
}

func (f face) store(ctx context.Context, namespace, text string) error {
	_, err := f.WithNamespace(namespace).Store(ctx, mneme.NewMemory{
		Text: text, Type: "message", Scope: mneme.Scope{Agent: "scout", Session: "harbour"}, Source: mneme.Source{Speaker: "Ada"},
	})
	return err
}

func (f face) ingest(ctx context.Context, namespace string, vectors [][]float32) (int, error) {
	stored := 0
	for progress, err := range f.WithNamespace(namespace).Ingest(ctx, memories(vectors)) {
		if err != nil {
			return stored, err
		}
		stored = int(progress.StoredCount)
	}
	return stored, nil
}

func memories(vectors [][]float32) iter.Seq[mneme.NewMemory] {
	return func(yield func(mneme.NewMemory) bool) {
		for i, values := range vectors {
			if !yield(mneme.NewMemory{Text: sentence(i), Embedding: &mneme.Embedding{Values: values, Model: "bench"}}) {
				return
			}
		}
	}
}

func (f face) export(ctx context.Context, namespace string) (int, error) {
	count := 0
	for memory, err := range f.WithNamespace(namespace).ExportMemories(ctx, mneme.ExportQuery{}) {
		if err != nil {
			return count, err
		}
		if memory.Text != "" && memory.Embedding != nil {
			count++
		}
	}
	return count, nil
}
