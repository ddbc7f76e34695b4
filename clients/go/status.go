package mneme

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
)

var camel = regexp.MustCompile(`([a-z])([A-Z])`)

// nameOfCode returns NOT_FOUND for codes.NotFound.
func nameOfCode(code codes.Code) string {
	if code == codes.Canceled {
		return "CANCELLED"
	}
	return strings.ToUpper(camel.ReplaceAllString(code.String(), "${1}_${2}"))
}

// gRPC's texts for a stream that the peer has reset, and for one that has ended without a status.
const (
	resetByPeer   = "stream terminated by RST_STREAM with error code: INTERNAL_ERROR"
	withoutStatus = "server closed the stream without sending trailers"
)

// codeOfCall is UNAVAILABLE for a call that a proxy ended because its own connection to the server broke, for which gRPC has
// INTERNAL; otherwise the code of the status.
func codeOfCall(from *status.Status) codes.Code {
	isBroken := from.Message() == resetByPeer || from.Message() == withoutStatus
	if from.Code() == codes.Internal && isBroken {
		return codes.Unavailable
	}
	return from.Code()
}

// errorOfStatus is the typed error of a status, whether it ended a call or came inside a stream.
func errorOfStatus(from *status.Status, family Family) *Error {
	err := newError(codeOfCall(from), family, from.Message())
	for _, detail := range from.Details() { // A detail damaged on the way is an error here, and must not hide the status.
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			err.Reason, err.Metadata = Reason(detail.Reason), detail.Metadata
		case *errdetails.BadRequest:
			for _, each := range detail.FieldViolations {
				err.add(Violation{Field: each.Field, Description: each.Description})
			}
		case *errdetails.RetryInfo:
			if detail.RetryDelay != nil {
				err.RetryDelay = detail.RetryDelay.AsDuration()
			}
		}
	}
	return err
}

// add names the namespace as the caller does: requests carry it as their parent.
func (e *Error) add(violation Violation) {
	if violation.Field == "parent" {
		called := strings.ReplaceAll(violation.Description, `"namespaces/`, `"`)
		called = strings.ReplaceAll(called, "namespaces/{namespace}, ", "")
		e.Message = strings.Replace(e.Message, "parent: "+violation.Description, "namespace: "+called, 1)
		violation = Violation{Field: "namespace", Description: called}
	}
	e.Violations = append(e.Violations, violation)
}

func errorOfRPCStatus(from *rpcstatus.Status, family Family) *Error {
	if from == nil || from.Code == int32(codes.OK) {
		return newError(codes.Unknown, family, "no status")
	}
	return errorOfStatus(status.FromProto(from), family)
}

// asError is the typed error of any error: other errors than those of calls have code UNKNOWN.
func asError(err error, family Family) *Error {
	var typed *Error
	if errors.As(err, &typed) {
		return typed
	}
	typed = errorOfStatus(status.Convert(err), family)
	typed.cause = err
	return typed
}

// errorOf is the typed error of a call of method that failed: reports who cancelled it and whether a connection existed.
func (c *connection) errorOf(ctx context.Context, err error, method string) *Error {
	family := familyOf(method)
	typed := asError(err, family)
	if typed.Code == codes.Unimplemented {
		server := c.address
		if told := typed.Metadata["version"]; told != "" {
			server += " (version " + told + ")"
		}
		typed.Message = fmt.Sprintf("%s: the server at %s has no %s; it may be older than this client (version %s)",
			typed.Message, server, strings.TrimPrefix(method, "/"), version)
	}
	if typed.Reason != "" {
		return typed
	}
	switch {
	case typed.Code == codes.Canceled && c.isClosed():
		return errClosed(family)
	case typed.Code == codes.Canceled && ctx.Err() != nil:
		return canceledBy(ctx, family)
	case typed.Code == codes.Internal && strings.Contains(typed.Message, "invalid UTF-8"):
		field := typed.Message[strings.LastIndex(typed.Message, ": ")+1:]
		return badInput(strings.TrimSpace(field), "a text must be valid UTF-8")
	case typed.Code == codes.DeadlineExceeded && c.conn.GetState() != connectivity.Ready:
		typed.Message = "no answer in time: " + c.unreachable(typed.Message)
	case typed.Code == codes.Unavailable && c.conn.GetState() != connectivity.Ready:
		typed.Message = c.unreachable(typed.Message)
	}
	return typed
}
