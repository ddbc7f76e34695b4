package mneme

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Filter is a condition on memories: one made with Where, Path, Within, AllOf, AnyOf and Negate, or a text (FilterText). The
// zero value is none.
type Filter struct {
	message *pb.Filter
	text    string
	err     error
}

// FilterText is a condition as text, such as: type = "state" AND step >= 10
func FilterText(text string) Filter { return Filter{text: text} }

// String returns the text of a FilterText, or the message of another one.
func (f Filter) String() string {
	if f.message != nil {
		return f.message.String()
	}
	return f.text
}

// IsZero is true when it is no condition.
func (f Filter) IsZero() bool { return f.message == nil && f.text == "" && f.err == nil }

// Text is a field that is a text. A memory without the field satisfies none of its conditions, only their negation.
type Text struct{ target target }

// Number is a field that is a number.
type Number struct{ target target }

// Time is a field that is a time.
type Time struct{ target target }

// Value is a value in JSON content: values of different types are never equal, nor before or after one another. Arrays and
// objects are compared as a whole.
type Value struct{ target target }

// target makes a comparison without operator and values.
type target func() *pb.Comparison

func (t target) compare(op pb.Operator, ignoreCase bool, values ...any) Filter {
	comparison := t()
	comparison.Op, comparison.IgnoreCase = op, ignoreCase
	for _, each := range values {
		value, err := valueMessage(each)
		if err != nil {
			return Filter{err: err}
		}
		comparison.Values = append(comparison.Values, value)
	}
	return Filter{message: &pb.Filter{Node: &pb.Filter_Comparison{Comparison: comparison}}}
}

func valueMessage(value any) (*pb.Value, error) {
	switch value := value.(type) {
	case string:
		return &pb.Value{Kind: &pb.Value_StringValue{StringValue: value}}, nil
	case bool:
		return &pb.Value{Kind: &pb.Value_BoolValue{BoolValue: value}}, nil
	case time.Time:
		return &pb.Value{Kind: &pb.Value_TimeValue{TimeValue: timestamp(value)}}, nil
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, badInput("filter", "NaN and Inf are no numbers to compare with")
		}
		return &pb.Value{Kind: &pb.Value_NumberValue{NumberValue: value}}, nil
	}
	text, err := jsonOf(value, "filter")
	if err != nil {
		return nil, err
	}
	// Also of types of one's own, and of integers, which keep all digits.
	var plain any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err == nil {
		switch plain := plain.(type) {
		case string, bool:
			return valueMessage(plain)
		case json.Number:
			return &pb.Value{Kind: &pb.Value_NumberText{NumberText: plain.String()}}, nil
		}
	}
	return &pb.Value{Kind: &pb.Value_JsonValue{JsonValue: text}}, nil
}

func anys[T any](values []T) []any { return mapped(values, func(value T) any { return value }) }

// TextOption says how texts are compared.
type TextOption bool

// IgnoreCase compares texts without regard to case.
const IgnoreCase TextOption = true

// Equals: the field is this text.
func (t Text) Equals(value string, o ...TextOption) Filter {
	return t.target.compare(pb.Operator_OPERATOR_EQUALS, bool(only(o)), value)
}

// IsIn: the field is one of these texts.
func (t Text) IsIn(values []string, o ...TextOption) Filter {
	return t.target.compare(pb.Operator_OPERATOR_IN, bool(only(o)), anys(values)...)
}

// Less: the field comes before this text, by code points.
func (t Text) Less(value string) Filter {
	return t.target.compare(pb.Operator_OPERATOR_LESS, false, value)
}

// LessOrEqual: the field comes before this text or is it.
func (t Text) LessOrEqual(value string) Filter {
	return t.target.compare(pb.Operator_OPERATOR_LESS_OR_EQUAL, false, value)
}

// Greater: the field comes after this text.
func (t Text) Greater(value string) Filter {
	return t.target.compare(pb.Operator_OPERATOR_GREATER, false, value)
}

// GreaterOrEqual: the field comes after this text or is it.
func (t Text) GreaterOrEqual(value string) Filter {
	return t.target.compare(pb.Operator_OPERATOR_GREATER_OR_EQUAL, false, value)
}

// Contains: the field contains this part.
func (t Text) Contains(part string, o ...TextOption) Filter {
	return t.target.compare(pb.Operator_OPERATOR_CONTAINS, bool(only(o)), part)
}

// StartsWith: the field starts with this text.
func (t Text) StartsWith(start string, o ...TextOption) Filter {
	return t.target.compare(pb.Operator_OPERATOR_STARTS_WITH, bool(only(o)), start)
}

// Matches: a regular expression in RE2 syntax matches somewhere in the field.
func (t Text) Matches(pattern string, o ...TextOption) Filter {
	return t.target.compare(pb.Operator_OPERATOR_MATCHES, bool(only(o)), pattern)
}

// Exists: the memory has the field.
func (t Text) Exists() Filter { return t.target.compare(pb.Operator_OPERATOR_EXISTS, false) }

// Equals: the field is this number.
func (n Number) Equals(value float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_EQUALS, false, value)
}

// IsIn: the field is one of these numbers.
func (n Number) IsIn(values ...float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_IN, false, anys(values)...)
}

// Less: the field is less than this number.
func (n Number) Less(value float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_LESS, false, value)
}

// LessOrEqual: the field is at most this number.
func (n Number) LessOrEqual(value float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_LESS_OR_EQUAL, false, value)
}

// Greater: the field is greater than this number.
func (n Number) Greater(value float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_GREATER, false, value)
}

// GreaterOrEqual: the field is at least this number.
func (n Number) GreaterOrEqual(value float64) Filter {
	return n.target.compare(pb.Operator_OPERATOR_GREATER_OR_EQUAL, false, value)
}

// Exists: the memory has the field.
func (n Number) Exists() Filter { return n.target.compare(pb.Operator_OPERATOR_EXISTS, false) }

// Equals: the field is this instant.
func (t Time) Equals(value time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_EQUALS, false, value)
}

// IsIn: the field is one of these instants.
func (t Time) IsIn(values ...time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_IN, false, anys(values)...)
}

// Less: the field is before this instant.
func (t Time) Less(value time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_LESS, false, value)
}

// LessOrEqual: the field is before this instant or it.
func (t Time) LessOrEqual(value time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_LESS_OR_EQUAL, false, value)
}

// Greater: the field is after this instant.
func (t Time) Greater(value time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_GREATER, false, value)
}

// GreaterOrEqual: the field is after this instant or it.
func (t Time) GreaterOrEqual(value time.Time) Filter {
	return t.target.compare(pb.Operator_OPERATOR_GREATER_OR_EQUAL, false, value)
}

// Exists: the memory has the field.
func (t Time) Exists() Filter { return t.target.compare(pb.Operator_OPERATOR_EXISTS, false) }
