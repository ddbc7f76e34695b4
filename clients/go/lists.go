package mneme

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Order of a list. Memories of the same value are ordered by when they were stored.
type Order string

// The orders. OrderCreateTimeDesc, newest stored first, is the default.
const (
	OrderCreateTimeDesc Order = "create_time_desc"
	OrderCreateTimeAsc  Order = "create_time_asc"
	OrderEventTimeDesc  Order = "event_time_desc"
	OrderEventTimeAsc   Order = "event_time_asc"
	OrderImportanceDesc Order = "importance_desc"
	OrderStepAsc        Order = "step_asc"
	OrderStepDesc       Order = "step_desc"
)

// ChangeKind is the change of a memory, or of its namespace.
type ChangeKind string

// The kinds of changes. ChangeOther is a value that this version of the client does not know.
const (
	ChangeStored           ChangeKind = "stored"
	ChangeUpdated          ChangeKind = "updated"
	ChangeDeleted          ChangeKind = "deleted"
	ChangeExpired          ChangeKind = "expired"
	ChangeEmbedded         ChangeKind = "embedded"
	ChangeTouched          ChangeKind = "touched"
	ChangeMoved            ChangeKind = "moved"
	ChangeNamespaceCreated ChangeKind = "namespace_created"
	ChangeNamespaceUpdated ChangeKind = "namespace_updated"
	ChangeNamespaceDeleted ChangeKind = "namespace_deleted"
	ChangeVectorsReplaced  ChangeKind = "vectors_replaced"
	ChangeOther            ChangeKind = "other"
)

func changeOf(kind pb.ChangeKind) ChangeKind { return wordOf(kind, "CHANGE_KIND_", ChangeOther) }

// ListQuery says which memories to list. The zero value lists all, newest stored first.
type ListQuery struct {
	Filter Filter
	Order  Order
	// View selects the parts of the memories. Default ViewBasic.
	View View
	// PageSize is the most memories per page, 1 to 1,000. Default: List reads 200 at a time.
	PageSize int32
	// IncludeInvalid false: only memories that are valid now and not superseded. Default true. Must be absent with AsOf.
	IncludeInvalid *bool
	// AsOf: only memories that were valid at this instant, whether or not superseded since.
	AsOf time.Time
	// OnDamaged is called by List with memories that cannot be read. Default: ErrDataLoss after all the others.
	OnDamaged func(ids []string)
	// PageToken is the NextPageToken of the page before, for ListPage, with the same query.
	PageToken string
}

// ListPage is one page of memories.
type ListPage struct {
	Memories []Memory
	// DamagedIDs are of memories of the page whose bytes are damaged.
	DamagedIDs []string
	// NextPageToken is empty on the last page. A page may be empty and still have a next one.
	NextPageToken string
	Revision      int64
}

// MemoryRevision is a state of a memory, and its cause.
type MemoryRevision struct {
	Memory Memory
	Change ChangeKind
}

// List returns all memories of the query, read page by page as they are asked for.
func (c *Client) List(ctx context.Context, query ListQuery, o ...ReadOptions) iter.Seq2[Memory, error] {
	if query.PageSize == 0 {
		query.PageSize = 200
	}
	return func(yield func(Memory, error) bool) {
		// Every page of a list must ask for the same revision, however much this client has seen meanwhile.
		options := only(o)
		options.MinRevision = Ptr(c.conn.minRevision(options.MinRevision))
		d := damage{what: "memories", told: query.OnDamaged}
		itemsOfPages(d, func(token string) (page[Memory], error) {
			query.PageToken = token
			read, err := c.readPage(ctx, query, options)
			return page[Memory]{read.Memories, read.DamagedIDs, read.NextPageToken}, err
		})(yield)
	}
}

var pageTokenWithRevision = regexp.MustCompile(`(?s)^(\d+):(.+)$`)

// ListPage returns one page, to be followed by the one of its NextPageToken with the same query.
func (c *Client) ListPage(ctx context.Context, query ListQuery, o ...ReadOptions) (ListPage, error) {
	options := only(o)
	// Page tokens of this client carry the oldest revision that the first page asked for in front of the server's token.
	minRevision := c.conn.minRevision(options.MinRevision)
	if parts := pageTokenWithRevision.FindStringSubmatch(query.PageToken); parts != nil {
		if given, err := strconv.ParseInt(parts[1], 10, 64); err == nil {
			minRevision, query.PageToken = given, parts[2]
		}
	}
	options.MinRevision = &minRevision
	read, err := c.readPage(ctx, query, options)
	if read.NextPageToken != "" {
		read.NextPageToken = strconv.FormatInt(minRevision, 10) + ":" + read.NextPageToken
	}
	return read, err
}

func (c *Client) readPage(ctx context.Context, query ListQuery, options ReadOptions) (ListPage, error) {
	order, err := codeOf[pb.MemoryOrder](pb.MemoryOrder_value, "MEMORY_ORDER_", query.Order, "order")
	if err != nil {
		return ListPage{}, err
	}
	if order == 0 {
		order = pb.MemoryOrder_MEMORY_ORDER_CREATE_TIME_DESC
	}
	view, err := viewCode(query.View)
	if err == nil {
		err = query.Filter.err
	}
	if err != nil {
		return ListPage{}, err
	}
	request := &pb.ListMemoriesRequest{
		Parent: c.parent(), Filter: query.Filter.message, FilterText: query.Filter.text, Order: order, PageSize: query.PageSize,
		PageToken: query.PageToken, View: view, IncludeInvalid: query.IncludeInvalid, AsOf: timestamp(query.AsOf),
	}
	answer, err := call[pb.ListMemoriesResponse](ctx, c.conn, pb.MemoryService_ListMemories_FullMethodName, request, options.settings())
	if err != nil {
		return ListPage{}, err
	}
	memories, err := mappedAll(answer.Memories, memoryOf)
	return ListPage{memories, idsOf(answer.Damaged), answer.NextPageToken, answer.Revision}, err
}

// ListRevisions returns the states that a memory has had, newest first. ErrDataLoss after the others where some cannot be read.
func (c *Client) ListRevisions(ctx context.Context, id string, o ...CallOptions) iter.Seq2[MemoryRevision, error] {
	return itemsOfPages(damage{what: "former states"}, func(token string) (page[MemoryRevision], error) {
		request := &pb.ListMemoryRevisionsRequest{Name: memoryName(c.namespace, id), PageSize: 100, PageToken: token}
		answer, err := call[pb.ListMemoryRevisionsResponse](ctx, c.conn, pb.MemoryService_ListMemoryRevisions_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[MemoryRevision]{}, err
		}
		items, err := mappedAll(answer.Revisions, func(r *pb.MemoryRevision) (MemoryRevision, error) {
			memory, err := memoryOf(r.Memory)
			return MemoryRevision{memory, changeOf(r.Change)}, err
		})
		return page[MemoryRevision]{items, slices.Repeat([]string{id}, int(answer.DamagedCount)), answer.NextPageToken}, err
	})
}
