package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Facts asserts facts and reads current and former facts and their times. A fact is named by the id or the resource
// name of the memory that states it.
//
// Facts with the same scope, subject and attribute form one timeline. A new value of an attribute that has one value at a time
// supersedes the one before, which is kept.
type Facts struct {
	via       *connection
	namespace string
}

// AssertOutcome is the effect of an assertion.
type AssertOutcome string

// The effects. FactCreated: a new fact was stored; FactReinforced: a fact that was known was repeated; FactRetracted: a fact was
// ended; FactIgnored: nothing changed. FactOther is a value that this version of the client does not know.
const (
	FactCreated    AssertOutcome = "created"
	FactReinforced AssertOutcome = "reinforced"
	FactRetracted  AssertOutcome = "retracted"
	FactIgnored    AssertOutcome = "ignored"
	FactOther      AssertOutcome = "other"
)

// AssertOptions are the options of AssertFact.
type AssertOptions struct {
	WriteOptions
	// Replaces ends the other values of an attribute that has several values at a time.
	Replaces bool
	// Retracts states that the value no longer holds from ValidFrom on; without a value, that no value does.
	Retracts bool
}

// AssertResult is the outcome of an assertion.
type AssertResult struct {
	// Fact as it is known now; of a retraction, the first fact that it ended; nil when there is none.
	Fact    *Fact
	Outcome AssertOutcome
	// SupersededIDs are of the memories of facts that the assertion ended.
	SupersededIDs []string
	Revision      int64
}

// FactQuery says which facts to list. The zero value lists all that hold now.
type FactQuery struct {
	// Scope of the facts; parts that are empty match any.
	Scope Scope
	// Subject of the facts. With a scope, the user is found by name too. Default: any.
	Subject string
	// Attribute of the facts. Default: any.
	Attribute string
	// AsOf lists the facts that held at this instant. Default: AsOfRecorded, otherwise now.
	AsOf time.Time
	// AsOfRecorded lists facts as they were known at this instant. Default: as they are known now.
	AsOfRecorded time.Time
	// IncludeSuperseded also lists facts that do not hold at the instant.
	IncludeSuperseded bool
	// PageSize is the maximum number of facts that are read at a time, 1 to 1,000. Default 200.
	PageSize int32
}

// FactHistory is a fact with its recorded states.
type FactHistory struct {
	// Fact as it is known now.
	Fact Fact
	// States say when it was known to hold, oldest first: the first one and the 31 most recent ones.
	States []FactState
	// Withdrawn is true when UndoSupersession took the fact back.
	Withdrawn bool
}

// FactState is the recorded state of a fact from an instant on.
type FactState struct {
	// RecordTime is the instant from which this was known.
	RecordTime time.Time
	ValidFrom  time.Time
	// ValidUntil is the zero time when no end was known.
	ValidUntil time.Time
	// SupersededBy is the id of the memory of the fact that superseded it; empty: none.
	SupersededBy string
}

// AttributeFacts is every fact that one attribute of one subject had.
type AttributeFacts struct {
	// Facts by ValidFrom, at most 1,000.
	Facts []FactHistory
	// ForgottenCount is the number of facts that were forgotten.
	ForgottenCount int32
	// SingleValued is true when the attribute has one value at a time.
	SingleValued bool
}

// UndoResult is the result of UndoSupersession.
type UndoResult struct {
	// Fact holds again.
	Fact Fact
	// WithdrawnID is of the memory of the fact that was taken back; empty: none.
	WithdrawnID string
	Revision    int64
}

// ForgetFactsQuery selects facts to forget: by IDs, or by the other fields, of which at least one is required.
type ForgetFactsQuery struct {
	// IDs of the memories of facts, at most 100.
	IDs []string
	// Scope of the facts; parts that are empty match any.
	Scope Scope
	// Subject of the facts. With a scope, the user is found by name too.
	Subject   string
	Attribute string
	Value     string
	// DryRun only counts.
	DryRun bool
}

// ForgetFactsResult reports deleted facts; with a dry run, facts that would be deleted.
type ForgetFactsResult struct {
	ForgottenCount int64
	// IDs of the memories of the first 1,000 of them.
	IDs      []string
	Revision int64
}

func (f *Facts) parent() string { return namespaceName(f.namespace) }

// AssertFact asserts that an attribute of a subject has a value, or with Retracts no longer has it, and returns when that is
// durable.
func (f *Facts) AssertFact(ctx context.Context, fact NewFact, o ...AssertOptions) (AssertResult, error) {
	options := only(o)
	request := &pb.AssertFactRequest{
		Parent: f.parent(), Fact: factMessage(fact), Replaces: options.Replaces, Retracts: options.Retracts,
	}
	answer, err := call[pb.AssertFactResponse](ctx, f.via, pb.KnowledgeService_AssertFact_FullMethodName, request, options.settings())
	if err != nil {
		return AssertResult{}, err
	}
	result := AssertResult{
		Outcome: wordOf(answer.Outcome, "ASSERT_OUTCOME_", FactOther), SupersededIDs: idsOf(answer.Superseded), Revision: answer.Revision,
	}
	if answer.Fact != nil {
		stated, err := factOf(answer.Fact)
		if err != nil {
			return AssertResult{}, err
		}
		result.Fact = &stated
	}
	return result, nil
}

// Get reads one fact. ErrNotFound when it is not there, also when the memory is not a fact.
func (f *Facts) Get(ctx context.Context, id string, o ...CallOptions) (Fact, error) {
	request := &pb.GetFactRequest{Name: memoryName(f.namespace, id)}
	answer, err := call[pb.GetFactResponse](ctx, f.via, pb.KnowledgeService_GetFact_FullMethodName, request, only(o).settings())
	if err != nil {
		return Fact{}, err
	}
	return factOf(answer.Fact)
}

// List returns the facts of the query, the newest record first, read page by page as they are asked for.
func (f *Facts) List(ctx context.Context, query FactQuery, o ...CallOptions) iter.Seq2[Fact, error] {
	if query.PageSize == 0 {
		query.PageSize = 200
	}
	return itemsOfPages(damage{what: "facts"}, func(token string) (page[Fact], error) {
		request := &pb.ListFactsRequest{
			Parent: f.parent(), Scope: scopeMessage(query.Scope), Subject: query.Subject, Attribute: query.Attribute,
			AsOf: timestamp(query.AsOf), AsOfRecorded: timestamp(query.AsOfRecorded), IncludeSuperseded: query.IncludeSuperseded,
			PageSize: query.PageSize, PageToken: token,
		}
		answer, err := call[pb.ListFactsResponse](ctx, f.via, pb.KnowledgeService_ListFacts_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[Fact]{}, err
		}
		facts, err := mappedAll(answer.Facts, factOf)
		return page[Fact]{items: facts, next: answer.NextPageToken}, err
	})
}

// ListHistory returns every fact that one attribute of one subject had in exactly this scope, whose zero value is the whole
// namespace.
func (f *Facts) ListHistory(ctx context.Context, subject, attribute string, scope Scope, o ...CallOptions) (AttributeFacts, error) {
	request := &pb.ListFactHistoryRequest{Parent: f.parent(), Scope: scopeMessage(scope), Subject: subject, Attribute: attribute}
	answer, err := call[pb.ListFactHistoryResponse](ctx, f.via, pb.KnowledgeService_ListFactHistory_FullMethodName, request, only(o).settings())
	if err != nil {
		return AttributeFacts{}, err
	}
	facts, err := mappedAll(answer.Facts, factHistoryOf)
	return AttributeFacts{facts, answer.ForgottenCount, answer.SingleValued}, err
}

// UndoSupersession makes a superseded or retracted fact hold again, and takes back the fact that superseded it, unless the
// attribute has several values at a time. ErrFailedPrecondition when it is not superseded.
func (f *Facts) UndoSupersession(ctx context.Context, id string, o ...WriteOptions) (UndoResult, error) {
	request := &pb.UndoSupersessionRequest{Name: memoryName(f.namespace, id)}
	answer, err := call[pb.UndoSupersessionResponse](ctx, f.via, pb.KnowledgeService_UndoSupersession_FullMethodName, request, only(o).settings())
	if err != nil {
		return UndoResult{}, err
	}
	fact, err := factOf(answer.Fact)
	return UndoResult{fact, idOf(answer.Withdrawn), answer.Revision}, err
}

// Forget erases facts with their history. Only AssertFact brings their values back. A call that was cut off has erased some
// of them; repeating it erases the rest.
func (f *Facts) Forget(ctx context.Context, query ForgetFactsQuery, o ...WriteOptions) (ForgetFactsResult, error) {
	request := &pb.ForgetFactsRequest{
		Parent: f.parent(), Names: memoryNames(f.namespace, query.IDs), Scope: scopeMessage(query.Scope), Subject: query.Subject,
		Attribute: query.Attribute, Value: query.Value, DryRun: query.DryRun,
	}
	answer, err := call[pb.ForgetFactsResponse](ctx, f.via, pb.KnowledgeService_ForgetFacts_FullMethodName, request, only(o).settings())
	if err != nil {
		return ForgetFactsResult{}, err
	}
	return ForgetFactsResult{answer.ForgottenCount, idsOf(answer.Names), answer.Revision}, nil
}
