package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// KeepTTL, as a TTL, lets a key expire when it would have before.
const KeepTTL time.Duration = -2

// WorkingMemory is the working memory of one session. The session is made by its first write. Values are Content, or any
// value that encoding/json can carry, stored as JSON.
type WorkingMemory struct {
	conn      *connection
	namespace string
	id        string
}

// KeyInfo is a key of a session, without its value.
type KeyInfo struct {
	Key string
	// Version for changes on condition; never used again for another value.
	Version int64
	// Bytes of key and value.
	Bytes      int64
	CreateTime time.Time
	UpdateTime time.Time
	// ExpireTime is the zero time when it does not expire.
	ExpireTime time.Time
}

// Entry is a key with its value.
type Entry struct {
	KeyInfo
	Value Content
}

// SetOptions are the options of Set.
type SetOptions struct {
	WriteOptions
	// TTL is how long the key is kept; Never or KeepTTL. Default: the session's default.
	TTL time.Duration
	// IfVersion, when set, must be the version of the key; 0: the key must not be there.
	IfVersion *int64
	// SessionDefaultTTL is the default of later keys of the session without a TTL, this one included; Never:
	// they stay. Default: it stays as it is.
	SessionDefaultTTL time.Duration
}

// ID of the session.
func (w *WorkingMemory) ID() string { return w.id }

func (w *WorkingMemory) name() string { return sessionName(w.namespace, w.id) }

func expiryMessage(ttl time.Duration) *pb.Expiry {
	switch ttl {
	case 0:
		return nil
	case Never:
		return &pb.Expiry{Kind: &pb.Expiry_Never{Never: true}}
	case KeepTTL:
		return &pb.Expiry{Kind: &pb.Expiry_Keep{Keep: true}}
	}
	return &pb.Expiry{Kind: &pb.Expiry_Ttl{Ttl: duration(ttl)}}
}

func keyOf(e *pb.WorkingEntry) (KeyInfo, error) {
	if e == nil {
		return KeyInfo{}, incompleteAnswer("key")
	}
	return KeyInfo{e.Key, e.Version, e.Bytes, timeOf(e.CreateTime), timeOf(e.UpdateTime), timeOf(e.ExpireTime)}, nil
}

func entryOf(e *pb.WorkingEntry) (Entry, error) {
	key, err := keyOf(e)
	return Entry{key, contentOf(e.GetValue())}, err
}

// Set sets a key. ErrAborted when IfVersion is not its version.
func (w *WorkingMemory) Set(ctx context.Context, key string, value any, o ...SetOptions) (KeyInfo, error) {
	options := only(o)
	content, err := contentMessage(value, "value")
	if err != nil {
		return KeyInfo{}, err
	}
	request := &pb.SetValueRequest{
		Session: w.name(), Key: key, Value: content, Expiry: expiryMessage(options.TTL), IfVersion: options.IfVersion,
	}
	switch options.SessionDefaultTTL {
	case 0:
	case Never:
		request.SessionDefault = &pb.SetValueRequest_NoSessionDefaultTtl{NoSessionDefaultTtl: true}
	default:
		request.SessionDefault = &pb.SetValueRequest_SessionDefaultTtl{SessionDefaultTtl: duration(options.SessionDefaultTTL)}
	}
	answer, err := call[pb.SetValueResponse](ctx, w.conn, pb.WorkingMemoryService_SetValue_FullMethodName, request, options.settings())
	if err != nil {
		return KeyInfo{}, err
	}
	return keyOf(answer.Entry)
}

// Get reads a key; nil when it is not there or has expired. JSON null is a value.
func (w *WorkingMemory) Get(ctx context.Context, key string, o ...CallOptions) (*Entry, error) {
	request := &pb.GetValueRequest{Session: w.name(), Key: key}
	answer, err := call[pb.GetValueResponse](ctx, w.conn, pb.WorkingMemoryService_GetValue_FullMethodName, request, only(o).settings())
	if err != nil || answer.Entry == nil {
		return nil, err
	}
	entry, err := entryOf(answer.Entry)
	return &entry, err
}

// BatchEntries are the keys that BatchGet found, and the missing keys.
type BatchEntries struct {
	Entries []Entry
	Missing []string
}

// BatchGet reads keys, of one moment, in the order asked for.
func (w *WorkingMemory) BatchGet(ctx context.Context, keys []string, o ...CallOptions) (BatchEntries, error) {
	request := &pb.BatchGetValuesRequest{Session: w.name(), Keys: keys}
	answer, err := call[pb.BatchGetValuesResponse](ctx, w.conn, pb.WorkingMemoryService_BatchGetValues_FullMethodName, request, only(o).settings())
	if err != nil {
		return BatchEntries{}, err
	}
	entries, err := mappedAll(answer.Entries, entryOf)
	return BatchEntries{entries, answer.Missing}, err
}

// Has reports whether a key is there.
func (w *WorkingMemory) Has(ctx context.Context, key string, o ...CallOptions) (bool, error) {
	request := &pb.HasValueRequest{Session: w.name(), Key: key}
	answer, err := call[pb.HasValueResponse](ctx, w.conn, pb.WorkingMemoryService_HasValue_FullMethodName, request, only(o).settings())
	return answer.GetExists(), err
}

// Delete deletes a key; false when it was not there.
func (w *WorkingMemory) Delete(ctx context.Context, key string, o ...ChangeOptions) (bool, error) {
	options := only(o)
	request := &pb.DeleteValueRequest{Session: w.name(), Key: key, IfVersion: options.IfVersion}
	answer, err := call[pb.DeleteValueResponse](ctx, w.conn, pb.WorkingMemoryService_DeleteValue_FullMethodName, request, options.settings())
	return answer.GetDeleted(), err
}

// ListKeys returns keys that match the pattern, such as user:*, by code point; all keys if it is empty.
func (w *WorkingMemory) ListKeys(ctx context.Context, pattern string, o ...CallOptions) iter.Seq2[KeyInfo, error] {
	return itemsOfPages(damage{}, func(token string) (page[KeyInfo], error) {
		request := &pb.ListKeysRequest{Session: w.name(), Pattern: pattern, PageToken: token}
		answer, err := call[pb.ListKeysResponse](ctx, w.conn, pb.WorkingMemoryService_ListKeys_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[KeyInfo]{}, err
		}
		items, err := mappedAll(answer.Entries, keyOf)
		return page[KeyInfo]{items: items, next: answer.NextPageToken}, err
	})
}

// GetAllQuery selects keys. The zero value gives all that the session holds.
type GetAllQuery struct {
	// Pattern such as user:*.
	Pattern string
	// CheckpointID names a checkpoint whose keys are returned instead of the keys of the session.
	CheckpointID string
}

// GetAll returns keys with their values.
func (w *WorkingMemory) GetAll(ctx context.Context, query GetAllQuery, o ...CallOptions) iter.Seq2[Entry, error] {
	return itemsOfPages(damage{}, func(token string) (page[Entry], error) {
		request := &pb.GetAllValuesRequest{Session: w.name(), Pattern: query.Pattern, CheckpointId: query.CheckpointID, PageToken: token}
		answer, err := call[pb.GetAllValuesResponse](ctx, w.conn, pb.WorkingMemoryService_GetAllValues_FullMethodName, request, only(o).settings())
		if err != nil {
			return page[Entry]{}, err
		}
		items, err := mappedAll(answer.Entries, entryOf)
		return page[Entry]{items: items, next: answer.NextPageToken}, err
	})
}

// ClearOptions are the options of Clear. By default only the keys are deleted.
type ClearOptions struct {
	WriteOptions
	KeepValues      bool
	ClearTaskState  bool
	ClearScratchpad bool
}

// ClearResult reports deleted values.
type ClearResult struct {
	KeyCount  int32
	NoteCount int32
}

// Clear deletes the keys and, where asked, task state and scratchpad; checkpoints stay.
func (w *WorkingMemory) Clear(ctx context.Context, o ...ClearOptions) (ClearResult, error) {
	options := only(o)
	request := &pb.ClearWorkingMemoryRequest{
		Session: w.name(), KeepValues: options.KeepValues, ClearTaskState: options.ClearTaskState, ClearScratchpad: options.ClearScratchpad,
	}
	answer, err := call[pb.ClearWorkingMemoryResponse](ctx, w.conn, pb.WorkingMemoryService_ClearWorkingMemory_FullMethodName, request, options.settings())
	return ClearResult{answer.GetKeyCount(), answer.GetNoteCount()}, err
}

// Operation is one step of a transaction: SetKey, RemoveKey, TouchKey or CheckKey.
type Operation interface {
	operation() (*pb.ValueOperation, error)
}

// SetKey sets a key; TTL and IfVersion as in SetOptions.
type SetKey struct {
	Key       string
	Value     any
	TTL       time.Duration
	IfVersion *int64
}

// RemoveKey deletes a key.
type RemoveKey struct {
	Key       string
	IfVersion *int64
}

// TouchKey changes when a key expires.
type TouchKey struct {
	Key       string
	TTL       time.Duration
	IfVersion *int64
}

// CheckKey lets the transaction fail unless the key has this version; 0: is not there.
type CheckKey struct {
	Key       string
	IfVersion int64
}

func (s SetKey) operation() (*pb.ValueOperation, error) {
	content, err := contentMessage(s.Value, "value")
	set := &pb.SetOperation{Key: s.Key, Value: content, Expiry: expiryMessage(s.TTL), IfVersion: s.IfVersion}
	return &pb.ValueOperation{Kind: &pb.ValueOperation_Set{Set: set}}, err
}

func (r RemoveKey) operation() (*pb.ValueOperation, error) {
	remove := &pb.KeyOperation{Key: r.Key, IfVersion: r.IfVersion}
	return &pb.ValueOperation{Kind: &pb.ValueOperation_Remove{Remove: remove}}, nil
}

func (t TouchKey) operation() (*pb.ValueOperation, error) {
	touch := &pb.TouchOperation{Key: t.Key, Expiry: expiryMessage(t.TTL), IfVersion: t.IfVersion}
	return &pb.ValueOperation{Kind: &pb.ValueOperation_Touch{Touch: touch}}, nil
}

func (c CheckKey) operation() (*pb.ValueOperation, error) {
	check := &pb.KeyOperation{Key: c.Key, IfVersion: &c.IfVersion}
	return &pb.ValueOperation{Kind: &pb.ValueOperation_Check{Check: check}}, nil
}

// Transact does all of the operations, or none; each key once. It returns, in the order of the operations, the keys set or
// touched, and nil for the others.
func (w *WorkingMemory) Transact(ctx context.Context, operations []Operation, o ...WriteOptions) ([]*KeyInfo, error) {
	messages, err := mappedAll(operations, Operation.operation)
	if err != nil {
		return nil, err
	}
	request := &pb.TransactValuesRequest{Session: w.name(), Operations: messages}
	answer, err := call[pb.TransactValuesResponse](ctx, w.conn, pb.WorkingMemoryService_TransactValues_FullMethodName, request, only(o).settings())
	if err != nil {
		return nil, err
	}
	return mapped(answer.Results, func(result *pb.ValueResult) *KeyInfo {
		if result.Entry == nil {
			return nil
		}
		key, _ := keyOf(result.Entry)
		return &key
	}), nil
}

// WorkingMemoryStatistics are the contents of a session.
type WorkingMemoryStatistics struct {
	KeyCount         int32
	ValueBytes       int64
	NoteCount        int32
	NoteBytes        int64
	DroppedNoteCount int64
	HasTaskState     bool
	CheckpointCount  int32
	CheckpointBytes  int64
	CreateTime       time.Time
	UpdateTime       time.Time
	// Revision of the session.
	Revision int64
	// Scope says whose session it is.
	Scope Scope
	// UsingFallback is true while the server serves the session from its own copy, because Redis is unreachable.
	UsingFallback bool
}

// GetStatistics totals of the session. ErrNotFound when it is not there.
func (w *WorkingMemory) GetStatistics(ctx context.Context, o ...CallOptions) (WorkingMemoryStatistics, error) {
	request := &pb.GetWorkingMemoryStatisticsRequest{Session: w.name()}
	s, err := call[pb.GetWorkingMemoryStatisticsResponse](ctx, w.conn, pb.WorkingMemoryService_GetWorkingMemoryStatistics_FullMethodName, request, only(o).settings())
	if err != nil {
		return WorkingMemoryStatistics{}, err
	}
	return WorkingMemoryStatistics{
		KeyCount: s.KeyCount, ValueBytes: s.ValueBytes, NoteCount: s.NoteCount, NoteBytes: s.NoteBytes,
		DroppedNoteCount: s.DroppedNoteCount, HasTaskState: s.HasTaskState, CheckpointCount: s.CheckpointCount,
		CheckpointBytes: s.CheckpointBytes, CreateTime: timeOf(s.CreateTime), UpdateTime: timeOf(s.UpdateTime), Revision: s.Revision,
		Scope: scopeOf(s.Scope), UsingFallback: s.UsingFallback,
	}, nil
}
