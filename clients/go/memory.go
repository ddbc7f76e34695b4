package mneme

import "time"

// Tier is the durability of a memory, and the resolution at which it is searched.
type Tier string

// The tiers, from the one where memories begin.
const (
	TierShortTerm    Tier = "short_term"
	TierIntermediate Tier = "intermediate"
	TierLongTerm     Tier = "long_term"
)

// View says how much of a memory an answer carries.
type View string

// The views. ViewBasic (the default) is all fields except the vector, ViewFull the vector too, ViewMetadata names,
// scope, times and numbers only.
const (
	ViewBasic    View = "basic"
	ViewFull     View = "full"
	ViewMetadata View = "metadata"
)

// Scope is the owner of the memory inside its namespace, from the widest to the narrowest. Empty parts are not specified.
type Scope struct {
	Project   string
	AgentType string
	Agent     string
	// Session is one conversation or run. Memories of one session are neighbours of one another in recall.
	Session string
}

// Point is one of a Cartesian world of one's own.
type Point struct {
	X, Y float64
	Z    *float64
}

// GeoPoint is one on Earth, in degrees.
type GeoPoint struct {
	LatitudeDeg, LongitudeDeg float64
}

// Place says where something happened.
type Place struct {
	Point    *Point
	Geo      *GeoPoint
	Location string
	Room     string
	Region   string
}

// Source says where a memory comes from.
type Source struct {
	// Speaker is the speaker or actor. Searched by recall in addition to the text.
	Speaker string
	// URI is where it can be found. Not searched.
	URI string
	// Origin is the component that stored it.
	Origin string
}

// Embedding is a vector and the model it was made with. The first one of a namespace fixes model and dimension for it.
type Embedding struct {
	Values []float32
	Model  string
}

// NewMemory is a memory to be stored. At least one of Text, Content and Embedding is required; an absent field has its
// default.
type NewMemory struct {
	// ID is the last part of the resource name. Default: a new UUID version 7.
	ID    string
	Scope Scope
	// Type is message, fact, episode or any word. Default: message when there is a speaker, otherwise statement.
	Type string
	// Step of the agent's run in which it happened, 0 to 2^53 - 1.
	Step *int64
	// EventTime is when it happened. Default: when it is stored.
	EventTime time.Time
	// Text is the searched text, in plain language. Derived from Content when empty.
	Text string
	// Content is the content: a Content, or a value that is stored as application/json.
	Content   any
	Tags      []string
	Embedding *Embedding
	Place     *Place
	// Importance is how much it matters, 0 to 1. Default 0.5.
	Importance *float64
	// Priority is the caller's own, 0 to 1. Default 1.
	Priority *float64
	Source   Source
	// ExpireTime is when it is to be forgotten.
	ExpireTime time.Time
	// ValidFrom is the first instant of its validity.
	ValidFrom time.Time
	// ValidUntil is the first instant after its validity.
	ValidUntil time.Time
	// SupersededBy is the id of the memory that replaces this one.
	SupersededBy string
}

// ImportedMemory is a memory as it was in another server: keeps its times and counts.
type ImportedMemory struct {
	NewMemory
	CreateTime     time.Time
	UpdateTime     time.Time
	LastAccessTime time.Time
	RetrievalCount int64
	// Compaction is data removed permanently, where its namespace is configured for lossy compaction.
	Compaction *Compaction
}

// Compaction is data that a memory lost when it entered a tier that drops keys or rounds fractions of JSON contents.
type Compaction struct {
	// Checksum of the original memory.
	Checksum string
	// ContentBytes of the content the original memory.
	ContentBytes int64
	DroppedKeys  []string
	// Decimals that fractions were rounded to; nil when none was changed.
	Decimals *int32
}

// MemoryChanges are the changes of a memory: nil and empty fields stay. Clear names fields to empty or to return to their
// default.
type MemoryChanges struct {
	// Scope: the parts that are not empty are changed.
	Scope        Scope
	Type         *string
	Step         *int64
	EventTime    time.Time
	Text         *string
	Content      any
	Tags         []string
	Embedding    *Embedding
	Place        *Place
	Importance   *float64
	Priority     *float64
	Source       *Source
	ExpireTime   time.Time
	ValidFrom    time.Time
	ValidUntil   time.Time
	SupersededBy *string
	// Clear names fields, such as expire_time, tags, scope or scope.agent.
	Clear []string
}

// Memory is a memory as stored by the server. Parts outside of the view are empty or nil.
type Memory struct {
	// Name is the resource name, namespaces/{namespace}/memories/{id}.
	Name      string
	Namespace string
	ID        string
	Scope     Scope
	Type      string
	Step      *int64
	EventTime time.Time
	// CreateTime and UpdateTime, as all times of the server, are in UTC and to the microsecond.
	CreateTime     time.Time
	UpdateTime     time.Time
	Text           string
	Content        *Content
	Tags           []string
	Embedding      *Embedding
	Place          *Place
	Importance     float64
	Priority       float64
	Source         Source
	Tier           Tier
	RetrievalCount int64
	// LastAccessTime, ExpireTime, ValidFrom and ValidUntil are the zero time where there is none.
	LastAccessTime time.Time
	ExpireTime     time.Time
	ValidFrom      time.Time
	ValidUntil     time.Time
	SupersededBy   string
	// Checksum is the SHA-256 of text and content, as lower-case hexadecimal.
	Checksum string
	// Version for changes on condition: greater after each change.
	Version    int64
	Compaction *Compaction
}

// Imported is the memory as ImportMemories takes it.
func (m Memory) Imported() ImportedMemory {
	imported := ImportedMemory{
		NewMemory: NewMemory{
			ID: m.ID, Scope: m.Scope, Type: m.Type, Step: m.Step, EventTime: m.EventTime, Text: m.Text, Tags: m.Tags,
			Embedding: m.Embedding, Place: m.Place, Importance: &m.Importance, Priority: &m.Priority, Source: m.Source,
			ExpireTime: m.ExpireTime, ValidFrom: m.ValidFrom, ValidUntil: m.ValidUntil, SupersededBy: m.SupersededBy,
		},
		CreateTime: m.CreateTime, UpdateTime: m.UpdateTime, LastAccessTime: m.LastAccessTime,
		RetrievalCount: m.RetrievalCount, Compaction: m.Compaction,
	}
	if m.Content != nil {
		imported.Content = *m.Content
	}
	return imported
}
