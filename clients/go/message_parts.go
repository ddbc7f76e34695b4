package mneme

import (
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// messageParts are what the parts of a message hold.
type messageParts struct {
	blocks []MessageBlock
	// skipped are the kinds of the parts that hold no text.
	skipped []string
}

func (p *messageParts) add(other messageParts) {
	p.blocks, p.skipped = append(p.blocks, other.blocks...), append(p.skipped, other.skipped...)
}

const (
	partWithoutText = "part without text"
	textsDepthMax   = 12
)

var (
	// textKeys are those under which parts have their text, in the order in which it is read.
	textKeys = []string{
		"text", "thinking", "reasoning", "refusal", "transcript", "transcription", "extracted_content", "extractedContent", "content", "parts",
		"summary", "thoughts", "snippet", "result", "output", "value", "body", "markdown", "caption", "description", "alt", "reasoningContent",
		"reasoningText", "user_profile", "user_instructions",
	}
	titleKeys = []string{"title", "url"}
	toolCalls = []string{
		"tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "tool_call", "function_call", "custom_tool_call", "function", "custom", "mcp_call",
	}
	toolResults = []string{"tool-result", "function_call_output", "custom_tool_call_output", "computer_call_output"}
	partMarks   = []string{"step-start", "step-finish", "start-step", "finish-step"}
	partKinds   = []struct {
		pattern *regexp.Regexp
		kind    string
	}{
		{regexp.MustCompile(`(?i)image|photo|picture`), "image"},
		{regexp.MustCompile(`(?i)audio|voice`), "audio"},
		{regexp.MustCompile(`(?i)video`), "video"},
		{regexp.MustCompile(`(?i)sticker`), "sticker"},
		{regexp.MustCompile(`(?i)redacted`), "redacted thinking"},
		{regexp.MustCompile(`(?i)thinking|reasoning|thoughts`), "thinking"},
		{regexp.MustCompile(`(?i)source|citation`), "source"},
		{regexp.MustCompile(`(?i)file|document|pdf|attachment`), "file"},
	}
	notOfSentence = regexp.MustCompile(`(?i)(?:^|_)id$|type$`)
)

// partsOf reads parts in any of the shapes that programs write, in order: nothing that holds a text is left out.
func partsOf(value any) (read messageParts) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, part := range list {
		if part == nil || part == "" {
			continue
		}
		fields, isObject := part.(map[string]any)
		if !isObject {
			read.blocks = append(read.blocks, MessageBlock{Text: textOfTool(part)})
			continue
		}
		blocks, skipped := blocksOfPart(fields)
		read.blocks = append(read.blocks, blocks...)
		if skipped != "" {
			read.skipped = append(read.skipped, skipped)
		}
		if slices.ContainsFunc(blocks, func(b MessageBlock) bool { return b.ToolResult != nil }) {
			read.skipped = append(read.skipped, skippedInResult(fields)...)
		}
	}
	return read
}

// skippedInResult are the kinds of the parts of a tool's answer that hold no text.
func skippedInResult(part map[string]any) []string {
	if inner := objectAt(part, "toolResult", "tool_result"); inner != nil {
		part = inner
	}
	output := part["content"]
	if output == nil {
		output = part["output"]
	}
	if _, isList := output.([]any); !isList {
		return nil
	}
	return slices.DeleteFunc(partsOf(output).skipped, func(kind string) bool { return kind == partWithoutText })
}

// blocksOfPart are the blocks of a part, or the kind of a part that holds no text.
func blocksOfPart(part map[string]any) (blocks []MessageBlock, skipped string) {
	if data := part["data"]; data != nil && !isText(part["type"]) {
		return []MessageBlock{{Data: data}}, ""
	}
	kind := kindOfPart(part)
	if slices.Contains(partMarks, kind) {
		return nil, ""
	}
	if blocks := toolBlocks(part, kind); blocks != nil {
		return blocks, ""
	}
	if text := textOfJSON(part); text != "" {
		return []MessageBlock{{Text: text}}, ""
	}
	return nil, wordOfPart(part, kind)
}

func kindOfPart(part map[string]any) string {
	for _, key := range []string{"type", "content_type", "block_type", "kind"} {
		if kind, ok := part[key].(string); ok {
			return kind
		}
	}
	return ""
}

func wordOfPart(part map[string]any, kind string) string {
	about := strings.Join(append([]string{kind}, sortedKeys(part)...), " ")
	for _, key := range []string{"mediaType", "media_type", "mimeType", "mime_type"} {
		about += " " + firstText(part, key)
	}
	first := kind
	if kind == "file" {
		first = strings.ReplaceAll(about, "file", "")
	}
	for _, words := range []string{first, about} {
		for _, known := range partKinds {
			if known.pattern.MatchString(words) {
				return known.kind
			}
		}
	}
	if kind != "" {
		return kind
	}
	return partWithoutText
}

// toolBlocks are a call of a tool, its result, or both; nil where the part is about no tool.
func toolBlocks(part map[string]any, kind string) []MessageBlock {
	if invocation := objectAt(part, "toolInvocation"); kind == "tool-invocation" && invocation != nil {
		return invocationBlocks(invocation)
	}
	_, hasState := part["state"]
	if kind == "dynamic-tool" || (strings.HasPrefix(kind, "tool-") && isText(part["toolCallId"]) && hasState) {
		whole := map[string]any{"toolName": strings.TrimPrefix(kind, "tool-")}
		maps.Copy(whole, part)
		return invocationBlocks(whole)
	}
	if result := objectAt(part, "toolResult", "tool_result", "functionResponse", "function_response"); result != nil {
		return []MessageBlock{toolResultBlock(result)}
	}
	if slices.Contains(toolResults, kind) || strings.HasSuffix(kind, "tool_result") {
		return []MessageBlock{toolResultBlock(part)}
	}
	if call := objectAt(part, "toolCall", "tool_call", "toolUse", "functionCall"); call != nil {
		return []MessageBlock{toolCallBlock(call)}
	}
	if slices.Contains(toolCalls, kind) {
		return []MessageBlock{toolCallBlock(part)}
	}
	return nil
}

// invocationBlocks are a call and, once there is one, its result.
func invocationBlocks(part map[string]any) []MessageBlock {
	blocks := []MessageBlock{toolCallBlock(part)}
	if valueAt(part, "output", "result", "errorText") != nil {
		blocks = append(blocks, toolResultBlock(part))
	}
	return blocks
}

// toolCallBlock is a call of a tool, in the shape of any provider.
func toolCallBlock(call map[string]any) MessageBlock {
	named := objectAt(call, "function", "custom")
	if named == nil {
		named = call
	}
	name := firstText(named, "name", "toolName", "tool_name")
	if name == "" {
		name = "tool"
	}
	return MessageBlock{ToolCall: &ToolCall{
		ID: firstText(call, "id", "toolUseId", "toolCallId", "call_id", "tool_call_id"), Name: name,
		ArgumentsJSON: rawText(valueAt(named, "argumentsJson", "arguments_json", "arguments", "input", "args", "rawInput")),
	}}
}

// toolResultBlock is the answer of a tool, in the shape of any provider.
func toolResultBlock(result map[string]any) MessageBlock {
	return MessageBlock{ToolResult: &ToolResult{
		CallID:  firstText(result, "callId", "call_id", "toolUseId", "tool_use_id", "toolCallId", "tool_call_id", "id"),
		Text:    textOfTool(valueAt(result, "text", "content", "output", "result", "response", "errorText")),
		IsError: result["isError"] == true || result["is_error"] == true || result["status"] == "error" || firstText(result, "errorText") != "",
	}}
}

// textOfTool is the output of a tool as text: texts of its parts, or JSON where it is other data.
func textOfTool(output any) string {
	switch output := output.(type) {
	case map[string]any:
		if value, ok := output["value"]; ok && isText(output["type"]) {
			return textOfTool(value)
		}
	case []any:
		var texts []string
		for _, item := range output {
			text := rawText(item)
			object, _ := item.(map[string]any)
			if kindOfPart(object) != "" || isText(object["text"]) || isText(item) {
				text = textOfJSON(item)
			}
			if text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "\n\n")
	}
	return rawText(output)
}

// textOfJSON is all texts of a value, with blank lines between them; empty when it has none.
func textOfJSON(value any) string { return strings.Join(textsIn(value, 0), "\n\n") }

func textsIn(value any, depth int) (texts []string) {
	switch value := value.(type) {
	case string:
		if strings.TrimSpace(value) != "" {
			return []string{value}
		}
	case []any:
		for _, item := range value {
			if depth <= textsDepthMax {
				texts = append(texts, textsIn(item, depth+1)...)
			}
		}
	case map[string]any:
		if depth <= textsDepthMax {
			return textsInPart(value, depth)
		}
	}
	return texts
}

func textsInPart(part map[string]any, depth int) []string {
	at := func(keys []string) (texts []string) {
		for _, key := range keys {
			texts = append(texts, textsIn(part[key], depth+1)...)
		}
		return texts
	}
	texts := at(textKeys)
	if source := objectAt(part, "source"); source != nil { // A document of Anthropic: its data are a text, the content of a block, or bytes.
		key := "content"
		if source["type"] == "text" {
			key = "data"
		}
		texts = append(texts, textsIn(source[key], depth+1)...)
	}
	if len(texts) > 0 {
		return append(at(titleKeys), texts...)
	}
	kind := kindOfPart(part)
	for _, known := range partKinds {
		if known.pattern.MatchString(kind) {
			return nil
		}
	}
	// A part of a kind of its own: what reads like a sentence is its text.
	for _, key := range sortedKeys(part) {
		sentence, isText := part[key].(string)
		switch {
		case !isText:
			texts = append(texts, textsIn(part[key], depth+1)...)
		case strings.Contains(strings.TrimSpace(sentence), " ") && !notOfSentence.MatchString(key):
			texts = append(texts, sentence)
		}
	}
	return texts
}

func isText(value any) bool {
	_, is := value.(string)
	return is
}

// firstText is the first of these keys with a text; empty without one.
func firstText(fields map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, ok := fields[key].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

func objectAt(fields map[string]any, keys ...string) map[string]any {
	for _, key := range keys {
		if object, ok := fields[key].(map[string]any); ok {
			return object
		}
	}
	return nil
}

func valueAt(fields map[string]any, keys ...string) any {
	for _, key := range keys {
		if fields[key] != nil {
			return fields[key]
		}
	}
	return nil
}

func sortedKeys(fields map[string]any) []string { return slices.Sorted(maps.Keys(fields)) }

// rawText is a text as it is, and the JSON of other data.
func rawText(value any) string {
	if value == nil {
		return ""
	}
	if text, ok := value.(string); ok {
		return text
	}
	return shortJSON(value)
}

var numberOfTime = regexp.MustCompile(`^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

var layoutsOfTime = []string{
	time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02",
	time.RFC1123, time.RFC1123Z, "2 January 2006 15:04", "2 Jan 2006 15:04", "2 January 2006", "2 Jan 2006", "January 2, 2006", "Jan 2, 2006",
}

// timeOfMessage is a time as programs write it: ISO 8601, a date in letters, or a number of seconds, milliseconds, microseconds or
// nanoseconds since 1970, as a number or as text. A time without a zone is UTC.
func timeOfMessage(value any) (time.Time, bool) {
	text := strings.TrimSpace(rawText(value))
	if number, err := json.Number(text).Float64(); err == nil && numberOfTime.MatchString(text) && math.Abs(number) < 1e19 {
		unit := time.Second
		for _, from := range []float64{1e11, 1e14, 1e17} { // As seconds these are in the year 5138 or later.
			if number >= from || -number >= from {
				unit /= 1000
			}
		}
		perSecond := int64(time.Second / unit)
		if whole, err := json.Number(text).Int64(); err == nil {
			return time.Unix(whole/perSecond, whole%perSecond*int64(unit)).UTC(), true
		}
		return time.UnixMicro(int64(number * 1e6 / float64(perSecond))).UTC(), true
	}
	for _, layout := range layoutsOfTime {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
