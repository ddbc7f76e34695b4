package mneme

import (
	"errors"
	"regexp"
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

// Decode reads the bytes as JSON into the value that the pointer leads to. A number that goes into an any is a json.Number,
// which has all of its digits.
func (c Content) Decode(into any) error { return decodeJSON(c.Data, into) }

// Value is the bytes as a JSON value: maps, slices, strings, json.Number, booleans and nil.
func (c Content) Value() (value any, err error) {
	err = c.Decode(&value)
	return value, err
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
