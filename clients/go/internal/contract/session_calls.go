package main

import (
	"context"
	"time"

	"github.com/mneme-ai/mneme/clients/go"
)

func init() {
	for name, made := range sessionCalls {
		calls["session."+name] = func(ctx context.Context, t *mneme.Client, a args) (any, error) {
			return made(ctx, t.Session(a.text("session")), a)
		}
	}
	for name, made := range lifeCalls {
		calls["lifecycle."+name] = func(ctx context.Context, t *mneme.Client, a args) (any, error) { return made(ctx, t.Lifecycle, a) }
	}
}

var lifeCalls = map[string]func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error){
	"spawn": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		query := decoded[mneme.SpawnQuery](without(a, "initial_values"))
		if values, is := a["initial_values"].(object); is {
			query.InitialValues = map[string]any{}
			for key, value := range values {
				query.InitialValues[key] = contentOf(value)
			}
		}
		return result(l.Spawn(ctx, query, of[write](a)))
	},
	"pause": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return result(l.Pause(ctx, a.text("session"), of[mneme.PauseQuery](a), of[write](a)))
	},
	"resume": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return result(l.Resume(ctx, a.text("session"), of[mneme.ResumeQuery](a), of[write](a)))
	},
	"terminate": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		a["actions"] = actionsOf(a["actions"])
		return result(l.Terminate(ctx, a.text("session"), of[mneme.TerminateQuery](a), of[write](a)))
	},
	"delete": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return result(l.Delete(ctx, a.text("session"), of[mneme.DeleteSessionQuery](a), of[write](a)))
	},
	"get": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return result(l.Get(ctx, a.text("session"), of[mneme.GetSessionOptions](a)))
	},
	"list": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return collected(l.List(ctx, of[mneme.ListSessionsQuery](a), of[only](a)))
	},
	"list_checkpoints": func(ctx context.Context, l *mneme.Lifecycle, a args) (any, error) {
		return collected(l.ListCheckpoints(ctx, a.text("session"), of[only](a)))
	},
}

func without(a args, name string) object {
	rest := object{}
	for key, value := range a {
		if key != name {
			rest[key] = value
		}
	}
	return rest
}

var sessionCalls = map[string]func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error){
	"set": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.Set(ctx, a.text("key"), contentOf(a["value"]), decoded[mneme.SetOptions](setOf(object(a)))))
	},
	"get": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return orNothing(w.Get(ctx, a.text("key"), of[only](a)))
	},
	"batch_get": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.BatchGet(ctx, a.texts("keys"), of[only](a)))
	},
	"has": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.Has(ctx, a.text("key"), of[only](a)))
	},
	"delete": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.Delete(ctx, a.text("key"), of[condition](a)))
	},
	"list_keys": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return collected(w.ListKeys(ctx, a.text("pattern"), of[only](a)))
	},
	"get_all": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return collected(w.GetAll(ctx, of[mneme.GetAllQuery](a), of[only](a)))
	},
	"clear": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.Clear(ctx, of[mneme.ClearOptions](a)))
	},
	"transact": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.Transact(ctx, operationsOf(a["operations"]), of[write](a)))
	},
	"set_task_state": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.SetTaskState(ctx, of[mneme.Task](a), of[condition](a)))
	},
	"get_task_state": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return orNothing(w.GetTaskState(ctx, of[only](a)))
	},
	"update_task_progress": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.UpdateTaskProgress(ctx, of[mneme.TaskProgress](a), of[condition](a)))
	},
	"append_scratchpad": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.AppendScratchpad(ctx, notesOf(a["notes"]), of[write](a)))
	},
	"list_scratchpad": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		a["newest_first"] = a["order"] == "newest"
		return collected(w.ListScratchpad(ctx, of[mneme.ListScratchpadOptions](a)))
	},
	"clear_scratchpad": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		count, err := w.ClearScratchpad(ctx, of[write](a))
		return named("note_count", count, err)
	},
	"create_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.CreateCheckpoint(ctx, of[mneme.CheckpointOptions](a)))
	},
	"restore_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.RestoreCheckpoint(ctx, a.text("id"), of[mneme.RestoreOptions](a)))
	},
	"list_checkpoints": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return collected(w.ListCheckpoints(ctx, of[mneme.ListCheckpointsOptions](a)))
	},
	"get_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.GetCheckpoint(ctx, a.text("id"), of[only](a)))
	},
	"delete_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return nothing(w.DeleteCheckpoint(ctx, a.text("id"), of[write](a)))
	},
	"keep_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		ttl := of[struct{ TTL time.Duration }](a).TTL
		return result(w.KeepCheckpoint(ctx, a.text("id"), ttl, of[write](a)))
	},
	"fork_checkpoint": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.ForkCheckpoint(ctx, a.text("id"), a.text("target"), of[write](a)))
	},
	"diff_checkpoints": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		to := mneme.CheckpointDiffTo{CheckpointID: a.text("to_checkpoint_id"), Session: a.text("to_session")}
		return result(w.DiffCheckpoints(ctx, a.text("from"), to, of[only](a)))
	},
	"get_statistics": func(ctx context.Context, w *mneme.WorkingMemory, a args) (any, error) {
		return result(w.GetStatistics(ctx, of[only](a)))
	},
}
