package main

import (
	"context"
	"reflect"

	"github.com/mneme-ai/mneme/clients/go"
)

func init() {
	for name, made := range conversationCalls {
		calls["conversations."+name] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
			return made(ctx, t.Conversations, a.text("conversation"), a)
		}
	}
	for name, made := range factCalls {
		calls["facts."+name] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
			return made(ctx, t.Facts, a)
		}
	}
	for name, made := range procedureCalls {
		calls["procedures."+name] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
			return made(ctx, t.Procedures, a)
		}
	}
	calls["episodes.record"] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Episodes.Record(ctx, of[mneme.NewEpisode](a), of[write](a)))
	}
	calls["episodes.reflect"] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Episodes.Reflect(ctx, of[mneme.ReflectQuery](a), of[only](a)))
	}
	calls["consolidation.run"] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Consolidation.Run(ctx, of[mneme.ConsolidateQuery](a), of[write](a)))
	}
	calls["consolidation.undo"] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Consolidation.Undo(ctx, a.text("report_id"), of[write](a)))
	}
	calls["build_context"] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.BuildContext(ctx, contextQueryOf(a), of[read](a)))
	}
}

var conversationCalls = map[string]func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error){
	"append": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.Append(ctx, id, at[[]mneme.ConversationMessage](a, "messages"), of[mneme.AppendOptions](a)))
	},
	"list": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return collected(c.List(ctx, id, of[mneme.ListMessagesQuery](a), of[read](a)))
	},
	"pop": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.Pop(ctx, id, of[mneme.PopOptions](a)))
	},
	"replace_suffix": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.ReplaceSuffix(ctx, id, of[mneme.SuffixQuery](a), of[write](a)))
	},
	"clear": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.Clear(ctx, id, of[write](a)))
	},
	"flush": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.Flush(ctx, id, of[only](a)))
	},
	"get_extraction_status": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		return result(c.GetExtractionStatus(ctx, id, of[only](a)))
	},
	"retry_extraction": func(ctx context.Context, c *mneme.Conversations, id string, a args) (any, error) {
		count, err := c.RetryExtraction(ctx, id, of[only](a))
		return named("retried_count", count, err)
	},
}

var factCalls = map[string]func(ctx context.Context, f *mneme.Facts, a args) (any, error){
	"assert_fact": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		return result(f.AssertFact(ctx, at[mneme.NewFact](a, "fact"), of[mneme.AssertOptions](a)))
	},
	"get": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		return result(f.Get(ctx, a.text("id"), of[only](a)))
	},
	"list": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		return collected(f.List(ctx, of[mneme.FactQuery](a), of[only](a)))
	},
	"list_history": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		scope := at[mneme.Scope](a, "scope")
		return result(f.ListHistory(ctx, a.text("subject"), a.text("attribute"), scope, of[only](a)))
	},
	"undo_supersession": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		return result(f.UndoSupersession(ctx, a.text("id"), of[write](a)))
	},
	"forget": func(ctx context.Context, f *mneme.Facts, a args) (any, error) {
		return result(f.Forget(ctx, of[mneme.ForgetFactsQuery](a), of[write](a)))
	},
}

var procedureCalls = map[string]func(ctx context.Context, p *mneme.Procedures, a args) (any, error){
	"record": func(ctx context.Context, p *mneme.Procedures, a args) (any, error) {
		return result(p.Record(ctx, at[mneme.NewProcedure](a, "procedure"), of[write](a)))
	},
	"find": func(ctx context.Context, p *mneme.Procedures, a args) (any, error) {
		return result(p.Find(ctx, a.text("situation"), of[mneme.ProcedureQuery](a), of[only](a)))
	},
	"record_outcome": func(ctx context.Context, p *mneme.Procedures, a args) (any, error) {
		return result(p.RecordOutcome(ctx, a.text("id"), mneme.Outcome(a.text("outcome")), a.text("note"), of[write](a)))
	},
}

// contextQueryOf has the limits of kinds under keys that are a type of their own.
func contextQueryOf(a args) mneme.ContextQuery {
	query := decoded[mneme.ContextQuery](without(a, "kind_limits"))
	limits, _ := a["kind_limits"].(object)
	for kind, limit := range limits {
		if query.KindLimits == nil {
			query.KindLimits = map[mneme.ContextKind]mneme.ContextKindLimit{}
		}
		query.KindLimits[mneme.ContextKind(kind)] = decoded[mneme.ContextKindLimit](limit.(object))
	}
	return query
}

func blockResult(block mneme.MessageBlock) object {
	switch {
	case block.ToolCall != nil:
		return object{"tool_call": resultOf(reflect.ValueOf(*block.ToolCall))}
	case block.ToolResult != nil:
		return object{"tool_result": resultOf(reflect.ValueOf(*block.ToolResult))}
	case block.Data != nil:
		return object{"data": contentResult(block.Data.(mneme.Content))}
	}
	return object{"text": block.Text}
}
