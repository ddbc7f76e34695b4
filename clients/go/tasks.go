package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// TaskStatus is the status of a task.
type TaskStatus string

// The statuses of tasks.
const (
	TaskPending    TaskStatus = "pending"
	TaskInProgress TaskStatus = "in_progress"
	TaskBlocked    TaskStatus = "blocked"
	TaskCompleted  TaskStatus = "completed"
	TaskFailed     TaskStatus = "failed"
	TaskCancelled  TaskStatus = "cancelled"
)

// Task is the task of a session.
type Task struct {
	TaskID      string
	Description string
	// Status: default TaskPending.
	Status TaskStatus
	// Detail has details of the status.
	Detail      string
	CurrentStep int64
	// TotalSteps is 0 when it is not known.
	TotalSteps int64
	// ProgressPercent is 0 to 100; other values are clamped.
	ProgressPercent float64
}

// TaskState is a task as the server has it.
type TaskState struct {
	Task
	StartTime  time.Time
	UpdateTime time.Time
	Version    int64
}

// TaskProgress are the changes of a task: nil and empty fields stay.
type TaskProgress struct {
	Description     *string
	Status          TaskStatus
	Detail          *string
	CurrentStep     *int64
	TotalSteps      *int64
	ProgressPercent *float64
}

func taskOf(t *pb.TaskState) (TaskState, error) {
	if t == nil {
		return TaskState{}, incompleteAnswer("task state")
	}
	task := Task{
		t.TaskId, t.Description, wordOf(t.Status, "TASK_STATUS_", TaskPending), t.Detail, t.CurrentStep, t.TotalSteps, t.ProgressPercent,
	}
	return TaskState{task, timeOf(t.StartTime), timeOf(t.UpdateTime), t.Version}, nil
}

func taskStatusCode(status TaskStatus) (pb.TaskStatus, error) {
	return codeOf[pb.TaskStatus](pb.TaskStatus_value, "TASK_STATUS_", status, "status")
}

// SetTaskState sets the task of the session.
func (w *WorkingMemory) SetTaskState(ctx context.Context, task Task, o ...ChangeOptions) (TaskState, error) {
	if task.Status == "" {
		task.Status = TaskPending
	}
	status, err := taskStatusCode(task.Status)
	if err != nil {
		return TaskState{}, err
	}
	options := only(o)
	request := &pb.SetTaskStateRequest{Session: w.name(), IfVersion: options.IfVersion, Task: &pb.TaskState{
		TaskId: task.TaskID, Description: task.Description, Status: status, Detail: task.Detail, CurrentStep: task.CurrentStep,
		TotalSteps: task.TotalSteps, ProgressPercent: task.ProgressPercent,
	}}
	answer, err := call[pb.SetTaskStateResponse](ctx, w.conn, pb.WorkingMemoryService_SetTaskState_FullMethodName, request, options.settings())
	if err != nil {
		return TaskState{}, err
	}
	return taskOf(answer.Task)
}

// GetTaskState returns the task of the session; nil when there is no task.
func (w *WorkingMemory) GetTaskState(ctx context.Context, o ...CallOptions) (*TaskState, error) {
	request := &pb.GetTaskStateRequest{Session: w.name()}
	answer, err := call[pb.GetTaskStateResponse](ctx, w.conn, pb.WorkingMemoryService_GetTaskState_FullMethodName, request, only(o).settings())
	if err != nil || answer.Task == nil {
		return nil, err
	}
	task, err := taskOf(answer.Task)
	return &task, err
}

// UpdateTaskProgress changes the fields that are set. ErrNotFound when there is no task.
func (w *WorkingMemory) UpdateTaskProgress(ctx context.Context, progress TaskProgress, o ...ChangeOptions) (TaskState, error) {
	status, err := taskStatusCode(progress.Status)
	if err != nil {
		return TaskState{}, err
	}
	options := only(o)
	request := &pb.UpdateTaskProgressRequest{
		Session: w.name(), CurrentStep: progress.CurrentStep, ProgressPercent: progress.ProgressPercent, Status: status,
		Detail: progress.Detail, Description: progress.Description, TotalSteps: progress.TotalSteps, IfVersion: options.IfVersion,
	}
	answer, err := call[pb.UpdateTaskProgressResponse](ctx, w.conn, pb.WorkingMemoryService_UpdateTaskProgress_FullMethodName, request, options.settings())
	if err != nil {
		return TaskState{}, err
	}
	return taskOf(answer.Task)
}

// Note is an entry of a scratchpad.
type Note struct {
	// Sequence counts from 1; never used again in a session.
	Sequence int64
	Time     time.Time
	Content  Content
}

// Appended is where notes went.
type Appended struct {
	FirstSequence int64
	// DroppedCount is of the oldest notes, which had to go.
	DroppedCount int64
}

// AppendScratchpad appends notes to the scratchpad: strings, which are stored as plain text, or Content.
func (w *WorkingMemory) AppendScratchpad(ctx context.Context, notes []any, o ...WriteOptions) (Appended, error) {
	contents, err := mappedAll(notes, func(note any) (*pb.Content, error) {
		if text, ok := note.(string); ok {
			note = TextContent(text)
		}
		return contentMessage(note, "content")
	})
	if err != nil {
		return Appended{}, err
	}
	request := &pb.AppendScratchpadRequest{Session: w.name(), Notes: contents}
	answer, err := call[pb.AppendScratchpadResponse](ctx, w.conn, pb.WorkingMemoryService_AppendScratchpad_FullMethodName, request, only(o).settings())
	return Appended{answer.GetFirstSequence(), answer.GetDroppedCount()}, err
}

// ListScratchpadOptions are the options of ListScratchpad.
type ListScratchpadOptions struct {
	CallOptions
	// NewestFirst: default the oldest first.
	NewestFirst bool
}

// ListScratchpad returns the notes of the scratchpad.
func (w *WorkingMemory) ListScratchpad(ctx context.Context, o ...ListScratchpadOptions) iter.Seq2[Note, error] {
	options := only(o)
	order := pb.ScratchpadOrder_SCRATCHPAD_ORDER_OLDEST_FIRST
	if options.NewestFirst {
		order = pb.ScratchpadOrder_SCRATCHPAD_ORDER_NEWEST_FIRST
	}
	return itemsOfPages(damage{}, func(token string) (page[Note], error) {
		request := &pb.ListScratchpadRequest{Session: w.name(), Order: order, PageToken: token}
		answer, err := call[pb.ListScratchpadResponse](ctx, w.conn, pb.WorkingMemoryService_ListScratchpad_FullMethodName, request, options.settings())
		items := mapped(answer.GetNotes(), func(n *pb.ScratchpadNote) Note { return Note{n.Sequence, timeOf(n.Time), contentOf(n.Content)} })
		return page[Note]{items: items, next: answer.GetNextPageToken()}, err
	})
}

// ClearScratchpad deletes all notes, and returns their number.
func (w *WorkingMemory) ClearScratchpad(ctx context.Context, o ...WriteOptions) (noteCount int32, err error) {
	request := &pb.ClearScratchpadRequest{Session: w.name()}
	answer, err := call[pb.ClearScratchpadResponse](ctx, w.conn, pb.WorkingMemoryService_ClearScratchpad_FullMethodName, request, only(o).settings())
	return answer.GetNoteCount(), err
}
