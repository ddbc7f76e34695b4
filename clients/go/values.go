package mneme

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Never is a duration that does not end: of an expiry, that it does not expire.
const Never time.Duration = -1

// FirstInstant is the first instant of the year 1, in requests and in answers. The instant itself is the zero time of Go, which
// stands for an absent one.
var FirstInstant = time.Time{}.Add(time.Nanosecond)

// timestamp is nil for the zero time, which stands for an absent one.
func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return instant(t)
}

// zoneOr is the zone, or else that of the time; empty for UTC.
func zoneOr(zone string, of time.Time) string {
	if zone != "" || of.IsZero() {
		return zone
	}
	if name := of.Location().String(); strings.Contains(name, "/") {
		return name
	}
	if offset := of.Format("-07:00"); offset != "+00:00" {
		return offset
	}
	return ""
}

// instant is the time, which may be the zero time. The server keeps microseconds.
func instant(t time.Time) *timestamppb.Timestamp {
	return timestamppb.New(t.Truncate(time.Microsecond))
}

// timeOf is the zero time for an absent one.
func timeOf(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	if at := t.AsTime(); !at.IsZero() {
		return at
	}
	return FirstInstant
}

// duration is nil for 0, which stands for an absent one.
func duration(d time.Duration) *durationpb.Duration {
	if d == 0 {
		return nil
	}
	return durationpb.New(d)
}

func durationOf(d *durationpb.Duration) time.Duration { return d.AsDuration() }

// jsonOf is the JSON of a value; refuses values that JSON cannot represent.
func jsonOf(value any, field string) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", badInput(field, "cannot be carried by JSON: "+strings.TrimPrefix(err.Error(), "json: "))
	}
	text := strings.TrimSuffix(out.String(), "\n")
	// An escape, unlike the character itself, stands for bytes that are not UTF-8.
	if strings.Contains(text, `\ufffd`) && hasBrokenText(reflect.ValueOf(value)) {
		return "", badInput(field, "cannot be carried by JSON: a text in it is not valid UTF-8")
	}
	return text, nil
}

// decodeJSON keeps the digits of numbers that go into an any, as json.Number.
func decodeJSON(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("mneme: more follows after the JSON value")
	}
	return nil
}

// wordOf is the word of an enum value: full for MEMORY_VIEW_FULL, other for none and for values unknown to this version.
func wordOf[Word ~string](value fmt.Stringer, prefix string, other Word) Word {
	word, ok := strings.CutPrefix(value.String(), prefix)
	if !ok || word == "UNSPECIFIED" {
		return other
	}
	return Word(strings.ToLower(word))
}

// codeOf is the enum value of a word; an empty word is none.
func codeOf[Code ~int32, Word ~string](values map[string]int32, prefix string, word Word, field string) (Code, error) {
	if word == "" {
		return 0, nil
	}
	code, ok := values[prefix+strings.ToUpper(string(word))]
	if !ok || code == 0 {
		return 0, badInput(field, fmt.Sprintf("%q is none of its values", string(word)))
	}
	return Code(code), nil
}

var hostIsLittleEndian = func() bool {
	one := uint16(1)
	return *(*byte)(unsafe.Pointer(&one)) == 1
}()

// bytesOfVector returns single-precision values as the wire carries them: little-endian. It copies, so that the caller may go
// on with its slice.
func bytesOfVector(values []float32) ([]byte, error) {
	for _, value := range values {
		if f := float64(value); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, badInput("embedding.values", "every number must be finite")
		}
	}
	if !hostIsLittleEndian {
		return binary.Append(nil, binary.LittleEndian, values)
	}
	data := make([]byte, 4*len(values))
	copy(data, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(data)))
	return data, nil
}

func vectorOfBytes(data []byte) ([]float32, error) {
	if len(data)%4 != 0 {
		return nil, incompleteAnswer("whole vector")
	}
	values := make([]float32, len(data)/4)
	if !hostIsLittleEndian {
		_, err := binary.Decode(data, binary.LittleEndian, values)
		return values, err
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(data)), data)
	return values, nil
}

// namespaceName is the resource name of a namespace, from its id or its name.
func namespaceName(namespace string) string {
	if strings.HasPrefix(namespace, "namespaces/") {
		return namespace
	}
	return "namespaces/" + namespace
}

// memoryName is the resource name of a memory, from its id in a namespace or its full name.
func memoryName(namespace, idOrName string) string {
	if idOrName == "" || strings.Contains(idOrName, "/") {
		return idOrName
	}
	return namespaceName(namespace) + "/memories/" + idOrName
}

func memoryNames(namespace string, ids []string) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = memoryName(namespace, id)
	}
	return names
}

// sessionName is the resource name of a session, whose id may hold slashes.
func sessionName(namespace, idOrName string) string {
	if strings.HasPrefix(idOrName, "namespaces/") {
		return idOrName
	}
	return namespaceName(namespace) + "/sessions/" + idOrName
}

// partOfName is a part of namespaces/{namespace}/memories/{id}, empty where the name has none.
func partOfName(name string, part int) string {
	if parts := strings.Split(name, "/"); part < len(parts) {
		return parts[part]
	}
	return ""
}

func idOf(name string) string          { return partOfName(name, 3) }
func namespaceOfName(n string) string  { return partOfName(n, 1) }
func idsOf(names []string) []string    { return mapped(names, idOf) }
func afterLast(name, by string) string { return name[strings.LastIndex(name, by)+len(by):] }

// countOf is how many of the conditions are true.
func countOf(conditions ...bool) (count int) {
	for _, each := range conditions {
		if each {
			count++
		}
	}
	return count
}

// mapped is never nil, so that an empty list is one.
func mapped[From, To any](all []From, change func(From) To) []To {
	changed := make([]To, len(all))
	for i, each := range all {
		changed[i] = change(each)
	}
	return changed
}

// mappedAll is mapped with a fallible function.
func mappedAll[From, To any](all []From, change func(From) (To, error)) ([]To, error) {
	changed := make([]To, len(all))
	for i, each := range all {
		var err error
		if changed[i], err = change(each); err != nil {
			return nil, err
		}
	}
	return changed, nil
}
