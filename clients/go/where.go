package mneme

import (
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Where holds the fields of a memory, to be compared: mneme.Where.Type.Equals("fact").
var Where = struct {
	ID             Text
	Project        Text
	AgentType      Text
	Agent          Text
	Session        Text
	Type           Text
	Tier           Text
	Tag            Text
	Text           Text
	Speaker        Text
	SourceURI      Text
	SourceOrigin   Text
	Location       Text
	Room           Text
	Region         Text
	MediaType      Text
	SupersededBy   Text
	Step           Number
	Importance     Number
	Priority       Number
	RetrievalCount Number
	Version        Number
	EventTime      Time
	CreateTime     Time
	UpdateTime     Time
	LastAccessTime Time
	ExpireTime     Time
	ValidFrom      Time
	ValidUntil     Time
}{
	ID:             Text{field(pb.MemoryField_MEMORY_FIELD_ID)},
	Project:        Text{field(pb.MemoryField_MEMORY_FIELD_PROJECT)},
	AgentType:      Text{field(pb.MemoryField_MEMORY_FIELD_AGENT_TYPE)},
	Agent:          Text{field(pb.MemoryField_MEMORY_FIELD_AGENT)},
	Session:        Text{field(pb.MemoryField_MEMORY_FIELD_SESSION)},
	Type:           Text{field(pb.MemoryField_MEMORY_FIELD_TYPE)},
	Tier:           Text{field(pb.MemoryField_MEMORY_FIELD_TIER)},
	Tag:            Text{field(pb.MemoryField_MEMORY_FIELD_TAG)},
	Text:           Text{field(pb.MemoryField_MEMORY_FIELD_TEXT)},
	Speaker:        Text{field(pb.MemoryField_MEMORY_FIELD_SPEAKER)},
	SourceURI:      Text{field(pb.MemoryField_MEMORY_FIELD_SOURCE_URI)},
	SourceOrigin:   Text{field(pb.MemoryField_MEMORY_FIELD_SOURCE_ORIGIN)},
	Location:       Text{field(pb.MemoryField_MEMORY_FIELD_LOCATION)},
	Room:           Text{field(pb.MemoryField_MEMORY_FIELD_ROOM)},
	Region:         Text{field(pb.MemoryField_MEMORY_FIELD_REGION)},
	MediaType:      Text{field(pb.MemoryField_MEMORY_FIELD_MEDIA_TYPE)},
	SupersededBy:   Text{field(pb.MemoryField_MEMORY_FIELD_SUPERSEDED_BY)},
	Step:           Number{field(pb.MemoryField_MEMORY_FIELD_STEP)},
	Importance:     Number{field(pb.MemoryField_MEMORY_FIELD_IMPORTANCE)},
	Priority:       Number{field(pb.MemoryField_MEMORY_FIELD_PRIORITY)},
	RetrievalCount: Number{field(pb.MemoryField_MEMORY_FIELD_RETRIEVAL_COUNT)},
	Version:        Number{field(pb.MemoryField_MEMORY_FIELD_VERSION)},
	EventTime:      Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_EVENT_TIME)}},
	CreateTime:     Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_CREATE_TIME)}},
	UpdateTime:     Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_UPDATE_TIME)}},
	LastAccessTime: Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_LAST_ACCESS_TIME)}},
	ExpireTime:     Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_EXPIRE_TIME)}},
	ValidFrom:      Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_VALID_FROM)}},
	ValidUntil:     Time{Ordered[time.Time]{field(pb.MemoryField_MEMORY_FIELD_VALID_UNTIL)}},
}

func field(code pb.MemoryField) target {
	return func() *pb.Comparison { return &pb.Comparison{Target: &pb.Comparison_Field{Field: code}} }
}

// Path is a value in JSON content: keys joined by dots, such as position.room; \. is a dot inside a key. Arrays are
// searched; a whole number also selects the element at that index.
func Path(dotted string) Value {
	return Value{func() *pb.Comparison { return &pb.Comparison{Target: &pb.Comparison_Path{Path: dotted}} }}
}

// Equals: it is this value, of any kind that JSON can carry.
func (v Value) Equals(value any, o ...TextOption) Filter {
	return v.target.compare(pb.Operator_OPERATOR_EQUALS, bool(only(o)), value)
}

// IsIn: it is one of these values.
func (v Value) IsIn(values []any, o ...TextOption) Filter {
	return v.target.compare(pb.Operator_OPERATOR_IN, bool(only(o)), values...)
}

// Less: it is of the same type as this text or number, and less.
func (v Value) Less(value any) Filter {
	return v.target.compare(pb.Operator_OPERATOR_LESS, false, value)
}

// LessOrEqual: it is of the same type as this text or number, and not greater.
func (v Value) LessOrEqual(value any) Filter {
	return v.target.compare(pb.Operator_OPERATOR_LESS_OR_EQUAL, false, value)
}

// Greater: it is of the same type as this text or number, and greater.
func (v Value) Greater(value any) Filter {
	return v.target.compare(pb.Operator_OPERATOR_GREATER, false, value)
}

// GreaterOrEqual: it is of the same type as this text or number, and not less.
func (v Value) GreaterOrEqual(value any) Filter {
	return v.target.compare(pb.Operator_OPERATOR_GREATER_OR_EQUAL, false, value)
}

// Contains: a text contains a part of it; an array its elements; an object an object with some of its keys and their values.
func (v Value) Contains(part any, o ...TextOption) Filter {
	return v.target.compare(pb.Operator_OPERATOR_CONTAINS, bool(only(o)), part)
}

// StartsWith: it is a text that starts with this one.
func (v Value) StartsWith(start string, o ...TextOption) Filter {
	return v.target.compare(pb.Operator_OPERATOR_STARTS_WITH, bool(only(o)), start)
}

// Matches: it is a text in which a regular expression in RE2 syntax matches somewhere.
func (v Value) Matches(pattern string, o ...TextOption) Filter {
	return v.target.compare(pb.Operator_OPERATOR_MATCHES, bool(only(o)), pattern)
}

// Exists: the path leads to a value.
func (v Value) Exists() Filter { return v.target.compare(pb.Operator_OPERATOR_EXISTS, false) }

// IsNull: the path leads to a JSON null.
func (v Value) IsNull() Filter { return v.target.compare(pb.Operator_OPERATOR_IS_NULL, false) }

// AllOf is true when every one of the filters is. A FilterText cannot be joined to others: write it as a text as a whole.
func AllOf(filters ...Filter) Filter {
	list, err := filterList(filters)
	return Filter{message: &pb.Filter{Node: &pb.Filter_All{All: list}}, err: err}
}

// AnyOf is true when at least one of the filters is.
func AnyOf(filters ...Filter) Filter {
	list, err := filterList(filters)
	return Filter{message: &pb.Filter{Node: &pb.Filter_Any{Any: list}}, err: err}
}

// Negate is true when the filter is not.
func Negate(filter Filter) Filter {
	list, err := filterList([]Filter{filter})
	if err != nil {
		return Filter{err: err}
	}
	return Filter{message: &pb.Filter{Node: &pb.Filter_Negate{Negate: list.Filters[0]}}}
}

func filterList(filters []Filter) (*pb.FilterList, error) {
	list := &pb.FilterList{}
	for _, each := range filters {
		if each.err != nil {
			return nil, each.err
		}
		if each.message == nil {
			return nil, badInput("filter", "a text or an empty filter cannot be part of another")
		}
		list.Filters = append(list.Filters, each.message)
	}
	return list, nil
}

// Area is where something happened: PointRadius, PointBox, GeoRadius or GeoBox.
type Area interface{ placeFilter() *pb.PlaceFilter }

// PointRadius is a circle, or a ball, in one's own world.
type PointRadius struct {
	Point  Point
	Radius float64
}

// PointBox is a box in one's own world.
type PointBox struct{ Low, High Point }

// GeoRadius is a circle on Earth; RadiusM is in metres.
type GeoRadius struct {
	Geo     GeoPoint
	RadiusM float64
}

// GeoBox is a box on Earth.
type GeoBox struct{ SouthWest, NorthEast GeoPoint }

func (a PointRadius) placeFilter() *pb.PlaceFilter {
	area := &pb.PointRadius{Center: pointMessage(a.Point), Radius: a.Radius}
	return &pb.PlaceFilter{Area: &pb.PlaceFilter_PointRadius{PointRadius: area}}
}

func (a PointBox) placeFilter() *pb.PlaceFilter {
	area := &pb.PointBox{Low: pointMessage(a.Low), High: pointMessage(a.High)}
	return &pb.PlaceFilter{Area: &pb.PlaceFilter_PointBox{PointBox: area}}
}

func (a GeoRadius) placeFilter() *pb.PlaceFilter {
	area := &pb.GeoRadius{Center: geoMessage(a.Geo), RadiusM: a.RadiusM}
	return &pb.PlaceFilter{Area: &pb.PlaceFilter_GeoRadius{GeoRadius: area}}
}

func (a GeoBox) placeFilter() *pb.PlaceFilter {
	area := &pb.GeoBox{SouthWest: geoMessage(a.SouthWest), NorthEast: geoMessage(a.NorthEast)}
	return &pb.PlaceFilter{Area: &pb.PlaceFilter_GeoBox{GeoBox: area}}
}

// Within is true of memories with a place inside the area; its edges are inside.
func Within(area Area) Filter {
	return Filter{message: &pb.Filter{Node: &pb.Filter_Place{Place: area.placeFilter()}}}
}
