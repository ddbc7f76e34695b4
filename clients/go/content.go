package mneme

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Content is data in its own format: bytes and their media type. The server returns them bit for bit.
//
// Where a content is asked for, any value that encoding/json can carry is taken as well (a struct, a map, a slice …)
// and stored as application/json.
type Content struct {
	MediaType string
	Data      []byte
}

// TextContent is plain text.
func TextContent(text string) Content { return Content{MediaType: "text/plain", Data: []byte(text)} }

// Text is the bytes as text; an error when they are not UTF-8.
func (c Content) Text() (string, error) {
	if !utf8.Valid(c.Data) {
		return "", errors.New("mneme: the content is not UTF-8")
	}
	return string(c.Data), nil
}

// Decode reads the bytes as JSON into the value that the pointer leads to.
func (c Content) Decode(into any) error { return json.Unmarshal(c.Data, into) }

// Value is the bytes as a JSON value: maps, slices, strings, booleans, nil, float64, and json.Number for integers beyond
// ±(2^53 - 1), which float64 would round.
func (c Content) Value() (value any, err error) {
	if err = c.Decode(&value); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Data))
	decoder.UseNumber()
	if err = decoder.Decode(&value); err != nil {
		return nil, err
	}
	return exactNumbers(value), nil
}

// exactNumbers replaces every json.Number by a float64, except integers that float64 may round.
func exactNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		number, err := value.Float64()
		if err != nil || (math.Abs(number) >= 1<<53 && !strings.ContainsAny(value.String(), ".eE")) {
			return value
		}
		return number
	case []any:
		for at := range value {
			value[at] = exactNumbers(value[at])
		}
	case map[string]any:
		for key := range value {
			value[key] = exactNumbers(value[key])
		}
	}
	return value
}

var (
	jsonType = regexp.MustCompile(`(?i)^\s*application/json\s*(;|$)`)
	textType = regexp.MustCompile(`(?i)^\s*text/`)
)

// contentMessage is the message of a Content; other values become JSON.
func contentMessage(value any, field string) (*pb.Content, error) {
	if pointer, ok := value.(*Content); ok && pointer != nil {
		value = *pointer
	}
	content, ok := value.(Content)
	if !ok {
		text, err := jsonOf(value, field)
		return &pb.Content{MediaType: "application/json", Body: &pb.Content_Json{Json: text}}, err
	}
	message := &pb.Content{MediaType: content.MediaType}
	switch isText := utf8.Valid(content.Data); {
	case isText && jsonType.MatchString(content.MediaType):
		message.Body = &pb.Content_Json{Json: string(content.Data)}
	case isText && textType.MatchString(content.MediaType):
		message.Body = &pb.Content_Text{Text: string(content.Data)}
	default:
		message.Body = &pb.Content_Data{Data: content.Data}
	}
	return message, nil
}

// contentOf is the content of a message; an absent one is empty.
func contentOf(message *pb.Content) Content {
	switch body := message.GetBody().(type) {
	case *pb.Content_Json:
		return Content{message.MediaType, []byte(body.Json)}
	case *pb.Content_Text:
		return Content{message.MediaType, []byte(body.Text)}
	case *pb.Content_Data:
		return Content{message.MediaType, body.Data}
	}
	return Content{MediaType: message.GetMediaType()}
}
