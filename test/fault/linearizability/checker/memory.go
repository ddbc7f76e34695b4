package main

import (
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// operation is a call about one memory. The values of a history are different from one another.
type operation struct {
	Client int `json:"client"`
	// Kind is read, store, update, replace (an update on condition of the version of Expected) or delete.
	Kind     string `json:"kind"`
	Value    string `json:"value"`
	Expected string `json:"expected"`
	// Began and Ended are instants of one clock; Ended is 0 where no answer came.
	Began int64 `json:"began"`
	Ended int64 `json:"ended"`
	// Outcome is done, refused (the memory was not as the call requires) or unknown (the call has taken effect, or will, or never).
	Outcome string `json:"outcome"`
	// Refusal is the status of a refused call: ALREADY_EXISTS, NOT_FOUND or ABORTED.
	Refusal string `json:"refusal"`
	// Read is the value of a read that was done, empty where no memory was there.
	Read string `json:"read"`
}

func (o operation) event() porcupine.Operation {
	ended := o.Ended
	if o.Outcome == "unknown" {
		// It may take effect at any time. One that never does is one that does after everything else.
		ended = math.MaxInt64
	}
	return porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Began, Output: o, Return: ended}
}

// memory is the state of one memory as a value, empty where there is none.
var memory = porcupine.Model{
	Init:              func() any { return "" },
	Step:              func(state, input, _ any) (bool, any) { return input.(operation).step(state.(string)) },
	DescribeOperation: func(input, _ any) string { return fmt.Sprintf("%+v", input) },
}

// step reports whether the operation may have had its outcome in this state, and the state after it.
func (o operation) step(state string) (bool, any) {
	if o.Kind == "read" {
		return o.Read == state, state
	}
	mayTakeEffect := map[string]bool{
		"store": state == "", "update": state != "", "replace": state != "" && state == o.Expected, "delete": state != "",
	}[o.Kind]
	if o.Outcome == "refused" {
		return !mayTakeEffect && o.Refusal == o.refusalIn(state), state
	}
	if !mayTakeEffect {
		return o.Outcome == "unknown", state
	}
	if o.Kind == "delete" {
		return true, ""
	}
	return true, o.Value
}

// refusalIn is the status of a call that may not take effect in this state.
func (o operation) refusalIn(state string) string {
	switch {
	case o.Kind == "store":
		return "ALREADY_EXISTS"
	case state == "":
		return "NOT_FOUND"
	default:
		return "ABORTED"
	}
}
