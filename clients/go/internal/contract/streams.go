package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"sync"

	"github.com/mneme-ai/mneme/clients/go"
)

// stream is one of the protocol.
type stream struct {
	cancel context.CancelFunc
	next   func(count int) (any, error)
	send   func(item object) error
	finish func() // Nothing more is sent; nil where there is nothing to send.
	end    func() (any, error)
}

func open(ctx context.Context, client *mneme.Client, method string, given object) (*stream, error) {
	if given == nil {
		given = object{}
	}
	a := args(given)
	options := of[mneme.StreamOptions](a)
	switch method {
	case "watch":
		query := of[mneme.WatchQuery](a)
		query.IncludeCaughtUp = true
		return reading(client.Watch(ctx, query, options)), nil
	case "subscribe":
		return reading(client.Subscribe(ctx, queryOf(a), options)), nil
	case "recall_stream":
		return reading(client.RecallStream(ctx, queryOf(a), of[mneme.ReadOptions](a))), nil
	case "session.watch":
		return reading(client.Session(a.text("session")).Watch(ctx, of[mneme.SessionWatchQuery](a), options)), nil
	case "lifecycle.watch_events":
		query := decoded[mneme.EventsQuery](without(a, "start"))
		if start, is := a["start"].(object); is {
			query.ResumeToken = start["resume_token"].(string)
		}
		query.FromOldest = a["start"] == "oldest"
		return reading(client.Lifecycle.WatchEvents(ctx, query, options)), nil
	case "conversations.watch_extraction":
		return reading(client.Conversations.WatchExtraction(ctx, of[mneme.ExtractionWatchQuery](a), options)), nil
	case "subscriptions.consume":
		return consuming(ctx, client, a), nil
	case "lifecycle.serve_hook":
		return hooking(ctx, client, a)
	case "conversations.serve_extractor":
		return extracting(ctx, client, a)
	case "ingest":
		return ingesting(ctx, client, a), nil
	case "import_memories":
		return importing(ctx, client, a), nil
	}
	return nil, fmt.Errorf("no stream %s", method)
}

func reading[Item any](items iter.Seq2[Item, error]) *stream {
	next, stop := iter.Pull2(items)
	var mu sync.Mutex
	return &stream{
		next: func(count int) (any, error) {
			mu.Lock()
			defer mu.Unlock()
			taken := []any{}
			for len(taken) < count {
				item, err, more := next()
				if err != nil {
					return nil, err
				}
				if !more {
					return object{"items": taken, "ended": true}, nil
				}
				taken = append(taken, resultOf(reflect.ValueOf(item)))
			}
			return object{"items": taken, "ended": false}, nil
		},
		end: func() (any, error) {
			mu.Lock()
			defer mu.Unlock()
			stop()
			return nil, nil
		},
	}
}

func consuming(ctx context.Context, client *mneme.Client, a args) *stream {
	var mu sync.Mutex
	deliveries := map[string]mneme.Delivery{}
	s := reading(func(yield func(mneme.Delivery, error) bool) {
		all := client.Subscriptions.Consume(ctx, a.text("id"), a.text("consumer"), of[mneme.ConsumeQuery](a), of[mneme.StreamOptions](a))
		for delivery, err := range all {
			mu.Lock()
			deliveries[fmt.Sprint(delivery.Revision)] = delivery
			mu.Unlock()
			if !yield(delivery, err) {
				return
			}
		}
	})
	s.send = func(item object) error {
		mu.Lock()
		defer mu.Unlock()
		if delivery, known := deliveries[fmt.Sprint(item["acknowledge"])]; known {
			delivery.Acknowledge()
		}
		return nil
	}
	return s
}

func hooking(ctx context.Context, client *mneme.Client, a args) (*stream, error) {
	questions := newQueue[mneme.LifecycleEvent]()
	var mu sync.Mutex
	replies := map[string]chan object{}
	hook, err := client.Lifecycle.ServeHook(ctx, of[mneme.HookRegistration](a), func(ctx context.Context, event mneme.LifecycleEvent) (mneme.HookAnswer, error) {
		reply := make(chan object, 1)
		mu.Lock()
		replies[event.ID] = reply
		mu.Unlock()
		questions.push(event)
		select {
		case said := <-reply:
			if failure, is := said["failure"].(string); is {
				return mneme.HookAnswer{}, errors.New(failure)
			}
			veto, _ := said["veto"].(string)
			answer := mneme.HookAnswer{Veto: veto, Metadata: map[string]string{}}
			proceed, _ := said["proceed"].(object)
			for key, value := range proceed {
				answer.Metadata[key] = value.(string)
			}
			return answer, nil
		case <-ctx.Done():
			return mneme.HookAnswer{}, ctx.Err()
		}
	})
	if err != nil {
		return nil, err
	}
	s := reading(func(yield func(mneme.LifecycleEvent, error) bool) {
		for event := range questions.all {
			if !yield(event, nil) {
				return
			}
		}
	})
	s.send = func(item object) error {
		mu.Lock()
		defer mu.Unlock()
		if reply := replies[item["event"].(string)]; reply != nil {
			reply <- item
		}
		return nil
	}
	s.end = func() (any, error) {
		hook.Stop()
		return nil, hook.Err()
	}
	return s, nil
}

func ingesting(ctx context.Context, client *mneme.Client, a args) *stream {
	memories := newQueue[mneme.NewMemory]()
	var last mneme.IngestProgress
	refused, receipts := []mneme.IngestRefusal{}, []mneme.IngestReceipt{}
	s := reading(func(yield func(mneme.IngestProgress, error) bool) {
		for progress, err := range client.Ingest(ctx, memories.all, of[mneme.IngestOptions](a)) {
			if err == nil {
				refused, receipts, last = append(refused, progress.Refused...), append(receipts, progress.Receipts...), progress
			}
			if !yield(progress, err) {
				return
			}
		}
	})
	s.send = func(item object) error {
		memories.push(decoded[mneme.NewMemory](item))
		return nil
	}
	s.finish = memories.close
	s.end = func() (any, error) {
		for {
			read, err := s.next(1)
			if err != nil {
				return nil, err
			}
			if read.(object)["ended"] == true {
				last.Refused, last.Receipts = refused, receipts
				return resultOf(reflect.ValueOf(last)), nil
			}
		}
	}
	return s
}

func importing(ctx context.Context, client *mneme.Client, a args) *stream {
	memories := newQueue[mneme.ImportedMemory]()
	options := of[mneme.ImportOptions](a)
	refused := []any{}
	if a["skip_refused"] == true {
		options.OnRefused = func(of mneme.RefusedMemory) {
			refused = append(refused, object{"id": of.Memory.ID, "error": errorResult(of.Error)})
		}
	}
	var imported mneme.ImportResult
	var failure error
	done := make(chan struct{})
	go func() {
		defer close(done)
		imported, failure = client.ImportMemories(ctx, memories.all, options)
	}()
	return &stream{
		send: func(item object) error {
			memories.push(decoded[mneme.ImportedMemory](item))
			return nil
		},
		finish: memories.close,
		end: func() (any, error) {
			<-done
			if failure != nil {
				return nil, failure
			}
			told := resultOf(reflect.ValueOf(imported)).(object)
			if options.OnRefused != nil {
				told["refused"] = refused
			}
			return told, nil
		},
	}
}

// queue: items pushed on one side are read on the other.
type queue[Item any] struct {
	mu       sync.Mutex
	changed  *sync.Cond
	items    []Item
	isClosed bool
}

func newQueue[Item any]() *queue[Item] {
	q := &queue[Item]{}
	q.changed = sync.NewCond(&q.mu)
	return q
}

func (q *queue[Item]) push(item Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, item)
	q.changed.Signal()
}

func (q *queue[Item]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.isClosed = true
	q.changed.Broadcast()
}

func (q *queue[Item]) all(yield func(Item) bool) {
	for {
		q.mu.Lock()
		for len(q.items) == 0 && !q.isClosed {
			q.changed.Wait()
		}
		if len(q.items) == 0 {
			q.mu.Unlock()
			return
		}
		item := q.items[0]
		q.items = q.items[1:]
		q.mu.Unlock()
		if !yield(item) {
			return
		}
	}
}
