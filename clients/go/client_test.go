package mneme_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
	"github.com/mneme-ai/mneme/clients/go/mnemetest"
	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var shared = sync.OnceValues(func() (*mnemetest.Server, error) {
	return mnemetest.StartServer(context.Background(), mnemetest.Options{Flags: []string{"--embedder", "none"}})
})

func TestMain(m *testing.M) {
	defer func() {
		if server, err := shared(); err == nil {
			server.Stop()
		}
	}()
	m.Run()
}

// connect returns a client for a namespace of the test's own on the server that all tests share.
func connect(t *testing.T, options ...mneme.Option) *mneme.Client {
	t.Helper()
	server, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return must(mneme.Connect(server.Address, append([]mneme.Option{mneme.WithNamespace(namespaceOf(t))}, options...)...))(t)
}

func namespaceOf(t *testing.T) string { return strings.ToLower(t.Name()) }

// must fails the test on an error: must(f())(t).
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func all[T any](t *testing.T, items iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for item, err := range items {
		list = append(list, must(item, err)(t))
	}
	return list
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, expected %v", got, want)
	}
}

func TestMemoryKeepsWhatItIsGiven(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	type door struct {
		Open bool   `json:"open"`
		Room string `json:"room"`
	}
	at := time.Date(2026, 11, 24, 10, 0, 0, 123_456_789, time.FixedZone("here", 3600))
	stored := must(client.Store(ctx, mneme.NewMemory{
		ID: "m", Type: "state", Step: mneme.Ptr(int64(7)), EventTime: at, Text: "Ä <b>&", Content: door{true, "hall"}, Tags: []string{"x"},
		Embedding: &mneme.Embedding{Values: []float32{0.1, -2.5}, Model: "m"}, Importance: mneme.Ptr(0.75),
	}))(t)
	memory := must(client.Get(ctx, stored.ID, mneme.GetOptions{View: mneme.ViewFull}))(t)
	var read door
	if err := memory.Content.Decode(&read); err != nil {
		t.Fatal(err)
	}
	equal(t, read, door{true, "hall"})
	equal(t, memory.EventTime, at.UTC().Truncate(time.Microsecond))
	equal(t, memory.Text, "Ä <b>&")
	equal(t, string(memory.Content.Data), `{"open":true,"room":"hall"}`)
	if !slices.Equal(memory.Embedding.Values, []float32{0.1, -2.5}) {
		t.Fatal(memory.Embedding.Values)
	}

	must(client.Update(ctx, "m", mneme.MemoryChanges{Text: mneme.Ptr("new"), Clear: []string{"tags"}}))(t)
	changed := must(client.Get(ctx, "m"))(t)
	equal(t, changed.Text, "new")
	equal(t, len(changed.Tags), 0)
	equal(t, len(all(t, client.ListRevisions(ctx, "m"))), 2)

	copied := must(client.ImportMemories(ctx, slices.Values([]mneme.ImportedMemory{func() mneme.ImportedMemory {
		imported := memory.Imported()
		imported.ID = "copy"
		return imported
	}()})))(t)
	equal(t, copied.StoredCount, 1)
	equal(t, must(client.Get(ctx, "copy"))(t).CreateTime, memory.CreateTime)
}

func TestErrorsTellStatusReasonAndFamily(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	_, err := client.Get(ctx, "none")
	var failed *mneme.Error
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	equal(t, failed.Code, codes.NotFound)
	for _, target := range []error{mneme.ErrNotFound, mneme.ErrRetrieval} {
		if !errors.Is(err, target) {
			t.Errorf("%v is not %v", err, target)
		}
	}
	if errors.Is(err, mneme.ErrStore) || errors.Is(err, mneme.ErrAborted) || errors.Is(err, context.Canceled) {
		t.Error(err, "is what it is not")
	}
	equal(t, status.Code(err), codes.NotFound)

	must(client.Store(ctx, mneme.NewMemory{ID: "m", Text: "one"}))(t)
	_, err = client.Store(ctx, mneme.NewMemory{ID: "m", Text: "two"})
	if !errors.Is(err, mneme.ErrAlreadyExists) || !errors.Is(err, mneme.ErrStore) {
		t.Fatal(err)
	}
	_, err = client.Store(ctx, mneme.NewMemory{Text: "x", Importance: mneme.Ptr(7.0)})
	errors.As(err, &failed)
	equal(t, failed.Reason, mneme.ReasonFieldInvalid)
	equal(t, failed.Violations[0].Field, "memory.importance")
	_, err = client.Store(ctx, mneme.NewMemory{Text: "\xff"})
	errors.As(err, &failed)
	equal(t, failed.Code, codes.InvalidArgument)
	equal(t, len(failed.Violations), 1)
}

func TestBadInputIsRefusedBeforeItIsSent(t *testing.T) {
	client, ctx := must(mneme.Connect("127.0.0.1:1"))(t), t.Context()
	defer client.Close()
	type loop struct{ Self *loop }
	cycle := &loop{}
	cycle.Self = cycle
	store := func(memory mneme.NewMemory) error { _, err := client.Store(ctx, memory); return err }
	_, filterErr := client.Count(ctx, mneme.CountQuery{Filter: mneme.AllOf(mneme.Path("a").Equals(math.NaN()))})
	_, textErr := client.Count(ctx, mneme.CountQuery{Filter: mneme.Negate(mneme.FilterText("a = 1"))})
	_, tierErr := client.Demote(ctx, nil, mneme.MoveOptions{ToTier: "attic"})
	_, valueErr := client.Session("s").Set(ctx, "k", make(chan int))
	for field, err := range map[string]error{
		"content":          store(mneme.NewMemory{Content: math.NaN()}),
		"content ":         store(mneme.NewMemory{Content: func() {}}),
		"content  ":        store(mneme.NewMemory{Content: cycle}),
		"embedding.values": store(mneme.NewMemory{Embedding: &mneme.Embedding{Values: []float32{float32(math.Inf(1))}}}),
		"filter":           filterErr,
		"filter ":          textErr,
		"tier":             tierErr,
		"value":            valueErr,
	} {
		var failed *mneme.Error
		if !errors.As(err, &failed) || failed.Code != codes.InvalidArgument || len(failed.Violations) != 1 {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestContextEndsCallsAndStreams(t *testing.T) {
	client := connect(t)
	defer client.Close()
	ctx, cancel := context.WithCancel(t.Context())
	must(client.Store(ctx, mneme.NewMemory{Text: "one"}))(t)
	told := 0
	var last error
	for answer, err := range client.Subscribe(ctx, mneme.RecallQuery{Filter: mneme.Where.Type.Equals("statement")}) {
		if last = err; err == nil {
			told += len(answer.Entered)
			cancel()
		}
	}
	equal(t, told, 1)
	if !errors.Is(last, mneme.ErrCanceled) || !errors.Is(last, context.Canceled) {
		t.Fatal(last)
	}
	_, err := client.Count(ctx, mneme.CountQuery{})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	passed, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err = client.Count(passed, mneme.CountQuery{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

func TestClosedClientRefusesAndFlushesIngest(t *testing.T) {
	client, other := connect(t), connect(t)
	defer other.Close()
	memories := make(chan mneme.NewMemory)
	go func() { // The source never ends by itself.
		for i := range 1000 {
			memories <- mneme.NewMemory{ID: fmt.Sprint("m", i), Text: "one"}
		}
	}()
	var last mneme.IngestProgress
	var failure error
	closing := sync.OnceFunc(func() { go client.Close() })
	for progress, err := range client.Ingest(t.Context(), mneme.FromChannel(memories)) {
		if err != nil {
			failure = err
			break
		}
		last = progress
		closing()
	}
	if !errors.Is(failure, mneme.ErrCanceled) {
		t.Fatal(failure)
	}
	count := must(other.Count(t.Context(), mneme.CountQuery{}))(t)
	equal(t, count.Count, last.StoredCount)
	_, err := client.Count(t.Context(), mneme.CountQuery{})
	equal(t, err.Error(), "mneme: CANCELLED: the client is closed")
}

func TestManyGoroutinesShareAClient(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	var group sync.WaitGroup
	for i := range 200 {
		group.Add(1)
		go func() {
			defer group.Done()
			id := fmt.Sprint("m", i)
			if receipt, err := client.Store(ctx, mneme.NewMemory{ID: id, Text: id}); err != nil || receipt.ID != id {
				t.Error(receipt, err)
			}
		}()
	}
	group.Wait()
	equal(t, must(client.Count(ctx, mneme.CountQuery{}))(t).Count, 200)
}

func TestStubsHaveTheGuaranteesToo(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	memories := pb.NewMemoryServiceClient(client.Conn())
	request := &pb.StoreMemoryRequest{Parent: "namespaces/" + client.Namespace(), Memory: &pb.Memory{Text: "one"}}
	for range 2 { // Each use of a message has a request id of its own.
		must(memories.StoreMemory(ctx, request))(t)
	}
	equal(t, request.RequestId, "")
	equal(t, must(client.Count(ctx, mneme.CountQuery{}))(t).Count, 2)
	_, err := memories.GetMemory(ctx, &pb.GetMemoryRequest{Name: request.Parent + "/memories/none"})
	if !errors.Is(err, mneme.ErrNotFound) {
		t.Fatal(err)
	}
}

func TestLeavingAListOrAStreamIsNoError(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	for i := range 5 {
		must(client.Store(ctx, mneme.NewMemory{ID: fmt.Sprint("m", i), Text: "x"}))(t)
	}
	for memory, err := range client.List(ctx, mneme.ListQuery{PageSize: 2, Order: mneme.OrderCreateTimeAsc}) {
		if must(memory, err)(t); memory.ID == "m2" {
			break
		}
	}
	equal(t, len(all(t, client.List(ctx, mneme.ListQuery{PageSize: 2}))), 5)
	for memory, err := range client.ExportMemories(ctx, mneme.ExportQuery{}) {
		equal(t, must(memory, err)(t).ID, "m0")
		break
	}
	must(client.Subscriptions.Create(ctx, "feed", mneme.SubscriptionSettings{}))(t)
	must(client.Store(ctx, mneme.NewMemory{ID: "last", Text: "x"}))(t)
	for delivery, err := range client.Subscriptions.Consume(ctx, "feed", "me", mneme.ConsumeQuery{}) {
		equal(t, must(delivery, err)(t).ID, "last")
		delivery.Acknowledge()
		break
	}
	feed := must(client.Subscriptions.Get(ctx, "feed"))(t)
	if feed.Cursors[0].AcknowledgedRevision == 0 {
		t.Fatal("the acknowledgement is lost")
	}
}

func TestP12cWatchYieldsChangesOnly(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	first := must(client.Store(ctx, mneme.NewMemory{Text: "one"}))(t)
	for event, err := range client.Watch(ctx, mneme.WatchQuery{StartRevision: first.Revision}) {
		equal(t, must(event, err)(t).Memory.Text, "one")
		break
	}
	var kinds []mneme.ChangeKind
	for event, err := range client.Watch(ctx, mneme.WatchQuery{StartRevision: first.Revision, IncludeCaughtUp: true}) {
		if kinds = append(kinds, must(event, err)(t).Kind); event.Kind == mneme.WatchCaughtUp {
			break
		}
	}
	equal(t, len(kinds), 2)
}

func TestHookVetoes(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	hook := must(client.Lifecycle.ServeHook(ctx, mneme.HookRegistration{
		Hook: "guard", Phases: []mneme.Phase{mneme.PhaseBefore}, Transitions: []mneme.Transition{mneme.TransitionSpawn}, Required: true,
	}, func(_ context.Context, event mneme.LifecycleEvent) (mneme.HookAnswer, error) {
		return mneme.HookAnswer{Veto: "no " + event.Session.ID}, nil
	}))(t)
	_, err := client.Lifecycle.Spawn(ctx, mneme.SpawnQuery{SessionID: "one"})
	var failed *mneme.Error
	if !errors.As(err, &failed) || failed.Reason != mneme.ReasonHookVetoed {
		t.Fatal(err)
	}
	hook.Stop()
	if hook.Err() != nil {
		t.Fatal(hook.Err())
	}
	spawned := must(client.Lifecycle.Spawn(ctx, mneme.SpawnQuery{SessionID: "two", InitialValues: map[string]any{"a": 1}}))(t)
	equal(t, len(spawned.HookReports), 0)
	entry := must(client.Session("two").Get(ctx, "a"))(t)
	equal(t, must(entry.Value.Value())(t), any(json.Number("1")))
}

func TestSourceThatFailsEndsAnIngest(t *testing.T) {
	client := connect(t)
	defer client.Close()
	memories := []mneme.NewMemory{{Text: "one"}, {Text: "two", Content: math.NaN()}}
	var failure error
	for _, err := range client.Ingest(t.Context(), slices.Values(memories)) {
		failure = err
	}
	if !errors.Is(failure, mneme.ErrInvalidArgument) {
		t.Fatal(failure)
	}
}
