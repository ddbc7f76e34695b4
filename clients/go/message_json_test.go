package mneme_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

// shown is a message in one line: role, name, blocks, skipped parts and unread keys.
func shown(m mneme.JSONMessage) string {
	parts := []string{string(m.Role) + strings.TrimSuffix("/"+m.Name, "/")}
	for _, block := range m.Blocks {
		switch {
		case block.ToolCall != nil:
			parts = append(parts, fmt.Sprint("call:", *block.ToolCall))
		case block.ToolResult != nil:
			parts = append(parts, fmt.Sprint("result:", *block.ToolResult))
		default:
			parts = append(parts, block.Text)
		}
	}
	if len(m.Skipped) > 0 {
		parts = append(parts, fmt.Sprint("skipped:", m.Skipped))
	}
	if len(m.UnreadKeys) > 0 {
		parts = append(parts, fmt.Sprint("unread:", m.UnreadKeys))
	}
	return strings.Join(parts, " | ")
}

func TestC5MessagesOfOtherPrograms(t *testing.T) {
	for given, want := range map[string]string{
		`{"role": "user", "content": "Hi"}`:                            "user | Hi",
		`{"role": "human", "name": "Ann", "text": "Hi", "mood": "up"}`: "user/Ann | Hi | unread:[mood]",
		`{"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{\"a\":1}"}}]}`: `assistant | call:{c1 add {"a":1}}`,
		`{"role": "tool", "tool_call_id": "c1", "content": "2"}`:                                                                                                                     "tool | result:{c1 2 false}",
		`{"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:x"}}]}`:                                                      "user | See | skipped:[image]",
		`{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "tool_use", "id": "t", "name": "go", "input": {"id": 1145678901234567891}}]}`:            `assistant | Hm | call:{t go {"id":1145678901234567891}}`,
		`{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": [{"type": "text", "text": "no"}, {"type": "image", "source": {}}]}]}`: "user | result:{t no true} | skipped:[image]",
		`{"role": "assistant", "parts": [{"type": "reasoning", "text": "Hm"}, {"type": "tool-call", "toolCallId": "t", "toolName": "go", "args": {}}]}`:                              "assistant | Hm | call:{t go {}}",
		`{"type": "human", "data": {"content": "Hi", "name": "Ann"}}`:                                                                                                                "user/Ann | Hi",
		`{"lc": 1, "id": ["langchain", "schema", "AIMessageChunk"], "kwargs": {"content": "Ho"}}`:                                                                                    "assistant | Ho",
		`{"type": "function_call_output", "call_id": "c", "output": {"ok": true}}`:                                                                                                   `tool | result:{c {"ok":true} false}`,
		`{"role": "model", "parts": [{"functionCall": {"name": "go", "args": {"x": 1}}}, {"mimeType": "audio/wav"}]}`:                                                                `assistant | call:{ go {"x":1}} | skipped:[audio]`,
		`{"role": "user", "blocks": [{"text": "a"}, {"tool_call": {"id": "c", "name": "n", "arguments_json": "{}"}}]}`:                                                               "user | a | call:{c n {}}",
	} {
		read, err := mneme.MessageFromJSON([]byte(given))
		if err != nil || shown(read) != want {
			t.Errorf("%s\n got %s %v\nwant %s", given, shown(read), err, want)
		}
	}
}

func TestC5TimesOfMessages(t *testing.T) {
	want := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for _, written := range []string{
		`"2026-05-01T09:00:00Z"`, `"2026-05-01 11:00:00+02:00"`, `1777626000`, `"1777626000"`, `1777626000000`, `1777626000000000`,
		`1777626000000000000`, `1777626000.0`, `"Fri, 01 May 2026 09:00:00 GMT"`,
	} {
		read := must(mneme.MessageFromJSON([]byte(`{"role": "user", "text": "Hi", "timestamp": ` + written + `}`)))(t)
		if !read.EventTime.Equal(want) || read.UnreadableTime != "" {
			t.Error(written, read.EventTime, read.UnreadableTime)
		}
	}
	read := must(mneme.MessageFromJSON([]byte(`{"role": "user", "text": "Hi", "ts": "soon"}`)))(t)
	equal(t, read.UnreadableTime, `"soon"`)
}

func TestC5NothingIsStoredEmptyInSilence(t *testing.T) {
	for given, want := range map[string]string{
		`[]`:               `message: must be an object with role and text, got []`,
		`{"content": "x"}`: "role: expected one of user, human,",
		`{"role": "usr"}`:  `got "usr"`,
		`{`:                "message: must be JSON",
	} {
		if _, err := mneme.MessageFromJSON([]byte(given)); !errors.Is(err, mneme.ErrInvalidArgument) || !strings.Contains(err.Error(), want) {
			t.Error(given, err)
		}
	}
	client := connect(t)
	defer client.Close()
	image := must(mneme.MessageFromJSON([]byte(`{"role": "user", "content": [{"type": "image_url"}]}`)))(t)
	equal(t, fmt.Sprint(image.Skipped), "[image]")
	for _, message := range []mneme.ConversationMessage{image.ConversationMessage, {Role: mneme.RoleUser}, mneme.UserMessage("")} {
		if _, err := client.Conversations.Append(t.Context(), "c", []mneme.ConversationMessage{message}); !errors.Is(err, mneme.ErrInvalidArgument) {
			t.Error(err)
		}
	}
	read := must(mneme.MessageFromJSON([]byte(`{"role": "user", "content": "Hi", "created_at": "2026-05-01"}`)))(t)
	must(client.Conversations.Append(t.Context(), "c", []mneme.ConversationMessage{read.ConversationMessage}))(t)
	stored := all(t, client.Conversations.List(t.Context(), "c", mneme.ListMessagesQuery{}))
	equal(t, stored[0].Text(), "Hi")
	equal(t, stored[0].EventTime, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
}

func TestA1OptionsWithoutEffectAreRefused(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	must(client.StoreTexts(ctx, []string{"one", "two", "three"}))(t)
	refused := func(want string, err error) {
		t.Helper()
		if !errors.Is(err, mneme.ErrInvalidArgument) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	forget := func(query mneme.ForgetQuery) error { _, err := client.Forget(ctx, query); return err }
	refused("filter: is required", forget(mneme.ForgetQuery{}))
	refused("filter: is required", forget(mneme.ForgetQuery{DryRun: true}))
	refused("filter: must not be an empty text", forget(mneme.ForgetQuery{Filter: mneme.FilterText("")}))
	refused("filter: must not be an empty text", forget(mneme.ForgetQuery{Filter: mneme.FilterText(" "), All: true}))
	refused("must be 1 to 64", forget(mneme.ForgetQuery{Filter: mneme.AllOf()}))
	refused("must be 1 to 1000", forget(mneme.ForgetQuery{Filter: mneme.Where.ID.IsIn(nil)}))
	refused("must be absent when all is set", forget(mneme.ForgetQuery{Filter: mneme.Where.Type.Equals("fact"), All: true}))
	refused("did you mean type?", forget(mneme.ForgetQuery{Filter: mneme.FilterText(`tpye = "fact"`)}))
	_, err := client.Forget(ctx, mneme.ForgetQuery{All: true}, mneme.WriteOptions{RequestID: "a"}, mneme.WriteOptions{})
	refused("options: must be at most one value, got 2", err)
	_, err = client.ClearTier(ctx, mneme.TierShortTerm, mneme.ClearTierQuery{})
	refused("scope: is required", err)
	_, err = client.Namespaces.Delete(ctx, "", mneme.DeleteNamespaceOptions{Force: true})
	refused("namespace: must be", err)
	_, err = client.Recall(ctx, mneme.RecallQuery{Text: "one", NearTime: &mneme.NearTime{Time: time.Now(), Step: 3}})
	refused("near_time.step: must be absent beside time", err)
	both := mneme.MessageBlock{Text: "a", ToolResult: &mneme.ToolResult{Text: "b"}}
	_, err = client.Conversations.Append(ctx, "c", []mneme.ConversationMessage{{Role: mneme.RoleUser, Blocks: []mneme.MessageBlock{both}}})
	refused("blocks: a block has one of", err)
	_, err = mneme.Connect("127.0.0.1:1", mneme.WithTLS(mneme.TLS{Config: nil, ServerName: "a", Key: []byte("k")}))
	refused("tls.cert", err)
	equal(t, must(client.Count(ctx, mneme.CountQuery{}))(t).Count, int64(3))
}

func TestA11ErrorsNameTheNamespaceOfTheCaller(t *testing.T) {
	for given, want := range map[string]string{
		"ada@example.org": `got "ada@example.org"; did you mean "ada-example.org"?`, "Ada": `got "Ada"; did you mean "ada"?`, "": `got ""`,
	} {
		client := connect(t, mneme.WithNamespace(given))
		_, stored := client.Store(t.Context(), mneme.NewMemory{Text: "x"})
		_, read := client.Get(t.Context(), "x")
		_, inSession := client.Session("s").Get(t.Context(), "x")
		var watched error
		for _, err := range client.Watch(t.Context(), mneme.WatchQuery{}) {
			watched = err
		}
		client.Close()
		for _, err := range []error{stored, read, inSession} {
			if !strings.HasSuffix(err.Error(), "namespace: must be [a-z0-9] and up to 62 more of [a-z0-9._-], "+want) {
				t.Error(err)
			}
		}
		var failed *mneme.Error
		if !errors.As(watched, &failed) || failed.Violations[0].Field != "namespace" || strings.Contains(watched.Error(), "namespaces/") {
			t.Error(watched)
		}
	}
}

func TestTextsAreStoredAsTheyAre(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	stored := must(client.StoreText(ctx, "I play the cello.", mneme.TextOptions{Speaker: "Ann", Session: "s", Tags: []string{"music"}, Time: at}))(t)
	memory := must(client.Get(ctx, stored.ID))(t)
	equal(t, memory.Text+memory.Source.Speaker+memory.Scope.Session+memory.Type, "I play the cello.Annsmessage")
	equal(t, memory.EventTime, at)
	if !slices.Equal(memory.Tags, []string{"music"}) {
		t.Fatal(memory.Tags)
	}
	receipts := must(client.StoreTexts(ctx, []string{"a", "b"}, mneme.TextOptions{Namespace: "texts-elsewhere", Type: "note"}))(t)
	equal(t, must(client.WithNamespace("texts-elsewhere").Get(ctx, receipts[1].ID))(t).Type, "note")
	if _, err := client.StoreText(ctx, ""); !errors.Is(err, mneme.ErrInvalidArgument) {
		t.Fatal(err)
	}
}

func TestA2ContentsKeepTheDigitsOfNumbers(t *testing.T) {
	client, ctx := connect(t), t.Context()
	defer client.Close()
	for _, given := range []any{map[string]int64{"user": 1145678901234567891}, map[string]uint64{"user": 18446744073709551615}} {
		stored := must(client.Store(ctx, mneme.NewMemory{Content: given}))(t)
		read := must(must(client.Get(ctx, stored.ID))(t).Content.Value())(t)
		equal(t, fmt.Sprint(read), fmt.Sprint(given))
	}
}
