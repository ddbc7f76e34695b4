package mneme

import (
	"context"
	"time"
)

// TextOptions are the fields of a memory that is stored as a text, and the options of the call.
type TextOptions struct {
	WriteOptions
	// Namespace that it is stored in. Default: that of the client.
	Namespace string
	// Speaker is who said it: Source.Speaker of the memory.
	Speaker string
	// Session in which it was said: Scope.Session of the memory.
	Session string
	// Type is message, fact, episode or any word. Default: message when there is a speaker, otherwise fact.
	Type string
	Tags []string
	// Time is when it happened. Default: when it is stored.
	Time time.Time
}

func (o TextOptions) memory(text string) NewMemory {
	return NewMemory{
		Text: text, Type: o.Type, Tags: o.Tags, EventTime: o.Time, Source: Source{Speaker: o.Speaker}, Scope: Scope{Session: o.Session},
	}
}

// in is the client of the namespace of the options.
func (o TextOptions) in(c *Client) *Client {
	if o.Namespace == "" {
		return c
	}
	return c.WithNamespace(o.Namespace)
}

// StoreText stores a text as one memory durably.
func (c *Client) StoreText(ctx context.Context, text string, o ...TextOptions) (Receipt, error) {
	options := only(o)
	return options.in(c).Store(ctx, options.memory(text), options.WriteOptions)
}

// StoreTexts stores up to 1,000 texts with the same options, each as a memory: all of them or none.
func (c *Client) StoreTexts(ctx context.Context, texts []string, o ...TextOptions) ([]Receipt, error) {
	options := only(o)
	return options.in(c).BatchStore(ctx, mapped(texts, options.memory), options.WriteOptions)
}
