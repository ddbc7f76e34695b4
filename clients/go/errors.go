package mneme

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Family is the purpose of a failed call. The families are errors, so that errors.Is tells them apart:
//
//	if errors.Is(err, mneme.ErrRetrieval) { … }
type Family string

// The families of calls. FamilyBase is that of calls of none of the others, and of errors found before anything is sent.
const (
	FamilyStore         Family = "store"
	FamilyRetrieval     Family = "retrieval"
	FamilyMaintenance   Family = "maintenance"
	FamilyConfiguration Family = "configuration"
	FamilyBase          Family = "base"
)

// Violation is one field of a request that was not accepted.
type Violation struct {
	// Field is its path in the request message, such as memory.text; if this client refused it, the client's own name of the field.
	Field string
	// Description is the problem and the limit.
	Description string
}

// Error is a call that failed: Code says how, Reason is the cause. Every error of this package is one:
//
//	var failed *mneme.Error
//	if errors.As(err, &failed) && failed.Reason == mneme.ReasonMemoryNotFound { … }
//	if errors.Is(err, mneme.ErrNotFound) { … }
type Error struct {
	// Code is the gRPC status.
	Code codes.Code
	// Reason is empty when Mneme did not answer: no connection, a proxy, or a local timeout.
	Reason Reason
	// Message is for people.
	Message string
	// Metadata has the facts of this failure, for machines; error_reason.proto lists the keys of each reason.
	Metadata map[string]string
	// Violations names the fields that were not accepted.
	Violations []Violation
	// RetryDelay is how long the server asks to wait before the call is repeated; negative where it says nothing.
	RetryDelay time.Duration
	// Family is the purpose of the call.
	Family Family

	cause error
	// isFinal: another stream would end in the same way.
	isFinal bool
}

// Error returns status, reason and message.
func (e *Error) Error() string {
	text := "mneme: " + nameOfCode(e.Code)
	if e.Reason != "" {
		text += " (" + string(e.Reason) + ")"
	}
	return text + ": " + e.Message
}

// Unwrap returns the cause: the error of gRPC or of the context.
func (e *Error) Unwrap() error { return e.cause }

// Retryable is true when the same call may succeed later unchanged. The client's own retries are exhausted.
func (e *Error) Retryable() bool {
	return e.Code == codes.Unavailable || (e.Code == codes.ResourceExhausted && e.RetryDelay >= 0)
}

// Is makes errors.Is true for the error of its status, such as ErrNotFound, for that of its family, such as ErrStore, and
// for context.Canceled and context.DeadlineExceeded.
func (e *Error) Is(target error) bool {
	switch target := target.(type) {
	case statusError:
		return codes.Code(target) == e.Code
	case familyError:
		return Family(target) == e.Family
	}
	return target == context.DeadlineExceeded && e.Code == codes.DeadlineExceeded
}

// GRPCStatus lets status.FromError take it.
func (e *Error) GRPCStatus() *status.Status { return status.New(e.Code, e.Message) }

type statusError codes.Code

func (e statusError) Error() string { return "mneme: " + nameOfCode(codes.Code(e)) }

type familyError Family

func (e familyError) Error() string { return "mneme: " + string(e) + " failed" }

// The statuses, for errors.Is.
var (
	// ErrCanceled: the caller cancelled, by its context or by closing the client. A write may have taken effect.
	ErrCanceled error = statusError(codes.Canceled)
	// ErrUnknown: something between here and the server failed in a way of its own.
	ErrUnknown error = statusError(codes.Unknown)
	// ErrInvalidArgument: a part of the request is missing, malformed or over its limit; Violations names the fields.
	ErrInvalidArgument error = statusError(codes.InvalidArgument)
	// ErrDeadlineExceeded: the deadline passed before the answer arrived. A write may have taken effect.
	ErrDeadlineExceeded error = statusError(codes.DeadlineExceeded)
	// ErrNotFound: the named resource does not exist.
	ErrNotFound error = statusError(codes.NotFound)
	// ErrAlreadyExists: the id exists already.
	ErrAlreadyExists error = statusError(codes.AlreadyExists)
	// ErrPermissionDenied: the caller may not do this.
	ErrPermissionDenied error = statusError(codes.PermissionDenied)
	// ErrResourceExhausted: a queue, the disk, a message or a namespace is full.
	ErrResourceExhausted error = statusError(codes.ResourceExhausted)
	// ErrFailedPrecondition: the state of the resource does not allow it.
	ErrFailedPrecondition error = statusError(codes.FailedPrecondition)
	// ErrAborted: the version is outdated. Read again, then decide.
	ErrAborted error = statusError(codes.Aborted)
	// ErrOutOfRange: a revision that is no longer kept, or not there yet.
	ErrOutOfRange error = statusError(codes.OutOfRange)
	// ErrUnimplemented: the server is older than this client.
	ErrUnimplemented error = statusError(codes.Unimplemented)
	// ErrInternal: a fault of the server, or an incomplete answer.
	ErrInternal error = statusError(codes.Internal)
	// ErrUnavailable: the server cannot be reached, is shutting down or has too much to do.
	ErrUnavailable error = statusError(codes.Unavailable)
	// ErrDataLoss: bytes on the server's disk are damaged.
	ErrDataLoss error = statusError(codes.DataLoss)
	// ErrUnauthenticated: the token is missing or wrong.
	ErrUnauthenticated error = statusError(codes.Unauthenticated)
)

// The families, for errors.Is.
var (
	ErrStore         error = familyError(FamilyStore)
	ErrRetrieval     error = familyError(FamilyRetrieval)
	ErrMaintenance   error = familyError(FamilyMaintenance)
	ErrConfiguration error = familyError(FamilyConfiguration)
)

//go:embed error-families.json
var familiesJSON []byte

var families = func() (all map[string]Family) {
	if err := json.Unmarshal(familiesJSON, &all); err != nil {
		panic(err)
	}
	return all
}()

// familyOf takes the path of a method, such as /mneme.v1.MemoryService/StoreMemory.
func familyOf(method string) Family {
	if family, ok := families[strings.TrimPrefix(method, "/")]; ok {
		return family
	}
	return FamilyBase
}

func newError(code codes.Code, family Family, message string) *Error {
	return &Error{Code: code, Message: message, Family: family, RetryDelay: -1}
}

// badInput refuses invalid input before anything is sent. Field is its name in the client.
func badInput(field, description string) *Error {
	err := newError(codes.InvalidArgument, FamilyBase, field+": "+description)
	err.Violations = []Violation{{Field: field, Description: description}}
	return err
}

// incompleteAnswer is the error for an answer without a mandatory part: not Mneme, or a defective server.
func incompleteAnswer(what string) *Error {
	err := newError(codes.Internal, FamilyBase, "the answer has no "+what)
	err.isFinal = true
	return err
}

func errClosed(family Family) *Error {
	err := newError(codes.Canceled, family, "the client is closed")
	err.isFinal = true
	return err
}

func canceledBy(ctx context.Context, family Family) *Error {
	code, message := codes.Canceled, "cancelled by its context"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		code, message = codes.DeadlineExceeded, "the deadline of its context passed"
	}
	err := newError(code, family, message)
	err.cause = context.Cause(ctx)
	return err
}
