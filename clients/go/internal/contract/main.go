// The driver of the contract test for this client: maps lines to calls, see test/contract/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/mneme-ai/mneme/clients/go"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

type request struct {
	ID      int64           `json:"id"`
	Op      string          `json:"op"`
	Client  string          `json:"client"`
	Address string          `json:"address"`
	Options object          `json:"options"`
	Method  string          `json:"method"`
	Args    object          `json:"args"`
	RPC     string          `json:"rpc"`
	Request json.RawMessage `json:"request"`
	Stream  string          `json:"stream"`
	Count   int             `json:"count"`
	Item    object          `json:"item"`
	Call    int64           `json:"call"`
}

type object = map[string]any

var state struct {
	sync.Mutex
	out     *bufio.Writer
	clients map[string]*mneme.Client
	streams map[string]*stream
	cancels map[int64]context.CancelFunc
}

func main() {
	state.out = bufio.NewWriter(os.Stdout)
	state.clients = map[string]*mneme.Client{}
	state.streams = map[string]*stream{}
	state.cancels = map[int64]context.CancelFunc{}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			take(line)
		}
		if err != nil {
			return
		}
	}
}

// take records cancellable requests, and answers in a goroutine of its own.
func take(line string) {
	var r request
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		say(object{"id": r.ID, "fault": err.Error()})
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	state.Lock()
	if s := state.streams[r.Stream]; s != nil && r.Op == "next" {
		state.cancels[r.ID] = s.cancel
	} else {
		state.cancels[r.ID] = cancel
	}
	if s := state.streams[r.Stream]; s != nil && s.finish != nil && r.Op == "end" {
		s.finish() // Not in the goroutine: a close that comes after it must find it done.
	}
	state.Unlock()
	go func() {
		defer cancel()
		result, err := guarded(ctx, r)
		var failed *mneme.Error
		var unsupported unsupportedError
		switch {
		case err == nil:
			say(object{"id": r.ID, "result": result})
		case errors.As(err, &failed):
			say(object{"id": r.ID, "error": errorResult(failed)})
		case errors.As(err, &unsupported):
			say(object{"id": r.ID, "unsupported": unsupported.Error()})
		default:
			say(object{"id": r.ID, "fault": err.Error()})
		}
		state.Lock()
		delete(state.cancels, r.ID)
		state.Unlock()
	}()
}

func say(answer object) {
	line, err := json.Marshal(answer)
	if err != nil {
		line, _ = json.Marshal(object{"id": answer["id"], "fault": err.Error()})
	}
	state.Lock()
	defer state.Unlock()
	state.out.Write(append(line, '\n'))
	state.out.Flush()
}

// guarded converts panics of argument decoding into answers.
func guarded(ctx context.Context, r request) (result any, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			if known, is := caught.(error); is {
				err = known
			} else {
				err = fmt.Errorf("%v", caught)
			}
		}
	}()
	result, err = answer(ctx, r)
	if result == nil {
		result = object{}
	}
	return result, err
}

func answer(ctx context.Context, r request) (any, error) {
	switch r.Op {
	case "connect":
		client, err := connect(r)
		if err != nil {
			return nil, err
		}
		state.Lock()
		defer state.Unlock()
		state.clients[r.Client] = client
		return nil, nil
	case "call":
		return callOf(ctx, r)
	case "rpc":
		return rpc(ctx, r)
	case "open":
		streamCtx, cancel := context.WithCancel(context.Background())
		opened, err := open(streamCtx, clientOf(r.Client), r.Method, expanded(r.Args).(object))
		if err != nil {
			cancel()
			return nil, err
		}
		opened.cancel = cancel
		state.Lock()
		defer state.Unlock()
		state.streams[r.Stream] = opened
		return nil, nil
	case "next":
		return streamOf(r.Stream).next(max(r.Count, 1))
	case "send":
		return nil, streamOf(r.Stream).send(expanded(r.Item).(object))
	case "end":
		return streamOf(r.Stream).end()
	case "cancel":
		state.Lock()
		cancel := state.cancels[r.Call]
		state.Unlock()
		if cancel != nil {
			cancel()
		}
		return nil, nil
	case "close":
		return nil, clientOf(r.Client).Close()
	}
	return nil, fmt.Errorf("no operation %s", r.Op)
}

func clientOf(name string) *mneme.Client {
	state.Lock()
	defer state.Unlock()
	client := state.clients[name]
	if client == nil {
		panic(fmt.Errorf("no client %s", name))
	}
	return client
}

func streamOf(name string) *stream {
	state.Lock()
	defer state.Unlock()
	found := state.streams[name]
	if found == nil {
		panic(fmt.Errorf("no stream %s", name))
	}
	return found
}

func connect(r request) (*mneme.Client, error) {
	o := r.Options
	var options []mneme.Option
	if namespace, ok := o["namespace"].(string); ok {
		options = append(options, mneme.WithNamespace(namespace))
	}
	if token, ok := o["token"].(string); ok {
		options = append(options, mneme.WithToken(token))
	}
	if o["call_from"] == "*" {
		options = append(options, mneme.WithCallFromEverywhere())
	} else if from, ok := o["call_from"].(object); ok {
		options = append(options, mneme.WithCallFrom(decoded[mneme.Scope](from)))
	}
	if o["tls"] == true {
		options = append(options, mneme.WithTLS(mneme.TLS{}))
	} else if given, ok := o["tls"].(object); ok {
		text := func(name string) []byte {
			if value, ok := given[name].(string); ok {
				return []byte(value)
			}
			return nil
		}
		options = append(options, mneme.WithTLS(mneme.TLS{
			CA: text("ca"), Cert: text("cert"), Key: text("key"), ServerName: string(text("server_name")),
		}))
	}
	if value, ok := o["timeout_ms"]; ok {
		options = append(options, mneme.WithTimeout(durationOf(value)))
	}
	if value, ok := o["recall_timeout_ms"]; ok {
		options = append(options, mneme.WithRecallTimeout(durationOf(value)))
	}
	if value, ok := o["heartbeat_ms"]; ok {
		options = append(options, mneme.WithHeartbeat(durationOf(value)))
	}
	if value, ok := o["wait_for_ready"].(bool); ok {
		options = append(options, mneme.WithWaitForReady(value))
	}
	if value, ok := o["read_your_writes"].(bool); ok {
		options = append(options, mneme.WithReadYourWrites(value))
	}
	if value, ok := o["retry"].(bool); ok {
		options = append(options, mneme.WithRetry(value))
	}
	return mneme.Connect(r.Address, options...)
}

func rpc(ctx context.Context, r request) (any, error) {
	service, name, _ := strings.Cut(r.RPC, ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName("mneme.v1." + service))
	if err != nil {
		return nil, err
	}
	method := found.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(name))
	if method == nil {
		return nil, fmt.Errorf("no method %s", r.RPC)
	}
	input, err := protoregistry.GlobalTypes.FindMessageByName(method.Input().FullName())
	if err != nil {
		return nil, err
	}
	output, err := protoregistry.GlobalTypes.FindMessageByName(method.Output().FullName())
	if err != nil {
		return nil, err
	}
	asked, answered := input.New().Interface(), output.New().Interface()
	if err := protojson.Unmarshal(r.Request, asked); err != nil {
		return nil, err
	}
	if err := clientOf(r.Client).Conn().Invoke(ctx, "/mneme.v1."+service+"/"+name, asked, answered); err != nil {
		return nil, err
	}
	result, err := protojson.Marshal(answered)
	return json.RawMessage(result), err
}
