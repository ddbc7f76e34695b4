package mneme

import (
	"slices"
	"strings"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// MessageRole is the author of a message.
type MessageRole string

// The roles. RoleSystem are instructions of the application, RoleAssistant is the agent, RoleTool a tool that answers the agent.
const (
	RoleSystem    MessageRole = "system"
	RoleUser      MessageRole = "user"
	RoleAssistant MessageRole = "assistant"
	RoleTool      MessageRole = "tool"
)

// ConversationMessage is one message of a conversation.
type ConversationMessage struct {
	// Sequence is the place in the conversation, 0 to 2^53 - 1. Default: one more than the highest that the conversation has.
	// All messages of a call have one, or none has.
	Sequence *int64
	Role     MessageRole
	// Name of the author, such as Caroline; at most 128 bytes.
	Name string
	// Blocks are the parts of the message in order, 1 to 64. MessageFromJSON reads messages of other programs.
	Blocks []MessageBlock
	// EventTime is when it was said. Default: when it is stored.
	EventTime time.Time
	// MemoryID is the id of the memory that stores it. Set in answers, ignored in requests.
	MemoryID string
}

// MessageBlock is one part of a message: a call of a tool, an answer of a tool, other content, or where all of these are nil, text.
type MessageBlock struct {
	// Text in natural language. All texts of a message have at most 1,048,576 bytes.
	Text       string
	ToolCall   *ToolCall
	ToolResult *ToolResult
	// Data is any other content, such as an image: a Content, or a value that is stored as application/json. A Content in answers.
	Data any
}

// ToolCall is a call of a tool by the agent.
type ToolCall struct {
	// ID of the call, which the result refers to; at most 128 bytes.
	ID string
	// Name of the tool; 1 to 128 bytes.
	Name string
	// ArgumentsJSON are the arguments as JSON text. Default: none.
	ArgumentsJSON string
}

// ToolResult is the answer of a tool.
type ToolResult struct {
	// CallID is the id of the call that it answers; at most 128 bytes.
	CallID string
	// Text is the output of the tool.
	Text string
	// IsError is true when the tool failed.
	IsError bool
}

// UserMessage is a message of the user with one block of text.
func UserMessage(text string) ConversationMessage { return textMessage(RoleUser, text) }

// AssistantMessage is a message of the agent with one block of text.
func AssistantMessage(text string) ConversationMessage { return textMessage(RoleAssistant, text) }

func textMessage(role MessageRole, text string) ConversationMessage {
	return ConversationMessage{Role: role, Blocks: []MessageBlock{{Text: text}}}
}

// Text is the text blocks, joined by an empty line.
func (m ConversationMessage) Text() string {
	var texts []string
	for _, block := range m.Blocks {
		if block.ToolCall == nil && block.ToolResult == nil && block.Data == nil {
			texts = append(texts, block.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func conversationMessage(m ConversationMessage) (*pb.ConversationMessage, error) {
	if !slices.ContainsFunc(m.Blocks, func(b MessageBlock) bool { return b != MessageBlock{} }) {
		return nil, badInput("messages", "a message has no text, tool call, tool result or data: leave it out")
	}
	role, err := codeOf[pb.MessageRole](pb.MessageRole_value, "MESSAGE_ROLE_", m.Role, "role")
	if err != nil {
		return nil, err
	}
	blocks, err := mappedAll(m.Blocks, blockMessage)
	return &pb.ConversationMessage{
		Sequence: m.Sequence, Role: role, Name: m.Name, Blocks: blocks, EventTime: timestamp(m.EventTime),
	}, err
}

func blockMessage(b MessageBlock) (*pb.MessageBlock, error) {
	if countOf(b.Text != "", b.ToolCall != nil, b.ToolResult != nil, b.Data != nil) > 1 {
		return nil, badInput("blocks", "a block has one of text, tool call, tool result and data: make one block of each")
	}
	switch {
	case b.ToolCall != nil:
		made := &pb.ToolCall{Id: b.ToolCall.ID, Name: b.ToolCall.Name, ArgumentsJson: b.ToolCall.ArgumentsJSON}
		return &pb.MessageBlock{Block: &pb.MessageBlock_ToolCall{ToolCall: made}}, nil
	case b.ToolResult != nil:
		result := &pb.ToolResult{CallId: b.ToolResult.CallID, Text: b.ToolResult.Text, IsError: b.ToolResult.IsError}
		return &pb.MessageBlock{Block: &pb.MessageBlock_ToolResult{ToolResult: result}}, nil
	case b.Data != nil:
		data, err := contentMessage(b.Data, "data")
		return &pb.MessageBlock{Block: &pb.MessageBlock_Data{Data: data}}, err
	}
	return &pb.MessageBlock{Block: &pb.MessageBlock_Text{Text: b.Text}}, nil
}

func conversationMessageOf(m *pb.ConversationMessage) (ConversationMessage, error) {
	if m == nil {
		return ConversationMessage{}, incompleteAnswer("message")
	}
	return ConversationMessage{
		m.Sequence, wordOf(m.Role, "MESSAGE_ROLE_", RoleUser), m.Name, mapped(m.Blocks, blockOf), timeOf(m.EventTime), idOf(m.Memory),
	}, nil
}

func blockOf(b *pb.MessageBlock) MessageBlock {
	switch block := b.Block.(type) {
	case *pb.MessageBlock_ToolCall:
		return MessageBlock{ToolCall: &ToolCall{block.ToolCall.Id, block.ToolCall.Name, block.ToolCall.ArgumentsJson}}
	case *pb.MessageBlock_ToolResult:
		return MessageBlock{ToolResult: &ToolResult{block.ToolResult.CallId, block.ToolResult.Text, block.ToolResult.IsError}}
	case *pb.MessageBlock_Data:
		return MessageBlock{Data: contentOf(block.Data)}
	}
	return MessageBlock{Text: b.GetText()}
}
