// Package mneme is the client of Mneme, a memory server for AI agents.
//
//	client, err := mneme.Connect("127.0.0.1:50051", mneme.WithNamespace("city"))
//	if err != nil { … }
//	defer client.Close()
//
//	receipt, err := client.Store(ctx, mneme.NewMemory{Text: "The museum is closed on Mondays."})
//	found, err := client.Recall(ctx, mneme.RecallQuery{Text: "When is the museum closed?"})
//
// Every call takes a context first: its deadline is that of the call, and cancelling it ends the call or the stream. A call whose
// context has no deadline takes at most 10 seconds, a recall 5 (WithTimeout, WithRecallTimeout).
//
// The client promises of every call: a mutation carries a request id, made before the first attempt, so that repeating
// it is safe; a call that fails with UNAVAILABLE is repeated a few times; a call waits for the return of a server that was there; reads see
// the earlier writes and reads of the client, whichever replica answers. Each of these can be switched off.
//
// Lists and streams are sequences of items and errors (iter.Seq2): an error is the last thing that they give.
//
//	for event, err := range client.Watch(ctx, mneme.WatchQuery{}) {
//		if err != nil { … }
//	}
//
// Streams are opened again, where they were, when the connection breaks. Errors are of type *Error; errors.Is tells their status and
// family (ErrNotFound, ErrStore, …).
package mneme
