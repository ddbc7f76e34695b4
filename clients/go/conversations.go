package mneme

import (
	"context"
	"iter"
	"regexp"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Conversations stores conversations message by message, and reports the extraction from them. A conversation is named by its
// id or its resource name. It needs no creation: it exists while it has messages.
//
// A message is stored whole, as a memory of the type message, before a call returns. Extraction runs after that, on the server.
type Conversations struct {
	via       *connection
	namespace string
}

// SequenceRange are consecutive sequence numbers, both ends included.
type SequenceRange struct {
	First, Last int64
}

// AppendOptions are the options of Append.
type AppendOptions struct {
	WriteOptions
	// Scope is the owner of the messages: project, agent type and agent. Session must be empty.
	Scope Scope
	// EndOfInvocation starts extraction right after the answer, independent of the namespace's triggers.
	EndOfInvocation bool
}

// AppendResult is the outcome of messages.
type AppendResult struct {
	// Messages in the order of the call.
	Messages []AppendedMessage
	// Gaps are sequence numbers that the call left out; at most 1,000.
	Gaps     []SequenceRange
	Revision int64
}

// AppendedMessage is the outcome of one message.
type AppendedMessage struct {
	// Sequence is the place in the conversation.
	Sequence int64
	// MemoryID is the id of the memory that stores it.
	MemoryID string
	// AlreadyStored: the same message was stored before, and nothing was changed.
	AlreadyStored bool
}

// ListMessagesQuery says which messages to list. The zero value lists all, from the first.
type ListMessagesQuery struct {
	// FromSequence is the first sequence number to list.
	FromSequence int64
	// Descending lists the highest sequence numbers first.
	Descending bool
	// PageSize is the maximum number of messages that are read at a time, 1 to 1,000. Default 200.
	PageSize int32
	// OnDamaged is called with the ids of memories of messages that cannot be read. Default: ErrDataLoss after all the others.
	OnDamaged func(ids []string)
}

// PopOptions are the options of Pop.
type PopOptions struct {
	WriteOptions
	// ExpectedSequence, when set, must be the sequence number of the removed message: ErrAborted when it is not.
	ExpectedSequence *int64
}

// SuffixQuery says which messages to replace, and by which.
type SuffixQuery struct {
	// FirstSequence is the sequence number of the first message to replace. Default 0: the whole conversation.
	FirstSequence int64
	// ExpectedCount is the number of messages that the conversation must have from FirstSequence on: ErrAborted when it has not.
	ExpectedCount int32
	// Messages that take their place, without sequence numbers, at most 1,000. Default: none, which removes the suffix.
	Messages []ConversationMessage
	// Scope is the owner of the messages. Session must be empty.
	Scope Scope
}

// SuffixResult reports the replaced messages.
type SuffixResult struct {
	// ReplacedCount is the number of messages that were removed or replaced.
	ReplacedCount int32
	// LastSequence is the highest sequence number of the new messages; nil when there is none.
	LastSequence *int64
	Revision     int64
}

// ClearMessagesResult reports removed messages.
type ClearMessagesResult struct {
	ClearedCount int64
	Revision     int64
}

var conversationPattern = regexp.MustCompile(`(?s)^namespaces/[^/]+/conversations/(.+)$`)

// conversationName is the resource name of a conversation, from its id or its full name.
func (c *Conversations) conversationName(idOrName string) string {
	if conversationPattern.MatchString(idOrName) {
		return idOrName
	}
	return namespaceName(c.namespace) + "/conversations/" + idOrName
}

// conversationID is the id of a conversation, which may have slashes, from itself or the full name.
func conversationID(idOrName string) string {
	if parts := conversationPattern.FindStringSubmatch(idOrName); parts != nil {
		return parts[1]
	}
	return idOrName
}

func rangeOf(r *pb.SequenceRange) SequenceRange { return SequenceRange{r.First, r.Last} }

// Append appends 1 to 1,000 messages to a conversation, all of them or none, and returns when they are durable. The
// namespace is created on first use. A message that is stored already under its sequence number is not stored again;
// ErrAlreadyExists when a different one has that number.
func (c *Conversations) Append(ctx context.Context, conversation string, messages []ConversationMessage, o ...AppendOptions) (AppendResult, error) {
	options := only(o)
	given, err := mappedAll(messages, conversationMessage)
	if err != nil {
		return AppendResult{}, err
	}
	request := &pb.AppendMessagesRequest{
		Conversation: c.conversationName(conversation), Messages: given, Scope: scopeMessage(options.Scope),
		EndOfInvocation: options.EndOfInvocation,
	}
	answer, err := call[pb.AppendMessagesResponse](ctx, c.via, pb.ConversationService_AppendMessages_FullMethodName, request, options.settings())
	if err != nil {
		return AppendResult{}, err
	}
	appended := mapped(answer.Messages, func(m *pb.AppendedMessage) AppendedMessage {
		return AppendedMessage{m.Sequence, idOf(m.Memory), m.AlreadyStored}
	})
	return AppendResult{appended, mapped(answer.Gaps, rangeOf), answer.Revision}, nil
}

// List returns the messages of a conversation by sequence number, read page by page as they are asked for.
func (c *Conversations) List(ctx context.Context, conversation string, query ListMessagesQuery, o ...ReadOptions) iter.Seq2[ConversationMessage, error] {
	if query.PageSize == 0 {
		query.PageSize = 200
	}
	return func(yield func(ConversationMessage, error) bool) {
		// Every page of a list must ask for the same revision, however much this client has seen meanwhile.
		options := only(o)
		options.MinRevision = Ptr(c.via.minRevision(options.MinRevision))
		d := damage{what: "messages", told: query.OnDamaged}
		itemsOfPages(d, func(token string) (page[ConversationMessage], error) {
			request := &pb.ListMessagesRequest{
				Conversation: c.conversationName(conversation), FromSequence: query.FromSequence, Descending: query.Descending,
				PageSize: query.PageSize, PageToken: token,
			}
			answer, err := call[pb.ListMessagesResponse](ctx, c.via, pb.ConversationService_ListMessages_FullMethodName, request, options.settings())
			if err != nil {
				return page[ConversationMessage]{}, err
			}
			messages, err := mappedAll(answer.Messages, conversationMessageOf)
			return page[ConversationMessage]{messages, idsOf(answer.Damaged), answer.NextPageToken}, err
		})(yield)
	}
}

// Pop removes the message with the highest sequence number and returns it. ErrNotFound when the conversation has none.
func (c *Conversations) Pop(ctx context.Context, conversation string, o ...PopOptions) (ConversationMessage, error) {
	options := only(o)
	request := &pb.PopMessageRequest{Conversation: c.conversationName(conversation), ExpectedSequence: options.ExpectedSequence}
	answer, err := call[pb.PopMessageResponse](ctx, c.via, pb.ConversationService_PopMessage_FullMethodName, request, options.settings())
	if err != nil {
		return ConversationMessage{}, err
	}
	return conversationMessageOf(answer.Message)
}

// ReplaceSuffix replaces the messages from a sequence number on, for example after the user has edited a turn. A call that was
// cut off is completed by a repetition with the same RequestID.
func (c *Conversations) ReplaceSuffix(ctx context.Context, conversation string, query SuffixQuery, o ...WriteOptions) (SuffixResult, error) {
	messages, err := mappedAll(query.Messages, conversationMessage)
	if err != nil {
		return SuffixResult{}, err
	}
	request := &pb.ReplaceSuffixRequest{
		Conversation: c.conversationName(conversation), FirstSequence: query.FirstSequence, ExpectedCount: query.ExpectedCount,
		Messages: messages, Scope: scopeMessage(query.Scope),
	}
	answer, err := call[pb.ReplaceSuffixResponse](ctx, c.via, pb.ConversationService_ReplaceSuffix_FullMethodName, request, only(o).settings())
	if err != nil {
		return SuffixResult{}, err
	}
	return SuffixResult{answer.ReplacedCount, answer.LastSequence, answer.Revision}, nil
}

// Clear removes all messages of a conversation. Memories that were extracted from them stay.
func (c *Conversations) Clear(ctx context.Context, conversation string, o ...WriteOptions) (ClearMessagesResult, error) {
	request := &pb.ClearMessagesRequest{Conversation: c.conversationName(conversation)}
	answer, err := call[pb.ClearMessagesResponse](ctx, c.via, pb.ConversationService_ClearMessages_FullMethodName, request, only(o).settings())
	if err != nil {
		return ClearMessagesResult{}, err
	}
	return ClearMessagesResult{answer.ClearedCount, answer.Revision}, nil
}
