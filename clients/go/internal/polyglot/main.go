// The subscriber of the test of all languages at once, see test/polyglot/README.md: it consumes a durable subscription and tells
// each memory that it is given.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"sync"

	"github.com/mneme-ai/mneme/clients/go"
)

func main() {
	client, err := mneme.Connect(os.Args[1], mneme.WithNamespace("polyglot"), mneme.WithWaitForReady(true))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	if err := follow(client); err != nil && !errors.Is(err, mneme.ErrCanceled) {
		log.Fatal(err)
	}
}

func follow(client *mneme.Client) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	settings := mneme.SubscriptionSettings{Filter: mneme.Where.Tag.Equals("watched")}
	if _, err := client.Subscriptions.Create(ctx, "polyglot", settings); err != nil {
		return err
	}
	go func() {
		defer cancel()
		if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
			log.Print(err)
		}
	}()
	options := mneme.StreamOptions{
		OnOpen:   sync.OnceFunc(func() { tell("ready", true) }),
		OnBroken: func(err error) { tell("broken", err.Error()) },
	}
	for delivery, err := range client.Subscriptions.Consume(ctx, "polyglot", "go", mneme.ConsumeQuery{}, options) {
		if err != nil {
			return err
		}
		tell("seen", delivery.ID)
		delivery.Acknowledge()
	}
	return nil
}

var output sync.Mutex

func tell(what string, value any) {
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{what: value}); err != nil {
		log.Fatal(err)
	}
}
