package mneme

import (
	"context"
	"encoding/json"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// AttributeHistoryQuery says the scope of the states to look at, and from when.
type AttributeHistoryQuery struct {
	// Scope: parts that are set must be equal. Default: all.
	Scope Scope
	// Type of the memories that are states. Default: state.
	Type      string
	Filter    Filter
	StartStep *int64
	EndStep   *int64
	// Limit is the most changes, 1 to 10,000. Default 1,000.
	Limit int32
}

// AttributeChange is a change of a value from one state to the next.
type AttributeChange struct {
	// ID of the state that has the new value, or has it no longer.
	ID        string
	Step      int64
	EventTime time.Time
	// Kind is appeared, changed or disappeared.
	Kind string
	// PreviousValue is nil when it appeared, NewValue when it disappeared: JSON.
	PreviousValue, NewValue json.RawMessage
}

// AttributeHistory is the result of GetAttributeHistory.
type AttributeHistory struct {
	Changes []AttributeChange
	// Truncated is true when there are more than the limit.
	Truncated bool
	Revision  int64
}

// GetAttributeHistory reports when the value at a path of JSON content appeared, changed and disappeared, by step.
func (c *Client) GetAttributeHistory(ctx context.Context, path string, query AttributeHistoryQuery, o ...ReadOptions) (AttributeHistory, error) {
	if query.Filter.err != nil {
		return AttributeHistory{}, query.Filter.err
	}
	request := &pb.GetAttributeHistoryRequest{
		Parent: c.parent(), Path: path, Scope: scopeMessage(query.Scope), Type: query.Type, StartStep: query.StartStep,
		EndStep: query.EndStep, Filter: query.Filter.message, FilterText: query.Filter.text, Limit: query.Limit,
	}
	answer, err := call[pb.GetAttributeHistoryResponse](ctx, c.conn, pb.MemoryService_GetAttributeHistory_FullMethodName, request, only(o).settings())
	if err != nil {
		return AttributeHistory{}, err
	}
	changes := mapped(answer.Changes, func(change *pb.AttributeChange) AttributeChange {
		told := AttributeChange{
			ID: idOf(change.Name), Step: change.Step, EventTime: timeOf(change.EventTime),
			Kind: wordOf(change.Kind, "ATTRIBUTE_CHANGE_KIND_", "changed"),
		}
		if change.PreviousJson != nil {
			told.PreviousValue = json.RawMessage(*change.PreviousJson)
		}
		if change.NewJson != nil {
			told.NewValue = json.RawMessage(*change.NewJson)
		}
		return told
	})
	return AttributeHistory{changes, answer.Truncated, answer.Revision}, nil
}

// StatesQuery selects the states of GetStatesAtSteps.
type StatesQuery struct {
	// Scope: parts that are set must be equal. Default: all.
	Scope Scope
	// Type of the memories that are states. Default: state.
	Type   string
	Filter Filter
	// CarryForward gives the nearest state before a step that has none of its own.
	CarryForward bool
	// View selects the parts of the memories. Default ViewBasic.
	View View
}

// StateAtStep is the state at a step; Memory is nil where there is none.
type StateAtStep struct {
	Step   int64
	Memory *Memory
}

// GetStatesAtSteps returns the state at each step.
func (c *Client) GetStatesAtSteps(ctx context.Context, steps []int64, query StatesQuery, o ...ReadOptions) ([]StateAtStep, error) {
	view, err := viewCode(query.View)
	if err == nil {
		err = query.Filter.err
	}
	if err != nil {
		return nil, err
	}
	request := &pb.GetStatesAtStepsRequest{
		Parent: c.parent(), Steps: steps, CarryForward: query.CarryForward, Scope: scopeMessage(query.Scope), Type: query.Type,
		Filter: query.Filter.message, FilterText: query.Filter.text, View: view,
	}
	answer, err := call[pb.GetStatesAtStepsResponse](ctx, c.conn, pb.MemoryService_GetStatesAtSteps_FullMethodName, request, only(o).settings())
	if err != nil {
		return nil, err
	}
	return mappedAll(answer.States, func(state *pb.StateAtStep) (StateAtStep, error) {
		if state.Memory == nil {
			return StateAtStep{Step: state.Step}, nil
		}
		memory, err := memoryOf(state.Memory)
		return StateAtStep{state.Step, &memory}, err
	})
}

// SequenceQuery selects the events around a memory for GetSequence.
type SequenceQuery struct {
	// BeforeCount and AfterCount are the most memories before and after it. Default 2 each, and 1,000 each with a window.
	BeforeCount, AfterCount *int32
	// TimeWindow: only events at most this long before or after it.
	TimeWindow time.Duration
	SameType   bool
	SameScope  bool
	Filter     Filter
	// View selects the parts of the memories. Default ViewBasic.
	View View
}

// Sequence is the events before and after a memory, both in the order of time.
type Sequence struct {
	Before []Memory
	Memory Memory
	After  []Memory
}

// GetSequence returns the events before and after a memory.
func (c *Client) GetSequence(ctx context.Context, id string, query SequenceQuery, o ...ReadOptions) (Sequence, error) {
	view, err := viewCode(query.View)
	if err == nil {
		err = query.Filter.err
	}
	if err != nil {
		return Sequence{}, err
	}
	request := &pb.GetMemorySequenceRequest{
		Name: memoryName(c.namespace, id), BeforeCount: query.BeforeCount, AfterCount: query.AfterCount,
		TimeWindow: duration(query.TimeWindow), SameType: query.SameType, SameScope: query.SameScope,
		Filter: query.Filter.message, FilterText: query.Filter.text, View: view,
	}
	answer, err := call[pb.GetMemorySequenceResponse](ctx, c.conn, pb.MemoryService_GetMemorySequence_FullMethodName, request, only(o).settings())
	if err != nil {
		return Sequence{}, err
	}
	memory, err := memoryOf(answer.Memory)
	if err != nil {
		return Sequence{}, err
	}
	before, err := mappedAll(answer.Before, memoryOf)
	if err != nil {
		return Sequence{}, err
	}
	after, err := mappedAll(answer.After, memoryOf)
	return Sequence{before, memory, after}, err
}
