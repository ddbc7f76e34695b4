// The callers in Go of make demo-mesh: writers, recallers and subscribers. test/demo/mesh/README.md says what they print.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
	"google.golang.org/grpc/codes"
)

const (
	updatedEvery = 5
	deletedEvery = 7
	timeout      = time.Minute
)

type stored struct {
	id, text string
	// word is in no other memory.
	word string
}

type callers struct {
	address, folder, name string
	pause                 time.Duration
	namespaces            []string
	client                atomic.Pointer[mneme.Client]
	rests                 atomic.Bool
	latest                sync.Map
	mu                    sync.Mutex
	caughtUp              map[string]bool
}

func main() {
	pauseMs, err := strconv.Atoi(os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	c := &callers{
		address: os.Args[1], folder: os.Args[2], name: os.Args[3], pause: time.Duration(pauseMs) * time.Millisecond,
		namespaces: os.Args[5:], caughtUp: map[string]bool{},
	}
	c.renew()
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	for _, namespace := range c.namespaces {
		background(&following, func() { c.watch(ctx, namespace) })
		background(&following, func() { c.consume(ctx, namespace) })
		background(&following, func() { c.subscribe(ctx, namespace) })
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch lines.Text() {
		case "begin":
			go c.work(ctx)
		case "renew":
			c.renew()
		case "rest":
			c.rests.Store(true)
		}
	}
	cancel()
	following.Wait()
}

// background runs work in a goroutine of the group.
func background(group *sync.WaitGroup, work func()) {
	group.Add(1)
	go func() {
		defer group.Done()
		work()
	}()
}

// renew opens a client with the certificates that are in the folder now.
func (c *callers) renew() {
	var files [3][]byte
	for i, name := range []string{"ca.pem", "client.pem", "client.key"} {
		bytes, err := os.ReadFile(filepath.Join(c.folder, name))
		if err != nil {
			log.Fatal(err)
		}
		files[i] = bytes
	}
	client, err := mneme.Connect(c.address, mneme.WithWaitForReady(true), mneme.WithTLS(mneme.TLS{CA: files[0], Cert: files[1], Key: files[2]}),
		mneme.WithTimeout(timeout), mneme.WithRecallTimeout(timeout))
	if err != nil {
		log.Fatal(err)
	}
	c.client.Store(client)
}

func (c *callers) work(ctx context.Context) {
	var working sync.WaitGroup
	for _, namespace := range c.namespaces {
		background(&working, func() { c.write(ctx, namespace) })
		background(&working, func() { c.recall(ctx, namespace) })
	}
	working.Wait()
	tell(map[string]any{"rested": true})
}

func (c *callers) in(namespace string) *mneme.Client { return c.client.Load().WithNamespace(namespace) }

func (c *callers) write(ctx context.Context, namespace string) {
	for n := 1; !c.rests.Load(); n++ {
		id, word := fmt.Sprintf("%s-%d", c.name, n), fmt.Sprintf("%s%d", c.name, n)
		text := word + " lies at anchor."
		tags := []string{}
		if n%signalEvery == 0 {
			tags = append(tags, signal)
		}
		c.acknowledged("stored", namespace, id, text, func(o mneme.WriteOptions) error {
			_, err := c.in(namespace).Store(ctx, mneme.NewMemory{ID: id, Text: text, Tags: tags}, o)
			return err
		}, tags...)
		c.acknowledged("set", namespace, c.name, id, func(o mneme.WriteOptions) error {
			_, err := c.in(namespace).Session(c.name).Set(ctx, "last", id, mneme.SetOptions{WriteOptions: o})
			return err
		})
		if n%updatedEvery == 0 {
			text = word + " sails on."
			c.acknowledged("updated", namespace, id, text, func(o mneme.WriteOptions) error {
				_, err := c.in(namespace).Update(ctx, id, mneme.MemoryChanges{Text: &text}, mneme.ChangeOptions{WriteOptions: o})
				return err
			})
		}
		if n%deletedEvery == 0 {
			c.acknowledged("deleted", namespace, id, "", func(o mneme.WriteOptions) error {
				_, err := c.in(namespace).Delete(ctx, id, mneme.DeleteOptions{WriteOptions: o})
				return err
			})
		} else {
			c.latest.Store(namespace, stored{id, text, word})
		}
		time.Sleep(c.pause)
	}
}

// acknowledged repeats a write with its request id until it is acknowledged.
func (c *callers) acknowledged(wrote, namespace, id, text string, work func(mneme.WriteOptions) error, tags ...string) {
	options := mneme.WriteOptions{RequestID: rand.Text()}
	for !attempt(wrote, func() error { return work(options) }) {
		time.Sleep(c.pause)
	}
	tell(map[string]any{"wrote": wrote, "namespace": namespace, "id": id, "text": text, "tags": tags})
}

func (c *callers) recall(ctx context.Context, namespace string) {
	for !c.rests.Load() {
		if found, has := c.latest.Load(namespace); has {
			wanted := found.(stored)
			attempt("recalled", func() error {
				result, err := c.in(namespace).Recall(ctx, mneme.RecallQuery{Text: wanted.word, Limit: 1})
				if err == nil && (len(result.Hits) == 0 || result.Hits[0].Memory.Text != wanted.text) {
					tellWrong("recall of %s: %v", wanted.word, result.Hits)
				}
				return err
			})
			attempt("read", func() error {
				memory, err := c.in(namespace).Get(ctx, wanted.id)
				if err == nil && memory.Text != wanted.text {
					tellWrong("%s: %s", wanted.id, memory.Text)
				}
				return err
			})
		}
		time.Sleep(c.pause)
	}
}

func attempt(call string, work func() error) bool {
	began := time.Now()
	err := work()
	message := map[string]any{"beganMs": began.UnixMilli(), "endedMs": time.Now().UnixMilli()}
	if err == nil {
		message["done"] = call
	} else {
		message["failed"], message["message"] = call, err.Error()
		message["code"], message["reason"], message["retryable"] = "none", "", false
		var failed *mneme.Error
		if errors.As(err, &failed) {
			message["code"], message["reason"] = codeName(failed.Code), failed.Reason
			message["retryable"] = failed.Retryable()
		}
	}
	tell(message)
	return err == nil
}

func nameOf(err error) string {
	var failed *mneme.Error
	if errors.As(err, &failed) && failed.Reason != "" {
		return codeName(failed.Code) + " " + string(failed.Reason)
	}
	return err.Error()
}

// codeName is the name of a status as the protocol writes it.
func codeName(code codes.Code) string {
	switch code {
	case codes.Unavailable:
		return "UNAVAILABLE"
	case codes.ResourceExhausted:
		return "RESOURCE_EXHAUSTED"
	case codes.DeadlineExceeded:
		return "DEADLINE_EXCEEDED"
	}
	return code.String()
}

func tellWrong(format string, values ...any) {
	tell(map[string]any{"wrong": fmt.Sprintf(format, values...)})
}

var output sync.Mutex

func tell(message map[string]any) {
	output.Lock()
	defer output.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(message); err != nil {
		log.Fatal(err)
	}
}
