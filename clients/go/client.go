package mneme

import (
	"google.golang.org/grpc"
)

// Client makes the calls of one namespace of a server. It may be used by many goroutines at once. A memory is named by its
// id in the namespace or by its full resource name.
type Client struct {
	conn      *connection
	namespace string
	// Namespaces makes, reads, changes and deletes namespaces.
	Namespaces *Namespaces
	// Admin is about the whole server.
	Admin *Admin
	// Lifecycle is about the lives of sessions.
	Lifecycle *Lifecycle
	// Agents is about snapshots of an agent's memories.
	Agents *Agents
	// Scopes manages access policies of scopes.
	Scopes *Scopes
	// Subscriptions is about durable subscriptions.
	Subscriptions *Subscriptions
	// Conversations stores conversations message by message, and reports the extraction from them.
	Conversations *Conversations
	// Facts asserts facts and reads current and former facts and their times.
	Facts *Facts
	// Episodes records tasks, their actions and outcomes.
	Episodes *Episodes
	// Procedures records how things are done and how that went, and finds procedures that fit a situation.
	Procedures *Procedures
	// Consolidation makes fewer memories of many, with a report and undo.
	Consolidation *Consolidation
}

// Connect makes a client. It sends nothing until the first call; calls establish the connection, and re-establish it after
// a failure.
//
// The address is host:port, host (port 50051), dns:///host:port or unix:/path. An error is one of the options.
func Connect(address string, options ...Option) (*Client, error) {
	conn, err := newConnection(address, options)
	if err != nil {
		return nil, err
	}
	return newClient(conn, conn.settings.namespace), nil
}

func newClient(conn *connection, namespace string) *Client {
	return &Client{
		conn:          conn,
		namespace:     namespace,
		Namespaces:    &Namespaces{conn, namespace},
		Admin:         &Admin{conn},
		Lifecycle:     &Lifecycle{conn, namespace},
		Agents:        &Agents{conn, namespace},
		Scopes:        &Scopes{conn, namespace},
		Subscriptions: &Subscriptions{conn, namespace},
		Conversations: &Conversations{conn, namespace},
		Facts:         &Facts{conn, namespace},
		Episodes:      &Episodes{conn, namespace},
		Procedures:    &Procedures{conn, namespace},
		Consolidation: &Consolidation{conn, namespace},
	}
}

// WithNamespace is the same client over the same connection, about another namespace.
func (c *Client) WithNamespace(namespace string) *Client { return newClient(c.conn, namespace) }

// Session is the working memory of a session, by its id. It sends nothing until the first call.
func (c *Client) Session(id string) *WorkingMemory {
	return &WorkingMemory{c.conn, c.namespace, id}
}

// Close ends the connection, for all namespaces: later calls are refused with ErrCanceled, calls in flight get their answers
// and ingests end once their sequence pauses for 100 ms, for at most 10 seconds. Streams that only read end.
func (c *Client) Close() error { return c.conn.close() }

// Conn is the connection for stubs of package mnemev1, for a call that this package has no method for:
//
//	memories := mnemev1.NewMemoryServiceClient(client.Conn())
//
// Unary calls have the guarantees of every call of this package: deadline, retries, headers and typed errors; request_id and
// min_revision are filled in where they are empty. Names of resources are not. Streams have the connection for long streams.
func (c *Client) Conn() grpc.ClientConnInterface { return stubConn{c.conn} }

var _ grpc.ClientConnInterface = stubConn{}
