package main

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
	"google.golang.org/genproto/googleapis/rpc/code"
)

// absentWhenEmpty are texts and durations that the protocol leaves out where there are none.
var absentWhenEmpty = []string{
	"project", "agent_type", "agent", "session", "speaker", "uri", "origin", "location", "room", "region", "superseded_by",
	"checkpoint_id", "agent_snapshot_id", "outcome", "episode_id", "refusal", "resume_token", "default_ttl_ms", "idle_ttl_ms", "tier",
	"withdrawn_id", "report_id",
}

// resultOf is a result of the client in the form of the protocol.
func resultOf(value reflect.Value) any {
	switch typed := value.Interface().(type) {
	case time.Time:
		return typed.UTC().Format("2006-01-02T15:04:05.000000Z")
	case mneme.Content:
		return contentResult(typed)
	case *mneme.Error:
		return errorResult(typed)
	case mneme.Filter:
		return typed.String()
	case mneme.WatchEvent:
		return watchResult(typed)
	case mneme.MessageBlock:
		return blockResult(typed)
	case json.RawMessage:
		return typed
	}
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return nil
		}
		return resultOf(value.Elem())
	case reflect.Slice:
		list := make([]any, value.Len())
		for i := range list {
			list[i] = resultOf(value.Index(i))
		}
		return list
	case reflect.Map:
		fields := object{}
		for key, each := range value.Seq2() {
			fields[key.String()] = resultOf(each)
		}
		return fields
	case reflect.Struct:
		fields := object{}
		addFields(fields, value)
		return fields
	case reflect.Float32:
		return value.Float()
	}
	return value.Interface()
}

func addFields(fields object, value reflect.Value) {
	for i := range value.NumField() {
		field, each := value.Type().Field(i), value.Field(i)
		name := snake(field.Name)
		if field.Type == spanType {
			name += "_ms"
		}
		switch {
		case field.Anonymous:
			addFields(fields, each)
		case !field.IsExported(), isAbsent(name, each):
		case field.Type == spanType:
			fields[name] = float64(each.Int()) / float64(time.Millisecond)
		default:
			fields[name] = resultOf(each)
		}
	}
}

func isAbsent(name string, value reflect.Value) bool {
	if at, is := value.Interface().(time.Time); is {
		return at.IsZero()
	}
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		return value.IsNil()
	case reflect.Slice:
		return value.IsNil() && value.Type() == reflect.TypeFor[json.RawMessage]()
	}
	return value.IsZero() && slices.Contains(absentWhenEmpty, name)
}

// watchResult: events that are no changes have only what is said of them.
func watchResult(event mneme.WatchEvent) object {
	fields := object{"kind": event.Kind, "revision": event.Revision}
	switch event.Kind {
	case mneme.WatchRelisting:
		return fields
	case mneme.WatchListed:
		fields["id"], fields["memory"] = event.ID, resultOf(reflect.ValueOf(event.Memory))
		return fields
	}
	fields["resume_token"] = event.ResumeToken
	if event.Kind != mneme.WatchCaughtUp {
		addFields(fields, reflect.ValueOf(event.MemoryChange))
	}
	return fields
}

func contentResult(content mneme.Content) object {
	fields := object{"media_type": content.MediaType}
	switch {
	case content.MediaType == "application/json":
		fields["json"] = json.RawMessage(content.Data)
	case strings.HasPrefix(content.MediaType, "text/"):
		text, err := content.Text()
		if err != nil {
			panic(err)
		}
		fields["text"] = text
	default:
		fields["data"] = object{"$bytes": base64.StdEncoding.EncodeToString(content.Data)}
	}
	return fields
}

func errorResult(err *mneme.Error) object {
	fields := object{
		"code": code.Code(err.Code).String(), "metadata": err.Metadata, "violations": []any{}, "retryable": err.Retryable(),
		"family": err.Family, "message": err.Message,
	}
	if err.Metadata == nil {
		fields["metadata"] = object{}
	}
	if err.Reason != "" {
		fields["reason"] = err.Reason
	}
	if err.Violations != nil {
		fields["violations"] = resultOf(reflect.ValueOf(err.Violations))
	}
	if err.RetryDelay >= 0 {
		fields["retry_delay_ms"] = float64(err.RetryDelay) / float64(time.Millisecond)
	}
	return fields
}
