package main

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/mneme-ai/mneme/clients/go"
)

// extracting gives jobs as items; what is sent answers them.
func extracting(ctx context.Context, client *mneme.Client, a args) (*stream, error) {
	jobs := newQueue[mneme.ExtractionJob]()
	var mu sync.Mutex
	replies := map[string]chan object{}
	handler := func(ctx context.Context, job mneme.ExtractionJob) (mneme.ExtractedMemories, error) {
		reply := make(chan object, 1)
		mu.Lock()
		replies[job.ID] = reply
		mu.Unlock()
		jobs.push(job)
		select {
		case item := <-reply:
			if failure, is := item["failure"].(string); is {
				return mneme.ExtractedMemories{}, mneme.ExtractionRefusal(failure)
			}
			if failure, is := item["error"].(string); is {
				return mneme.ExtractedMemories{}, errors.New(failure)
			}
			return decoded[mneme.ExtractedMemories](object{"claims": item["claims"], "notes": item["noted"]}), nil
		case <-ctx.Done():
			return mneme.ExtractedMemories{}, ctx.Err()
		}
	}
	served, err := client.Conversations.ServeExtractor(ctx, of[mneme.ServeExtractorQuery](a), handler)
	if err != nil {
		return nil, err
	}
	s := reading(func(yield func(object, error) bool) {
		for job := range jobs.all {
			if !yield(jobResult(job), nil) {
				return
			}
		}
	})
	s.send = func(item object) error {
		mu.Lock()
		defer mu.Unlock()
		if reply := replies[item["job"].(string)]; reply != nil {
			reply <- item
		}
		return nil
	}
	s.end = func() (any, error) {
		served.Stop()
		return nil, served.Err()
	}
	return s, nil
}

// jobResult has the texts of each message as one.
func jobResult(job mneme.ExtractionJob) object {
	fields := resultOf(reflect.ValueOf(job)).(object)
	for i, message := range job.Messages {
		fields["messages"].([]any)[i].(object)["text"] = message.Text()
	}
	return fields
}
