package mneme

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// JSONMessage is a message that was read from the JSON of another program.
type JSONMessage struct {
	ConversationMessage
	// Skipped are the kinds of the parts that hold no text, one for each part, such as image.
	Skipped []string
	// UnreadKeys are the keys with a value that are not read.
	UnreadKeys []string
	// UnreadableTime is a time that cannot be read, as it is written; EventTime is zero then.
	UnreadableTime string
}

var (
	messageRoles = map[string]MessageRole{
		"user": RoleUser, "human": RoleUser, "assistant": RoleAssistant, "ai": RoleAssistant, "model": RoleAssistant, "bot": RoleAssistant,
		"chatbot": RoleAssistant, "gpt": RoleAssistant, "system": RoleSystem, "developer": RoleSystem, "tool": RoleTool, "function": RoleTool,
	}
	// rolesOfTypes are of items of the Responses API, which have a type alone.
	rolesOfTypes = map[string]MessageRole{
		"function_call": RoleAssistant, "custom_tool_call": RoleAssistant, "reasoning": RoleAssistant,
		"function_call_output": RoleTool, "custom_tool_call_output": RoleTool,
	}
	keysOfItems = []string{"call_id", "arguments", "output", "summary", "input", "content"}
	nameKeys    = []string{"name", "speaker", "username", "author", "sender", "from"}
	// bodyKeys begins with the parts: a program that writes both repeats the texts of its parts in content.
	bodyKeys = []string{"blocks", "parts", "content", "text", "value", "message"}
	timeKeys = []string{
		"time", "timestamp", "eventTime", "event_time", "created_at", "createdAt", "create_time", "createTime", "created", "ts", "date",
		"datetime", "sent_at", "sentAt",
	}
	messageKeys = slices.Concat([]string{
		"role", "sequence", "type", "data", "kwargs", "refusal", "audio", "attachments", "files", "tool_calls", "toolInvocations",
		"function_call", "tool_call_id", "toolCallId",
	}, nameKeys, bodyKeys, timeKeys)
	classOfMessage = regexp.MustCompile(`Message(?:Chunk)?$`)
	mentionsTool   = regexp.MustCompile(`(?i)tool|function`)
)

// MessageFromJSON reads a message in the shape of Mneme, OpenAI (chat completions and Responses), Anthropic, Google, Bedrock, the AI
// SDK of Vercel or LangChain. ErrInvalidArgument for a value that is no message.
func MessageFromJSON(data []byte) (JSONMessage, error) {
	var value any
	if err := decodeJSON(data, &value); err != nil {
		return JSONMessage{}, badInput("message", "must be JSON: "+err.Error())
	}
	outer, ok := value.(map[string]any)
	if !ok {
		return JSONMessage{}, badInput("message", "must be an object with role and text, got "+shortJSON(value))
	}
	fields, kind, isWrapped := unwrappedMessage(outer)
	role, err := roleOfMessage(fields, kind)
	if err != nil {
		return JSONMessage{}, err
	}
	parts := partsOfMessage(fields, kind, role)
	read := JSONMessage{ConversationMessage: ConversationMessage{Role: role, Blocks: parts.blocks}, Skipped: parts.skipped}
	if _, isItem := rolesOfTypes[kind]; !isItem {
		read.Name = nameOfMessage(fields)
	}
	if number, ok := fields["sequence"].(json.Number); ok {
		if sequence, err := number.Int64(); err == nil {
			read.Sequence = &sequence
		}
	}
	if key := firstFilled(fields, timeKeys); key != "" {
		if read.EventTime, ok = timeOfMessage(fields[key]); !ok {
			read.UnreadableTime = shortJSON(fields[key])
		}
	}
	for _, key := range sortedKeys(outer) {
		if isWrapped && !slices.Contains([]string{"lc", "id", "type", "data", "kwargs"}, key) {
			read.UnreadKeys = append(read.UnreadKeys, key)
		}
	}
	for _, key := range sortedKeys(fields) {
		if isUnread(fields, key, kind, parts.blocks) {
			read.UnreadKeys = append(read.UnreadKeys, key)
		}
	}
	return read, nil
}

// unwrappedMessage is a message of LangChain in data or in kwargs of what it serializes. Its class or type is the role.
func unwrappedMessage(outer map[string]any) (fields map[string]any, kind string, isWrapped bool) {
	if path, ok := outer["id"].([]any); ok && len(path) > 0 {
		kind, _ = path[len(path)-1].(string)
	}
	if kind == "" {
		kind = firstText(outer, "type")
	}
	if word := strings.ToLower(classOfMessage.ReplaceAllString(kind, "")); word != "" {
		kind = word
	}
	if inner, ok := outer["kwargs"].(map[string]any); ok {
		return inner, kind, true
	}
	if inner, ok := outer["data"].(map[string]any); ok && outer["role"] == nil {
		return inner, kind, true
	}
	return outer, kind, false
}

func roleOfMessage(fields map[string]any, kind string) (MessageRole, error) {
	written := fields["role"]
	if author, ok := fields["author"].(map[string]any); ok && written == nil {
		written = author["role"]
	}
	if written != nil {
		word, _ := written.(string)
		if role, ok := messageRoles[strings.ToLower(word)]; ok {
			return role, nil
		}
		return "", badInput("role", "expected one of "+knownRoles()+", got "+shortJSON(written))
	}
	word := firstText(fields, "sender", "from", "author", "speaker")
	for _, role := range []MessageRole{messageRoles[strings.ToLower(word)], messageRoles[strings.ToLower(kind)], rolesOfTypes[kind]} {
		if role != "" {
			return role, nil
		}
	}
	if word != "" { // A person who is named without a role.
		return RoleUser, nil
	}
	return "", badInput("role", "expected one of "+knownRoles()+", got none")
}

func knownRoles() string {
	return "user, human, assistant, ai, model, bot, chatbot, gpt, system, developer, tool, function"
}

func nameOfMessage(fields map[string]any) string {
	if name := firstText(fields, "name"); name != "" {
		return name
	}
	author := firstText(fields, nameKeys[1:]...)
	if _, isRole := messageRoles[strings.ToLower(author)]; isRole {
		return ""
	}
	return author
}

func partsOfMessage(fields map[string]any, kind string, role MessageRole) messageParts {
	if _, isItem := rolesOfTypes[kind]; isItem {
		return partsOf(fields)
	}
	body := fields[firstFilled(fields, bodyKeys)]
	callID := firstText(fields, "tool_call_id", "toolCallId")
	if _, isText := body.(string); role == RoleTool && body != nil && (callID != "" || isText) {
		list, isList := body.([]any)
		if !isList || !slices.ContainsFunc(list, isOfTool) {
			result := toolResultBlock(map[string]any{"content": body, "id": callID, "status": fields["status"], "isError": fields["isError"], "is_error": fields["is_error"]})
			read := messageParts{blocks: []MessageBlock{result}}
			if isList {
				read.skipped = partsOf(body).skipped
			}
			return read
		}
	}
	read := partsOf(body)
	read.add(partsOf(fields["refusal"]))
	if audio, ok := fields["audio"].(map[string]any); ok && len(audio) > 0 { // An audio answer of OpenAI with its transcript.
		read.add(partsOf(typedPart("audio", audio, "data")))
	}
	for _, key := range []string{"attachments", "files"} {
		for _, each := range listIn(fields[key]) {
			file, _ := each.(map[string]any)
			read.add(partsOf(typedPart("file", file, "")))
		}
	}
	read.blocks = append(read.blocks, toolCallsBeside(fields, read.blocks)...)
	return read
}

func isOfTool(part any) bool {
	text := []rune(shortJSON(part))
	return mentionsTool.MatchString(string(text[:min(len(text), 99)]))
}

// typedPart is a part with a type where it has none, and without one of its keys.
func typedPart(kind string, fields map[string]any, without string) map[string]any {
	part := map[string]any{"type": kind}
	for key, value := range fields {
		if key != without {
			part[key] = value
		}
	}
	return part
}

// toolCallsBeside are calls beside the content; those that the content has already are not read twice.
func toolCallsBeside(fields map[string]any, inContent []MessageBlock) (blocks []MessageBlock) {
	for _, each := range slices.Concat(listIn(fields["tool_calls"]), listIn(fields["function_call"]), listIn(fields["toolInvocations"])) {
		call, ok := each.(map[string]any)
		if !ok {
			continue
		}
		block := toolCallBlock(call)
		isTwice := block.ToolCall.ID != "" && slices.ContainsFunc(inContent, func(b MessageBlock) bool {
			return b.ToolCall != nil && b.ToolCall.ID == block.ToolCall.ID
		})
		if !isTwice {
			blocks = append(blocks, block)
		}
		if _, isAnswered := call["result"]; isAnswered {
			blocks = append(blocks, toolResultBlock(call))
		}
	}
	return blocks
}

func isUnread(fields map[string]any, key, kind string, blocks []MessageBlock) bool {
	if isEmptyJSON(fields[key]) {
		return false
	}
	if _, isItem := rolesOfTypes[kind]; isItem && slices.Contains(keysOfItems, key) {
		return false
	}
	if slices.Contains(bodyKeys, key) { // Of two bodies one is read: the other must say nothing else.
		said := ConversationMessage{Blocks: blocks}.Text()
		return key != firstFilled(fields, bodyKeys) && !strings.Contains(said, textOfJSON(fields[key]))
	}
	return !slices.Contains(messageKeys, key)
}

func firstFilled(fields map[string]any, keys []string) string {
	for _, key := range keys {
		if !isEmptyJSON(fields[key]) {
			return key
		}
	}
	return ""
}

func isEmptyJSON(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	}
	return false
}

// listIn is a list, or one object as a list.
func listIn(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	if object, ok := value.(map[string]any); ok && len(object) > 0 {
		return []any{object}
	}
	return nil
}

func shortJSON(value any) string {
	text, err := jsonOf(value, "message")
	if err != nil {
		return fmt.Sprint(value)
	}
	return text
}
