package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// Namespace that the calls are about.
func (c *Client) Namespace() string { return c.namespace }

func (c *Client) parent() string { return namespaceName(c.namespace) }

// ChangeOptions are the options of a conditional change.
type ChangeOptions struct {
	WriteOptions
	// IfVersion, when set, must be the current version: ErrAborted when it is not.
	IfVersion *int64
}

// DeleteOptions are the options of Delete.
type DeleteOptions struct {
	WriteOptions
	// IfVersion, when set, must be the version of the memory: ErrAborted when it is not.
	IfVersion *int64
	// AllowMissing: it is no error that the memory is not there.
	AllowMissing bool
}

// GetOptions are the options of Get. By default the read changes nothing.
type GetOptions struct {
	ReadOptions
	// View says how much of the memory is wanted. Default ViewBasic.
	View View
	// Touch counts the read.
	Touch bool
	// Focus counts the read and moves the memory one tier up when it has earned it.
	Focus bool
}

// BatchGetOptions are the options of BatchGet.
type BatchGetOptions struct {
	ReadOptions
	// View selects the parts of the memories. Default ViewBasic.
	View View
}

// BatchGetResult is the result of BatchGet.
type BatchGetResult struct {
	// Memories in the order asked for.
	Memories []Memory
	// MissingIDs lead to no memory.
	MissingIDs []string
	// DamagedIDs are of memories whose bytes are damaged.
	DamagedIDs []string
	Revision   int64
}

// SupersedeReceipt is of the new memory, and of the superseded one.
type SupersedeReceipt struct {
	Receipt
	Superseded Receipt
}

// Store stores one memory durably. ErrAlreadyExists when it has the id of another.
func (c *Client) Store(ctx context.Context, memory NewMemory, o ...WriteOptions) (Receipt, error) {
	message, err := newMemoryMessage(memory, c.namespace)
	if err != nil {
		return Receipt{}, err
	}
	request := &pb.StoreMemoryRequest{Parent: c.parent(), Memory: message, MemoryId: memory.ID}
	answer, err := call[pb.StoreMemoryResponse](ctx, c.conn, pb.MemoryService_StoreMemory_FullMethodName, request, only(o).settings())
	if err != nil {
		return Receipt{}, err
	}
	return receiptOf(answer.Memory, answer.Revision)
}

// BatchStore stores up to 1,000 memories: all of them or none.
func (c *Client) BatchStore(ctx context.Context, memories []NewMemory, o ...WriteOptions) ([]Receipt, error) {
	requests, err := mappedAll(memories, func(memory NewMemory) (*pb.StoreMemoryRequest, error) {
		message, err := newMemoryMessage(memory, c.namespace)
		return &pb.StoreMemoryRequest{Memory: message, MemoryId: memory.ID}, err
	})
	if err != nil {
		return nil, err
	}
	request := &pb.BatchStoreMemoriesRequest{Parent: c.parent(), Requests: requests}
	answer, err := call[pb.BatchStoreMemoriesResponse](ctx, c.conn, pb.MemoryService_BatchStoreMemories_FullMethodName, request, only(o).settings())
	if err != nil {
		return nil, err
	}
	if len(answer.Memories) != len(memories) {
		return nil, incompleteAnswer("receipt for some of the memories")
	}
	return mappedAll(answer.Memories, func(receipt *pb.WriteReceipt) (Receipt, error) {
		return receiptOf(receipt, answer.Revision)
	})
}

// Get reads one memory. ErrNotFound when it is not there.
func (c *Client) Get(ctx context.Context, id string, o ...GetOptions) (Memory, error) {
	options := only(o)
	view, err := viewCode(options.View)
	if err != nil {
		return Memory{}, err
	}
	request := &pb.GetMemoryRequest{Name: memoryName(c.namespace, id), View: view, Touch: options.Touch, Focus: options.Focus}
	answer, err := call[pb.GetMemoryResponse](ctx, c.conn, pb.MemoryService_GetMemory_FullMethodName, request, options.settings())
	if err != nil {
		return Memory{}, err
	}
	return memoryOf(answer.Memory)
}

// BatchGet reads up to 1,000 memories in the order asked for.
func (c *Client) BatchGet(ctx context.Context, ids []string, o ...BatchGetOptions) (BatchGetResult, error) {
	options := only(o)
	view, err := viewCode(options.View)
	if err != nil {
		return BatchGetResult{}, err
	}
	request := &pb.BatchGetMemoriesRequest{Parent: c.parent(), Names: memoryNames(c.namespace, ids), View: view}
	answer, err := call[pb.BatchGetMemoriesResponse](ctx, c.conn, pb.MemoryService_BatchGetMemories_FullMethodName, request, options.settings())
	if err != nil {
		return BatchGetResult{}, err
	}
	memories, err := mappedAll(answer.Memories, memoryOf)
	return BatchGetResult{memories, idsOf(answer.Missing), idsOf(answer.Damaged), answer.Revision}, err
}

// Update changes the fields that are set and keeps the former state. ErrAborted when IfVersion is not its version.
func (c *Client) Update(ctx context.Context, id string, changes MemoryChanges, o ...ChangeOptions) (Receipt, error) {
	message, mask, err := changesMessage(changes, c.namespace)
	if err != nil {
		return Receipt{}, err
	}
	message.Name = memoryName(c.namespace, id)
	options := only(o)
	request := &pb.UpdateMemoryRequest{Memory: message, UpdateMask: &fieldmaskpb.FieldMask{Paths: mask}, IfVersion: options.IfVersion}
	answer, err := call[pb.UpdateMemoryResponse](ctx, c.conn, pb.MemoryService_UpdateMemory_FullMethodName, request, options.settings())
	if err != nil {
		return Receipt{}, err
	}
	return receiptOf(answer.Memory, answer.Revision)
}

// Supersede stores a memory that replaces another one, whose validity ends in the same transaction. Scope, type and
// source default to the fields of the replaced memory. ErrFailedPrecondition when it is superseded already.
func (c *Client) Supersede(ctx context.Context, id string, memory NewMemory, o ...ChangeOptions) (SupersedeReceipt, error) {
	message, err := newMemoryMessage(memory, c.namespace)
	if err != nil {
		return SupersedeReceipt{}, err
	}
	options := only(o)
	request := &pb.SupersedeMemoryRequest{
		Name: memoryName(c.namespace, id), Memory: message, MemoryId: memory.ID, IfVersion: options.IfVersion,
	}
	answer, err := call[pb.SupersedeMemoryResponse](ctx, c.conn, pb.MemoryService_SupersedeMemory_FullMethodName, request, options.settings())
	if err != nil {
		return SupersedeReceipt{}, err
	}
	stored, err := receiptOf(answer.Memory, answer.Revision)
	if err != nil {
		return SupersedeReceipt{}, err
	}
	superseded, err := receiptOf(answer.Superseded, answer.Revision)
	return SupersedeReceipt{stored, superseded}, err
}

// SetImportance changes how much a memory matters, 0 to 1.
func (c *Client) SetImportance(ctx context.Context, id string, importance float64, o ...ChangeOptions) (Receipt, error) {
	options := only(o)
	request := &pb.SetMemoryImportanceRequest{Name: memoryName(c.namespace, id), Importance: importance, IfVersion: options.IfVersion}
	answer, err := call[pb.SetMemoryImportanceResponse](ctx, c.conn, pb.MemoryService_SetMemoryImportance_FullMethodName, request, options.settings())
	if err != nil {
		return Receipt{}, err
	}
	return receiptOf(answer.Memory, answer.Revision)
}

// Delete erases one memory with its revisions, and returns the revision of the change log of the deletion.
func (c *Client) Delete(ctx context.Context, id string, o ...DeleteOptions) (revision int64, err error) {
	options := only(o)
	request := &pb.DeleteMemoryRequest{
		Name: memoryName(c.namespace, id), IfVersion: options.IfVersion, AllowMissing: options.AllowMissing,
	}
	answer, err := call[pb.DeleteMemoryResponse](ctx, c.conn, pb.MemoryService_DeleteMemory_FullMethodName, request, options.settings())
	return answer.GetRevision(), err
}

// ForgetQuery says which memories to erase: either Filter or All.
type ForgetQuery struct {
	Filter Filter
	// All erases every memory of the namespace.
	All bool
	// DryRun only counts.
	DryRun bool
}

// TierCount is how many memories there are in a tier.
type TierCount struct {
	Tier  Tier
	Count int64
}

// ForgetResult reports the deleted memories; with a dry run, memories that would be deleted.
type ForgetResult struct {
	ForgottenCount int64
	Tiers          []TierCount
	// IDs of the first 1,000 of them.
	IDs      []string
	Revision int64
}

// Forget erases every memory that the filter admits. Cut off, it has erased some of them; repeat it for the rest.
func (c *Client) Forget(ctx context.Context, query ForgetQuery, o ...WriteOptions) (ForgetResult, error) {
	if query.Filter.err != nil {
		return ForgetResult{}, query.Filter.err
	}
	request := &pb.ForgetMemoriesRequest{
		Parent: c.parent(), Filter: query.Filter.message, FilterText: query.Filter.text, All: query.All, DryRun: query.DryRun,
	}
	answer, err := call[pb.ForgetMemoriesResponse](ctx, c.conn, pb.MemoryService_ForgetMemories_FullMethodName, request, only(o).settings())
	if err != nil {
		return ForgetResult{}, err
	}
	return ForgetResult{answer.ForgottenCount, mapped(answer.Tiers, tierCountOf), idsOf(answer.Names), answer.Revision}, nil
}

func tierCountOf(count *pb.TierCount) TierCount { return TierCount{tierOf(count.Tier), count.Count} }

// CountQuery says which memories to count. The zero value counts all.
type CountQuery struct {
	Filter Filter
	// IncludeInvalid false: only memories that are valid now and not superseded. Default true. Must be absent with AsOf.
	IncludeInvalid *bool
	// AsOf: only memories that were valid at this instant, whether or not superseded since.
	AsOf time.Time
}

// MemoryCount is how many memories there are.
type MemoryCount struct {
	Count    int64
	Tiers    []TierCount
	Revision int64
}

// Count returns the exact number of memories of List.
func (c *Client) Count(ctx context.Context, query CountQuery, o ...ReadOptions) (MemoryCount, error) {
	if query.Filter.err != nil {
		return MemoryCount{}, query.Filter.err
	}
	request := &pb.CountMemoriesRequest{
		Parent: c.parent(), Filter: query.Filter.message, FilterText: query.Filter.text, IncludeInvalid: query.IncludeInvalid,
		AsOf: timestamp(query.AsOf),
	}
	answer, err := call[pb.CountMemoriesResponse](ctx, c.conn, pb.MemoryService_CountMemories_FullMethodName, request, only(o).settings())
	if err != nil {
		return MemoryCount{}, err
	}
	return MemoryCount{answer.Count, mapped(answer.Tiers, tierCountOf), answer.Revision}, nil
}

// ExportQuery says which memories to export.
type ExportQuery struct {
	// Filter: default all that have not expired.
	Filter Filter
	// OnProgress is called after each message of the server: number of memories sent so far, and the initial number in the
	// namespace.
	OnProgress func(sentCount, totalCount int64)
	// OnDamaged is called with memories that cannot be read. Default: ErrDataLoss after all the others.
	OnDamaged func(ids []string)
}

// ExportMemories returns every memory of the namespace with its vector, in the order of storing. It has no deadline but
// that of its context; the server waits while the reader is slow.
func (c *Client) ExportMemories(ctx context.Context, query ExportQuery, o ...CallOptions) iter.Seq2[Memory, error] {
	return func(yield func(Memory, error) bool) {
		told := damage{what: "memories", told: query.OnDamaged}
		request := &pb.ExportMemoriesRequest{Parent: c.parent(), Filter: query.Filter.message, FilterText: query.Filter.text}
		err := readStream(ctx, query.Filter.err, only(o), func(ctx context.Context, own ownSettings) (receiver[pb.ExportMemoriesResponse], error) {
			return pb.NewMemoryServiceClient(stubConn{c.conn}).ExportMemories(ctx, request, own)
		}, func(message *pb.ExportMemoriesResponse) error {
			if query.OnProgress != nil {
				query.OnProgress(message.SentCount, message.TotalCount)
			}
			told.note(idsOf(message.Damaged))
			for _, each := range message.Memories {
				memory, err := memoryOf(each)
				if err != nil {
					return err
				}
				if !yield(memory, nil) {
					return errLeft
				}
			}
			return nil
		})
		if err == nil {
			err = told.error()
		}
		if err != nil && err != errLeft {
			yield(Memory{}, err)
		}
	}
}
