package mneme

import (
	"context"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// ContextKind is the kind of an entry of a context.
type ContextKind string

// The kinds of entries. ContextWorking is the working memory of the session, ContextMessages are messages and interactions, word
// for word, ContextOther is every other type of memory.
const (
	ContextWorking    ContextKind = "working"
	ContextFacts      ContextKind = "fact"
	ContextProcedures ContextKind = "procedure"
	ContextEpisodes   ContextKind = "episode"
	ContextMessages   ContextKind = "message"
	ContextOther      ContextKind = "other"
)

// ContextFormat is the format of a context.
type ContextFormat string

// The formats. ContextXML (the default) is <memory> with one <entry> for each memory, ContextMarkdown a list of block quotes,
// ContextJSONMessages a JSON array of one chat message.
const (
	ContextXML          ContextFormat = "xml"
	ContextMarkdown     ContextFormat = "markdown"
	ContextJSONMessages ContextFormat = "json_messages"
)

// ContextMessage is one message of a conversation.
type ContextMessage struct {
	// Role is user, assistant, system or tool.
	Role string
	Text string
}

// ContextKindLimit limits the memories of one kind; nil is the default of the kind.
type ContextKindLimit struct {
	// MaxEntries is the maximum number of entries, 0 to 1,000.
	MaxEntries *int32
	// MaxShare is the maximum share of the budget, 0 to 1. Default: 0.25 for working memory and procedures, 0.4 for episodes,
	// otherwise 1.
	MaxShare *float64
}

// ContextQuery says which context to build. The zero value has no query: only working memory goes in.
type ContextQuery struct {
	// Query in natural language. Default: the text of the last message of Messages.
	Query string
	// Messages are the last ones of the conversation, oldest first, at most 100. A memory with the text of one of them is omitted.
	Messages []ContextMessage
	// Scope of the memories that may go in, with its ancestors. Default: all memories of the namespace.
	Scope Scope
	// Session is the id of the session whose working memory goes in. Default: Scope.Session.
	Session string
	// TokenBudget is the maximum number of tokens, 1 to 100,000. Default: ModelTokens × Share, otherwise 1,500.
	TokenBudget int32
	// ModelTokens is the size of the context window of the model, in tokens. Used without TokenBudget.
	ModelTokens int32
	// Share of ModelTokens for the context. Default 0.15.
	Share *float64
	// KindLimits are limits of single kinds, in place of their defaults.
	KindLimits map[ContextKind]ContextKindLimit
	// Format of the context. Default ContextXML.
	Format ContextFormat
	// Tokenizer that counts: o200k_base (the default), cl100k_base or wordpiece.
	Tokenizer string
	// Kinds that may go in. Default: all.
	Kinds []ContextKind
	// ReferenceTime is the time of the question. Default: now.
	ReferenceTime time.Time
	// TimeZone is the user's, an IANA name or an offset such as +09:00: "yesterday" is a day there. Default: that of
	// ReferenceTime, else UTC.
	TimeZone string
	// MinRelevance is the lowest relevance of a memory, 0 to 1. Default: the setting of the namespace (0.07).
	MinRelevance *float64
	// Fold appends the context to the last message of the user, in BuiltContext.Messages.
	Fold bool
}

// ContextEntry is an entry of a context.
type ContextEntry struct {
	// Name is the resource name of the memory, or of the session for working memory.
	Name string
	Kind ContextKind
	// Relevance to the query, 0 to 1; 1 for working memory.
	Relevance float64
	// Tokens is the number of tokens of the entry.
	Tokens int32
	// Reason why it went in, in a sentence.
	Reason string
	// Trust in the source of the memory; TrustExplicit for working memory.
	Trust TrustLevel
	// Part of the working memory, such as task; empty for memories.
	Part string
}

// ContextOmission is a memory that was found and did not go in.
type ContextOmission struct {
	// Name is the resource name of the memory, or of the session for working memory.
	Name string
	// Reason is budget, kind_limit, duplicate, in_conversation, secret, no_text, low_relevance, or other.
	Reason string
	// DuplicateOf is the resource name of the memory that says the same; empty without one.
	DuplicateOf string
	// Part of the working memory, as in ContextEntry.
	Part string
}

// BuiltContext is text for the context window of a model, and its entries.
type BuiltContext struct {
	// Text is empty when nothing went in.
	Text string
	// Messages: with Fold the messages of the query, with the context in the last user message; otherwise one message of the role
	// user, or none when nothing went in.
	Messages []ContextMessage
	// Entries in the order of the text.
	Entries []ContextEntry
	// Omitted memories, best first, at most 100.
	Omitted []ContextOmission
	// OmittedTotal is the number of all memories that were found and did not go in.
	OmittedTotal int32
	// Tokens is the number of tokens of the context; at most Budget.
	Tokens int32
	// Budget in tokens that applied.
	Budget int32
	// Tokenizer that counted. It differs from that of the query when that one could not be loaded.
	Tokenizer string
	// Degraded names parts that failed, were late or worked only partly.
	Degraded []Degradation
	// Complete is true when every part was read in full.
	Complete bool
	// Query that was searched; empty when there was none.
	Query string
	// Revision that the memories reflect; 0 when no memory was searched.
	Revision int64
}

// BuildContext builds text for the context window of a model: the working memory of a session and the memories that answer a
// query, quoted as data, within a budget of tokens. A part that fails or is late is named in Degraded and is no error.
func (c *Client) BuildContext(ctx context.Context, query ContextQuery, o ...ReadOptions) (BuiltContext, error) {
	request, err := contextRequest(query, c.namespace)
	if err != nil {
		return BuiltContext{}, err
	}
	answer, err := call[pb.BuildContextResponse](ctx, c.conn, pb.ContextService_BuildContext_FullMethodName, request, only(o).settings())
	if err != nil {
		return BuiltContext{}, err
	}
	return BuiltContext{
		Text: answer.Text, Messages: mapped(answer.Messages, contextMessageOf), Entries: mapped(answer.Entries, contextEntryOf),
		Omitted: mapped(answer.Omitted, contextOmissionOf), OmittedTotal: answer.OmittedTotal, Tokens: answer.Tokens,
		Budget: answer.Budget, Tokenizer: answer.Tokenizer, Degraded: mapped(answer.Degraded, degradationOf),
		Complete: answer.Complete, Query: answer.Query, Revision: answer.Revision,
	}, nil
}

func contextKindCode(kind ContextKind, field string) (pb.ContextKind, error) {
	return codeOf[pb.ContextKind](pb.ContextKind_value, "CONTEXT_KIND_", kind, field)
}

func contextRequest(query ContextQuery, namespace string) (*pb.BuildContextRequest, error) {
	format, err := codeOf[pb.ContextFormat](pb.ContextFormat_value, "CONTEXT_FORMAT_", query.Format, "format")
	if err != nil {
		return nil, err
	}
	kinds, err := mappedAll(query.Kinds, func(kind ContextKind) (pb.ContextKind, error) { return contextKindCode(kind, "kinds") })
	if err != nil {
		return nil, err
	}
	request := &pb.BuildContextRequest{
		Parent: namespaceName(namespace), Scope: scopeMessage(query.Scope), Query: query.Query, Session: query.Session, Format: format,
		Tokenizer: query.Tokenizer, Kinds: kinds, ReferenceTime: timestamp(query.ReferenceTime), TimeZone: zoneOr(query.TimeZone, query.ReferenceTime), MinRelevance: query.MinRelevance,
		Fold: query.Fold, Messages: mapped(query.Messages, func(m ContextMessage) *pb.ContextMessage {
			return &pb.ContextMessage{Role: m.Role, Text: m.Text}
		}),
	}
	for kind, limit := range query.KindLimits {
		code, err := contextKindCode(kind, "kind_limits")
		if err != nil {
			return nil, err
		}
		request.KindLimits = append(request.KindLimits, &pb.ContextKindLimit{
			Kind: code, MaxEntries: limit.MaxEntries, MaxShare: limit.MaxShare,
		})
	}
	switch {
	case query.TokenBudget != 0:
		request.Budget = &pb.BuildContextRequest_TokenBudget{TokenBudget: query.TokenBudget}
	case query.ModelTokens != 0:
		window := &pb.ContextWindow{ModelTokens: query.ModelTokens, Share: query.Share}
		request.Budget = &pb.BuildContextRequest_Window{Window: window}
	}
	return request, nil
}

func contextMessageOf(m *pb.ContextMessage) ContextMessage { return ContextMessage{m.Role, m.Text} }

func contextEntryOf(e *pb.ContextEntry) ContextEntry {
	return ContextEntry{
		e.Name, wordOf(e.Kind, "CONTEXT_KIND_", ContextOther), e.Relevance, e.Tokens, e.Reason,
		wordOf(e.Trust, "TRUST_LEVEL_", TrustUntrusted), e.Part,
	}
}

func contextOmissionOf(o *pb.ContextOmission) ContextOmission {
	return ContextOmission{o.Name, wordOf(o.Reason, "CONTEXT_OMISSION_REASON_", "other"), o.DuplicateOf, o.Part}
}
