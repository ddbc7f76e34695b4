package mneme

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// call makes a unary call whose answer is a Response.
func call[Response any, P interface {
	*Response
	proto.Message
}](ctx context.Context, via *connection, method string, request proto.Message, own callSettings) (P, error) {
	if own.fault != nil {
		return nil, own.fault
	}
	if err := namespaceFault(request); err != nil {
		return nil, err
	}
	via.fill(request, own)
	answer := P(new(Response))
	if err := via.conn.Invoke(ctx, method, request, answer, ownSettings{callSettings: own}); err != nil {
		return nil, err
	}
	via.note(method, answer)
	return answer, nil
}

// fill sets what every request of its kind carries: a request id, made before the first attempt, and the oldest revision that
// a read may be answered from.
func (c *connection) fill(request proto.Message, own callSettings) {
	message := request.ProtoReflect()
	fields := message.Descriptor().Fields()
	if field := fields.ByName("request_id"); field != nil && message.Get(field).String() == "" {
		id := own.requestID
		if id == "" {
			id = uuid.NewString()
		}
		message.Set(field, protoreflect.ValueOfString(id))
	}
	if field := fields.ByName("min_revision"); field != nil && message.Get(field).Int() == 0 {
		message.Set(field, protoreflect.ValueOfInt64(c.minRevision(own.minRevision)))
	}
}

var (
	named       = []protoreflect.Name{"parent", "name", "session", "conversation", "report"}
	inNamespace = regexp.MustCompile(`^namespaces/([a-z0-9][a-z0-9._-]{0,62})(?:/|$)`)
	// notOfNamespace are runs of characters that no id of a namespace has.
	notOfNamespace = regexp.MustCompile(`[^a-z0-9._-]+`)
)

// namespaceHeader returns the id of the namespace that a request is about, by the first resource name in it; empty where there is
// none.
func namespaceHeader(request proto.Message) string {
	message := request.ProtoReflect()
	fields := message.Descriptor().Fields()
	for _, name := range named {
		if field := fields.ByName(name); field != nil && field.Kind() == protoreflect.StringKind {
			if found := inNamespace.FindStringSubmatch(message.Get(field).String()); found != nil {
				return found[1]
			}
		}
	}
	if field := fields.ByName("memory"); field != nil && field.Kind() == protoreflect.MessageKind && message.Has(field) {
		return namespaceHeader(message.Get(field).Message().Interface())
	}
	return ""
}

// namespaceFault refuses a namespace whose id the server would refuse: it would name the field parent, which no caller sets.
func namespaceFault(request proto.Message) error {
	message := request.ProtoReflect()
	fields := message.Descriptor().Fields()
	for _, name := range named {
		if field := fields.ByName(name); field != nil && field.Kind() == protoreflect.StringKind {
			if id, is := strings.CutPrefix(message.Get(field).String(), "namespaces/"); is {
				id, _, _ = strings.Cut(id, "/")
				return faultOfNamespace(id)
			}
		}
	}
	return nil
}

// faultOfNamespace is nil for the id of a namespace.
func faultOfNamespace(id string) error {
	if inNamespace.MatchString("namespaces/" + id) {
		return nil
	}
	description := fmt.Sprintf("must be [a-z0-9] and up to 62 more of [a-z0-9._-], got %q", id)
	proposal := strings.Trim(notOfNamespace.ReplaceAllString(strings.ToLower(id), "-"), "._-")
	if proposal = proposal[:min(len(proposal), 63)]; proposal != "" {
		description += fmt.Sprintf("; did you mean %q?", proposal)
	}
	return badInput("namespace", description)
}

// minRevision is the minimum revision for a read, so that it sees everything that this client has seen.
func (c *connection) minRevision(given *int64) int64 {
	switch {
	case given != nil:
		return *given
	case c.settings.readYourWrites:
		return c.seen.newest.Load()
	}
	return 0
}

// note remembers the revision of an answer. Those of working memory and sessions are of a session, not of the change log;
// what of the log a session's end has written is its memory_revision.
func (c *connection) note(method string, answer proto.Message) {
	message := answer.ProtoReflect()
	fields := message.Descriptor().Fields()
	name := protoreflect.Name("revision")
	if strings.HasPrefix(method, "/mneme.v1.WorkingMemoryService/") || strings.HasPrefix(method, "/mneme.v1.LifecycleService/") {
		name = "memory_revision"
	}
	if field := fields.ByName(name); field != nil && field.Kind() == protoreflect.Int64Kind {
		c.seen.note(message.Get(field).Int())
	}
}

// shallowCopy shares the values of the fields.
func shallowCopy(of proto.Message) proto.Message {
	copied := of.ProtoReflect().New()
	of.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		copied.Set(field, value)
		return true
	})
	return copied.Interface()
}
