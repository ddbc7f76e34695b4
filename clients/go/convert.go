package mneme

import (
	"slices"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

func memoryMessage(m NewMemory, namespace string) (*pb.Memory, error) {
	message := &pb.Memory{
		Name: memoryName(namespace, m.ID), Scope: scopeMessage(m.Scope), Type: m.Type, Step: m.Step,
		EventTime: timestamp(m.EventTime), Text: m.Text, Tags: m.Tags, Place: placeMessage(m.Place),
		Importance: m.Importance, Priority: m.Priority, Source: sourceMessage(m.Source),
		ExpireTime: timestamp(m.ExpireTime), ValidFrom: timestamp(m.ValidFrom), ValidUntil: timestamp(m.ValidUntil),
		SupersededBy: memoryName(namespace, m.SupersededBy),
	}
	var err error
	if m.Content != nil {
		if message.Content, err = contentMessage(m.Content, "content"); err != nil {
			return nil, err
		}
	}
	message.Embedding, err = embeddingMessage(m.Embedding)
	return message, err
}

// newMemoryMessage is without a name: the id of a new memory is a separate field.
func newMemoryMessage(m NewMemory, namespace string) (*pb.Memory, error) {
	message, err := memoryMessage(m, namespace)
	if err == nil {
		message.Name = ""
	}
	return message, err
}

func importedMessage(m ImportedMemory, namespace string) (*pb.Memory, error) {
	message, err := memoryMessage(m.NewMemory, namespace)
	if err != nil {
		return nil, err
	}
	message.CreateTime, message.UpdateTime = timestamp(m.CreateTime), timestamp(m.UpdateTime)
	message.LastAccessTime, message.RetrievalCount = timestamp(m.LastAccessTime), m.RetrievalCount
	if c := m.Compaction; c != nil {
		message.Compaction = &pb.Compaction{
			Checksum: c.Checksum, ContentBytes: c.ContentBytes, DroppedKeys: c.DroppedKeys, Decimals: c.Decimals,
		}
	}
	return message, nil
}

// changesMessage returns changes as the message and the field mask of an update.
func changesMessage(changes MemoryChanges, namespace string) (*pb.Memory, []string, error) {
	var mask []string
	given := func(field string, is bool) {
		if is {
			mask = append(mask, field)
		}
	}
	given("scope.project", changes.Scope.Project != "")
	given("scope.agent_type", changes.Scope.AgentType != "")
	given("scope.agent", changes.Scope.Agent != "")
	given("scope.session", changes.Scope.Session != "")
	given("type", changes.Type != nil)
	given("step", changes.Step != nil)
	given("event_time", !changes.EventTime.IsZero())
	given("text", changes.Text != nil)
	given("content", changes.Content != nil)
	given("tags", changes.Tags != nil)
	given("embedding", changes.Embedding != nil)
	given("place", changes.Place != nil)
	given("importance", changes.Importance != nil)
	given("priority", changes.Priority != nil)
	given("source", changes.Source != nil)
	given("expire_time", !changes.ExpireTime.IsZero())
	given("valid_from", !changes.ValidFrom.IsZero())
	given("valid_until", !changes.ValidUntil.IsZero())
	given("superseded_by", changes.SupersededBy != nil)
	for _, field := range changes.Clear {
		if slices.Contains(mask, field) {
			return nil, nil, badInput("clear", field+" is changed as well")
		}
		if field == "scope" {
			mask = append(mask, "scope.project", "scope.agent_type", "scope.agent", "scope.session")
		} else {
			mask = append(mask, field)
		}
	}
	memory := NewMemory{
		Scope: changes.Scope, Type: valueOf(changes.Type), Step: changes.Step, EventTime: changes.EventTime,
		Text: valueOf(changes.Text), Content: changes.Content, Tags: changes.Tags, Embedding: changes.Embedding,
		Place: changes.Place, Importance: changes.Importance, Priority: changes.Priority, Source: valueOf(changes.Source),
		ExpireTime: changes.ExpireTime, ValidFrom: changes.ValidFrom, ValidUntil: changes.ValidUntil,
		SupersededBy: valueOf(changes.SupersededBy),
	}
	message, err := memoryMessage(memory, namespace)
	return message, mask, err
}

func valueOf[T any](pointer *T) (value T) {
	if pointer != nil {
		value = *pointer
	}
	return value
}

func scopeMessage(s Scope) *pb.Scope {
	if s == (Scope{}) {
		return nil
	}
	return &pb.Scope{Project: s.Project, AgentType: s.AgentType, Agent: s.Agent, Session: s.Session}
}

func scopeOf(s *pb.Scope) Scope {
	return Scope{Project: s.GetProject(), AgentType: s.GetAgentType(), Agent: s.GetAgent(), Session: s.GetSession()}
}

func embeddingMessage(e *Embedding) (*pb.Embedding, error) {
	if e == nil {
		return nil, nil
	}
	data, err := bytesOfVector(e.Values)
	return &pb.Embedding{DataF32Le: data, Dimension: uint32(len(e.Values)), Model: e.Model}, err
}

func pointMessage(p Point) *pb.Point { return &pb.Point{X: p.X, Y: p.Y, Z: p.Z} }

func geoMessage(p GeoPoint) *pb.GeoPoint {
	return &pb.GeoPoint{LatitudeDeg: p.LatitudeDeg, LongitudeDeg: p.LongitudeDeg}
}

func placeMessage(p *Place) *pb.Place {
	if p == nil {
		return nil
	}
	message := &pb.Place{Location: p.Location, Room: p.Room, Region: p.Region}
	if p.Point != nil {
		message.Point = pointMessage(*p.Point)
	}
	if p.Geo != nil {
		message.Geo = geoMessage(*p.Geo)
	}
	return message
}

func placeOf(p *pb.Place) *Place {
	if p == nil {
		return nil
	}
	place := &Place{Location: p.Location, Room: p.Room, Region: p.Region}
	if p.Point != nil {
		place.Point = &Point{X: p.Point.X, Y: p.Point.Y, Z: p.Point.Z}
	}
	if p.Geo != nil {
		place.Geo = &GeoPoint{LatitudeDeg: p.Geo.LatitudeDeg, LongitudeDeg: p.Geo.LongitudeDeg}
	}
	return place
}

func sourceMessage(s Source) *pb.Source {
	if s == (Source{}) {
		return nil
	}
	return &pb.Source{Speaker: s.Speaker, Uri: s.URI, Origin: s.Origin}
}

func memoryOf(m *pb.Memory) (Memory, error) {
	if m == nil {
		return Memory{}, incompleteAnswer("memory")
	}
	memory := Memory{
		Name: m.Name, Namespace: namespaceOfName(m.Name), ID: idOf(m.Name), Scope: scopeOf(m.Scope), Type: m.Type, Step: m.Step,
		EventTime: timeOf(m.EventTime), CreateTime: timeOf(m.CreateTime), UpdateTime: timeOf(m.UpdateTime), Text: m.Text,
		Tags: m.Tags, Place: placeOf(m.Place), Importance: 0.5, Priority: 1, Tier: tierOf(m.Tier),
		Source:         Source{Speaker: m.Source.GetSpeaker(), URI: m.Source.GetUri(), Origin: m.Source.GetOrigin()},
		RetrievalCount: m.RetrievalCount, LastAccessTime: timeOf(m.LastAccessTime), ExpireTime: timeOf(m.ExpireTime),
		ValidFrom: timeOf(m.ValidFrom), ValidUntil: timeOf(m.ValidUntil), SupersededBy: idOf(m.SupersededBy),
		Checksum: m.Checksum, Version: m.Version,
	}
	if m.Importance != nil {
		memory.Importance = *m.Importance
	}
	if m.Priority != nil {
		memory.Priority = *m.Priority
	}
	if m.Content != nil {
		content := contentOf(m.Content)
		memory.Content = &content
	}
	if c := m.Compaction; c != nil {
		memory.Compaction = &Compaction{
			Checksum: c.Checksum, ContentBytes: c.ContentBytes, DroppedKeys: c.DroppedKeys, Decimals: c.Decimals,
		}
	}
	if m.Embedding != nil {
		values, err := vectorOfBytes(m.Embedding.DataF32Le)
		if err != nil {
			return Memory{}, err
		}
		memory.Embedding = &Embedding{Values: values, Model: m.Embedding.Model}
	}
	return memory, nil
}

// tierOf: the metadata view may leave the tier out; then it is the tier of new memories.
func tierOf(tier pb.Tier) Tier { return wordOf(tier, "TIER_", TierShortTerm) }

func tierCode(tier Tier) (pb.Tier, error) {
	return codeOf[pb.Tier](pb.Tier_value, "TIER_", tier, "tier")
}

func viewCode(view View) (pb.MemoryView, error) {
	if view == "" {
		return pb.MemoryView_MEMORY_VIEW_BASIC, nil
	}
	return codeOf[pb.MemoryView](pb.MemoryView_value, "MEMORY_VIEW_", view, "view")
}

// Receipt is the properties of a written memory.
type Receipt struct {
	Name       string
	ID         string
	Version    int64
	CreateTime time.Time
	Checksum   string
	// EmbeddingPending is true when its vector is still to be computed: until then it is found by keywords and filters only.
	EmbeddingPending bool
	// Revision of the change log at which it was written.
	Revision int64
}

func receiptOf(r *pb.WriteReceipt, revision int64) (Receipt, error) {
	if r == nil {
		return Receipt{}, incompleteAnswer("receipt")
	}
	return Receipt{
		Name: r.Name, ID: idOf(r.Name), Version: r.Version, CreateTime: timeOf(r.CreateTime), Checksum: r.Checksum,
		EmbeddingPending: r.EmbeddingPending, Revision: revision,
	}, nil
}
