package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"

	"github.com/mneme-ai/mneme/clients/go"
)

// args are the arguments of a call, and what is read of them most.
type args object

func (a args) text(name string) string { text, _ := a[name].(string); return text }

func (a args) texts(name string) []string {
	return decoded[struct{ List []string }](object{"list": a[name]}).List
}

// of decodes all arguments into a query or options; each takes its own.
func of[T any](a args) T { return decoded[T](object(a)) }

// at decodes one argument.
func at[T any](a args, name string) T {
	return decoded[struct{ Value T }](object{"value": a[name]}).Value
}

type callFunc func(ctx context.Context, t *mneme.Client, a args) (any, error)

func callOf(ctx context.Context, r request) (any, error) {
	made := calls[r.Method]
	if made == nil {
		return nil, fmt.Errorf("no call %s", r.Method)
	}
	arguments, _ := expanded(r.Args).(object)
	if arguments == nil {
		arguments = object{}
	}
	result, err := made(ctx, clientOf(r.Client), args(arguments))
	if err != nil || result == nil {
		return nil, err
	}
	return resultOf(reflect.ValueOf(result)), nil
}

func collected[Item any](items iter.Seq2[Item, error]) (any, error) {
	all := []Item{}
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

func named(name string, value any, err error) (any, error) { return object{name: value}, err }

func result[T any](value T, err error) (any, error) { return value, err }

func nothing(err error) (any, error) { return nil, err }

// orNothing is {} for nil.
func orNothing[T any](value *T, err error) (any, error) {
	if value == nil {
		return nil, err
	}
	return value, err
}

func changesOf(given object) mneme.MemoryChanges {
	changes := decoded[mneme.MemoryChanges](given)
	for name, value := range given {
		if value == nil {
			changes.Clear = append(changes.Clear, name)
		}
		if scope, is := value.(object); is && name == "scope" {
			for part, value := range scope {
				if value == nil {
					changes.Clear = append(changes.Clear, "scope."+part)
				}
			}
		}
	}
	return changes
}

// setOf returns an expiry by the name that options have here.
func setOf(given object) object {
	switch expiry := given["expiry"].(type) {
	case string:
		given["ttl_ms"] = expiry
	case object:
		given["ttl_ms"] = expiry["ttl_ms"]
	}
	if given["session_default_ttl_ms"] == nil {
		delete(given, "session_default_ttl_ms")
	}
	return given
}

func operationsOf(list any) (operations []mneme.Operation) {
	for _, each := range list.([]any) {
		given := setOf(each.(object))
		for _, kind := range []string{"set", "remove", "touch", "check"} {
			if key, is := given[kind]; is {
				given["key"] = key
				switch kind {
				case "set":
					operations = append(operations, decoded[mneme.SetKey](given))
				case "remove":
					operations = append(operations, decoded[mneme.RemoveKey](given))
				case "touch":
					operations = append(operations, decoded[mneme.TouchKey](given))
				case "check":
					operations = append(operations, decoded[mneme.CheckKey](given))
				}
			}
		}
	}
	return operations
}

func actionsOf(list any) any {
	actions, _ := list.([]any)
	for i, each := range actions {
		if text, is := each.(string); is {
			actions[i] = object{"description": text}
		}
	}
	return list
}

func diffToOf(a args) mneme.DiffTo {
	if a["to"] == nil {
		return mneme.DiffTo{}
	}
	return at[mneme.DiffTo](a, "to")
}

func notesOf(list any) (notes []any) {
	for _, each := range list.([]any) {
		if text, is := each.(string); is {
			notes = append(notes, text)
		} else {
			notes = append(notes, contentOf(each))
		}
	}
	return notes
}

func settingsOf(a args) mneme.Settings {
	settings := mneme.Settings{}
	given, _ := a["settings"].(object)
	for key, value := range given {
		if number, is := value.(json.Number); is {
			value = number.String()
		}
		settings[key] = value
	}
	return settings
}

func namespaceSettingsOf(a args) mneme.NamespaceSettings {
	settings := mneme.NamespaceSettings{}
	if text, is := a["description"].(string); is {
		settings.Description = &text
	}
	if a["memory_limit"] != nil {
		settings.MemoryLimit = mneme.Ptr(at[int64](a, "memory_limit"))
	}
	if a["settings"] != nil {
		settings.Settings = settingsOf(a)
	}
	return settings
}

type (
	read      = mneme.ReadOptions
	write     = mneme.WriteOptions
	only      = mneme.CallOptions
	condition = mneme.ChangeOptions
)

var calls = map[string]callFunc{
	"store": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Store(ctx, at[mneme.NewMemory](a, "memory"), of[write](a)))
	},
	"batch_store": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.BatchStore(ctx, at[[]mneme.NewMemory](a, "memories"), of[write](a)))
	},
	"get": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Get(ctx, a.text("id"), of[mneme.GetOptions](a)))
	},
	"batch_get": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.BatchGet(ctx, a.texts("ids"), of[mneme.BatchGetOptions](a)))
	},
	"update": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Update(ctx, a.text("id"), changesOf(a["changes"].(object)), of[condition](a)))
	},
	"supersede": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Supersede(ctx, a.text("id"), at[mneme.NewMemory](a, "memory"), of[condition](a)))
	},
	"set_importance": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.SetImportance(ctx, a.text("id"), at[float64](a, "importance"), of[condition](a)))
	},
	"delete": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		revision, err := t.Delete(ctx, a.text("id"), of[mneme.DeleteOptions](a))
		return named("revision", revision, err)
	},
	"forget": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Forget(ctx, of[mneme.ForgetQuery](a), of[write](a)))
	},
	"count": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Count(ctx, of[mneme.CountQuery](a), of[read](a)))
	},
	"list": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.List(ctx, of[mneme.ListQuery](a), of[read](a)))
	},
	"list_page": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.ListPage(ctx, of[mneme.ListQuery](a), of[read](a)))
	},
	"list_revisions": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.ListRevisions(ctx, a.text("id"), of[only](a)))
	},
	"get_attribute_history": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.GetAttributeHistory(ctx, a.text("path"), of[mneme.AttributeHistoryQuery](a), of[read](a)))
	},
	"get_states_at_steps": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.GetStatesAtSteps(ctx, at[[]int64](a, "steps"), of[mneme.StatesQuery](a), of[read](a)))
	},
	"get_sequence": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.GetSequence(ctx, a.text("id"), of[mneme.SequenceQuery](a), of[read](a)))
	},
	"recall": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Recall(ctx, queryOf(a), of[read](a)))
	},
	"list_recall_presets": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.ListRecallPresets(ctx, of[only](a)))
	},
	"demote": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Demote(ctx, a.texts("ids"), of[mneme.MoveOptions](a)))
	},
	"promote": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Promote(ctx, a.texts("ids"), of[mneme.MoveOptions](a)))
	},
	"clear_tier": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.ClearTier(ctx, mneme.Tier(a.text("tier")), of[mneme.ClearTierQuery](a), of[write](a)))
	},
	"export_memories": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.ExportMemories(ctx, of[mneme.ExportQuery](a), of[only](a)))
	},
	"namespaces.create": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.Create(ctx, a.text("namespace"), namespaceSettingsOf(a), of[write](a)))
	},
	"namespaces.get": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.Get(ctx, a.text("namespace"), of[only](a)))
	},
	"namespaces.list": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.Namespaces.List(ctx, of[only](a)))
	},
	"namespaces.update": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.Update(ctx, a.text("namespace"), namespaceSettingsOf(a), of[mneme.NamespaceOptions](a)))
	},
	"namespaces.delete": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.Delete(ctx, a.text("namespace"), of[mneme.DeleteNamespaceOptions](a)))
	},
	"namespaces.list_scopes": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.Namespaces.ListScopes(ctx, a.text("namespace"), of[only](a)))
	},
	"namespaces.get_statistics": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.GetStatistics(ctx, a.text("namespace"), of[mneme.StatisticsOptions](a)))
	},
	"namespaces.get_agent_statistics": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Namespaces.GetAgentStatistics(ctx, a.text("agent"), a.text("namespace"), of[mneme.StatisticsOptions](a)))
	},
	"admin.get_server_info": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.GetServerInfo(ctx, of[only](a)))
	},
	"admin.get_server_statistics": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.GetServerStatistics(ctx, of[mneme.StatisticsOptions](a)))
	},
	"admin.get_agent_statistics": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.GetAgentStatistics(ctx, a.text("agent"), of[mneme.StatisticsOptions](a)))
	},
	"admin.reembed": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.Reembed(ctx, a.text("namespace"), of[only](a)))
	},
	"admin.get_reembed_progress": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.GetReembedProgress(ctx, a.text("namespace"), of[only](a)))
	},
	"admin.maintain_tiers": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.Admin.MaintainTiers(ctx, of[mneme.MaintainQuery](a), of[only](a)))
	},
	"admin.clear_recall_cache": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.ClearRecallCache(ctx, a.text("namespace"), of[only](a)))
	},
	"admin.get_config": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.GetConfig(ctx, of[only](a)))
	},
	"admin.update_config": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Admin.UpdateConfig(ctx, settingsOf(a), of[mneme.ConfigOptions](a)))
	},
	"scopes.set_policy": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return nothing(t.Scopes.SetPolicy(ctx, at[mneme.Scope](a, "scope"), of[mneme.ScopePolicy](a), of[write](a)))
	},
	"scopes.list_policies": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Scopes.ListPolicies(ctx, of[only](a)))
	},
	"agents.create_snapshot": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Agents.CreateSnapshot(ctx, at[mneme.Scope](a, "scope"), of[mneme.SnapshotOptions](a)))
	},
	"agents.list_snapshots": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return collected(t.Agents.ListSnapshots(ctx, of[only](a)))
	},
	"agents.delete_snapshot": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return nothing(t.Agents.DeleteSnapshot(ctx, a.text("id"), of[write](a)))
	},
	"agents.diff_snapshots": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Agents.DiffSnapshots(ctx, a.text("id"), diffToOf(a), of[only](a)))
	},
	"agents.restore_snapshot": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Agents.RestoreSnapshot(ctx, a.text("id"), of[write](a)))
	},
	"agents.fork_snapshot": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		count, err := t.Agents.ForkSnapshot(ctx, a.text("id"), at[mneme.Scope](a, "to"), of[write](a))
		return named("copied_count", count, err)
	},
	"subscriptions.create": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Subscriptions.Create(ctx, a.text("id"), of[mneme.SubscriptionSettings](a), of[write](a)))
	},
	"subscriptions.get": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Subscriptions.Get(ctx, a.text("id"), of[only](a)))
	},
	"subscriptions.list": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Subscriptions.List(ctx, of[only](a)))
	},
	"subscriptions.delete": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return nothing(t.Subscriptions.Delete(ctx, a.text("id"), of[write](a)))
	},
	"subscriptions.rotate_webhook_secret": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Subscriptions.RotateWebhookSecret(ctx, a.text("id"), of[mneme.WebhookRotation](a), of[write](a)))
	},
	"subscriptions.resume_webhook": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return result(t.Subscriptions.ResumeWebhook(ctx, a.text("id"), a.text("url"), of[write](a)))
	},
	"lifecycle.acknowledge_events": func(ctx context.Context, t *mneme.Client, a args) (any, error) {
		return nothing(t.Lifecycle.AcknowledgeEvents(ctx, a.text("consumer"), a.text("event"), of[only](a)))
	},
}

func queryOf(a args) mneme.RecallQuery {
	if near, is := a["near_place"].(object); is && near["scale_m"] != nil {
		near["scale"] = near["scale_m"]
	}
	return of[mneme.RecallQuery](a)
}
