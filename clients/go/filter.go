package mneme

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
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

// FilterText is a condition as text, such as: type = "state" AND step >= 10. An empty text is refused when the filter is used.
func FilterText(text string) Filter {
	if strings.TrimSpace(text) == "" {
		return Filter{err: badInput("filter", "must not be an empty text; without a condition leave the filter out")}
	}
	return Filter{text: text}
}

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
type Number = Ordered[float64]

// Time is a field that is a time.
type Time struct{ Ordered[time.Time] }

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
		return &pb.Value{Kind: &pb.Value_TimeValue{TimeValue: instant(value)}}, nil
	case Day:
		return &pb.Value{Kind: &pb.Value_DayValue{DayValue: &pb.Day{Date: value.Date, TimeZone: value.TimeZone}}}, nil
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
	var plain any
	if err := decodeJSON([]byte(text), &plain); err != nil {
		return nil, badInput("filter", err.Error())
	}
	switch plain := plain.(type) {
	case string, bool: // Also of types of one's own.
		return valueMessage(plain)
	case json.Number:
		return numberMessage(plain.String()), nil
	}
	return &pb.Value{Kind: &pb.Value_JsonValue{JsonValue: text}}, nil
}

// numberMessage is a double where that has the digits of the number, otherwise the digits themselves.
func numberMessage(digits string) *pb.Value {
	double, err := strconv.ParseFloat(digits, 64)
	if err == nil && hasDigits(double, digits) {
		return &pb.Value{Kind: &pb.Value_NumberValue{NumberValue: double}}
	}
	return &pb.Value{Kind: &pb.Value_NumberText{NumberText: digits}}
}

func hasDigits(double float64, digits string) bool {
	if double == 0 { // Also of 1e-999999999, which is too long to be written out.
		mantissa, _, _ := strings.Cut(strings.ToLower(digits), "e")
		return !strings.ContainsAny(mantissa, "123456789")
	}
	exact, isNumber := new(big.Rat).SetString(digits)
	shortest, _ := new(big.Rat).SetString(strconv.FormatFloat(double, 'g', -1, 64))
	return isNumber && exact.Cmp(shortest) == 0
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

// Days compares the field with whole days: Where.EventTime.Days().LessOrEqual(mneme.Day{Date: "2026-06-10"}).
func (t Time) Days() Days { return Days{t.target} }

// Day is a day of the calendar, all of it: 23 to 25 hours where clocks change.
type Day struct {
	// Date is the day, such as 2026-06-10.
	Date string
	// TimeZone is an IANA name, such as Europe/Berlin. Default: UTC.
	TimeZone string
}

// Days is a field that is a time, compared with whole days.
type Days = Ordered[Day]

// Ordered is a field that is compared with values of one type: numbers, instants or days. A day is compared as a whole:
// Equals and IsIn hold within it, Less before its begin, LessOrEqual before its end, Greater after its end.
type Ordered[T any] struct{ target target }

// Equals: the field is this value.
func (o Ordered[T]) Equals(value T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_EQUALS, false, value)
}

// IsIn: the field is one of these values.
func (o Ordered[T]) IsIn(values ...T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_IN, false, anys(values)...)
}

// Less: the field is less than this value, or before it.
func (o Ordered[T]) Less(value T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_LESS, false, value)
}

// LessOrEqual: the field is at most this value.
func (o Ordered[T]) LessOrEqual(value T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_LESS_OR_EQUAL, false, value)
}

// Greater: the field is greater than this value, or after it.
func (o Ordered[T]) Greater(value T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_GREATER, false, value)
}

// GreaterOrEqual: the field is at least this value.
func (o Ordered[T]) GreaterOrEqual(value T) Filter {
	return o.target.compare(pb.Operator_OPERATOR_GREATER_OR_EQUAL, false, value)
}

// Exists: the memory has the field.
func (o Ordered[T]) Exists() Filter { return o.target.compare(pb.Operator_OPERATOR_EXISTS, false) }
