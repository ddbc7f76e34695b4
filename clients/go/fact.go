package mneme

import (
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// TrustLevel is the trust in the source of a memory.
type TrustLevel string

// The levels, from the least. TrustTool: output of a tool; TrustAssistant and TrustUser: a turn of theirs; TrustExplicit: asserted
// through the API. TrustUntrusted: the source is not known.
const (
	TrustUntrusted TrustLevel = "untrusted"
	TrustTool      TrustLevel = "tool"
	TrustAssistant TrustLevel = "assistant"
	TrustUser      TrustLevel = "user"
	TrustExplicit  TrustLevel = "explicit"
)

// NewFact is a fact to be asserted.
type NewFact struct {
	// Scope is the owner of the fact. Facts of different scopes do not supersede each other. Default: the whole namespace.
	Scope Scope
	// Subject is the subject of the fact, such as user, for the user, or a name. 1 to 256 bytes.
	Subject string
	// Attribute is the attribute of the subject, such as home_city or likes. 1 to 128 bytes.
	Attribute string
	// Value of the attribute. 1 to 4,096 bytes.
	Value string
	// Text is a sentence that states the fact; recall searches it. Default: made of subject, attribute and value.
	Text string
	// Confidence, 0 to 1. Default 1.
	Confidence *float64
	// Sources are resource names of messages or memories, or URIs of documents, that state the fact; at most 64.
	Sources []string
	// ValidFrom is the instant from which the fact holds. Default: now.
	ValidFrom time.Time
	// ValidUntil is the instant from which it no longer holds, if that is known.
	ValidUntil time.Time
}

// Fact is a fact as the server knows it.
type Fact struct {
	// Name is the resource name of its memory.
	Name string
	// ID of its memory.
	ID      string
	Scope   Scope
	Subject string
	// Attribute in lower case, with words joined by _, and one name for synonyms.
	Attribute string
	Value     string
	Text      string
	// Confidence, 0 to 1, with decay since the fact was last asserted.
	Confidence float64
	// ReinforcementCount is the number of times that it was repeated by other sources.
	ReinforcementCount int32
	// Sources that state it: the first one and the 63 most recent ones.
	Sources []string
	Trust   TrustLevel
	// ValidFrom is the instant from which it holds.
	ValidFrom time.Time
	// ValidUntil is the instant from which it no longer holds; the zero time when no end is known.
	ValidUntil time.Time
	// SupersededBy is the id of the memory of the fact that superseded it; empty: none.
	SupersededBy string
	// RecordTime is when the server learned of it.
	RecordTime time.Time
	// AssertTime is when it was last asserted.
	AssertTime time.Time
	// Version of its memory.
	Version int64
}

func factMessage(f NewFact) *pb.Fact {
	return &pb.Fact{
		Scope: scopeMessage(f.Scope), Subject: f.Subject, Attribute: f.Attribute, Value: f.Value, Text: f.Text, Confidence: f.Confidence,
		Sources: f.Sources, ValidFrom: timestamp(f.ValidFrom), ValidUntil: timestamp(f.ValidUntil),
	}
}

func factOf(f *pb.Fact) (Fact, error) {
	if f == nil {
		return Fact{}, incompleteAnswer("fact")
	}
	confidence := 1.0
	if f.Confidence != nil {
		confidence = *f.Confidence
	}
	return Fact{
		Name: f.Name, ID: idOf(f.Name), Scope: scopeOf(f.Scope), Subject: f.Subject, Attribute: f.Attribute, Value: f.Value, Text: f.Text,
		Confidence: confidence, ReinforcementCount: f.ReinforcementCount, Sources: f.Sources,
		Trust: wordOf(f.Trust, "TRUST_LEVEL_", TrustUntrusted), ValidFrom: timeOf(f.ValidFrom), ValidUntil: timeOf(f.ValidUntil),
		SupersededBy: idOf(f.SupersededBy), RecordTime: timeOf(f.RecordTime), AssertTime: timeOf(f.AssertTime), Version: f.Version,
	}, nil
}

func factHistoryOf(h *pb.FactHistory) (FactHistory, error) {
	fact, err := factOf(h.Fact)
	states := mapped(h.States, func(s *pb.FactState) FactState {
		return FactState{timeOf(s.RecordTime), timeOf(s.ValidFrom), timeOf(s.ValidUntil), idOf(s.SupersededBy)}
	})
	return FactHistory{fact, states, h.Withdrawn}, err
}
