package mneme

import (
	"errors"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

func streamConnsOfTest(t *testing.T) *streamConns {
	conns := newStreamConns(func() (*grpc.ClientConn, error) {
		return grpc.NewClient("passthrough:///nowhere", grpc.WithTransportCredentials(insecure.NewCredentials()))
	})
	t.Cleanup(func() { _ = conns.close() })
	return conns
}

func taken(t *testing.T, conns *streamConns) *grpc.ClientConn {
	t.Helper()
	conn, err := conns.take("/mneme.v1.RecallService/WatchMemories")
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// awaitClosed waits until a connection is closed.
func awaitClosed(t *testing.T, conn *grpc.ClientConn) {
	t.Helper()
	for state := conn.GetState(); state != connectivity.Shutdown; state = conn.GetState() {
		if !conn.WaitForStateChange(t.Context(), state) {
			t.Fatal(state)
		}
	}
}

func TestSilentConnectionIsClosedWhenItsOtherStreamsHaveEnded(t *testing.T) {
	conns := streamConnsOfTest(t)
	silent, other := taken(t, conns), taken(t, conns)
	if silent != other {
		t.Fatal("streams do not share a connection")
	}
	conns.replace(silent)
	conns.release(silent)
	next := taken(t, conns)
	if next == silent || other.GetState() == connectivity.Shutdown {
		t.Fatal("the silent connection takes new streams, or its other stream has lost it")
	}
	conns.replace(other) // Replaced already: the next connection stays.
	if taken(t, conns) != next {
		t.Fatal("a connection was replaced on which no stream was silent")
	}
	conns.release(other)
	awaitClosed(t, silent)
}

func TestSilentConnectionWithoutStreamsIsClosed(t *testing.T) {
	conns := streamConnsOfTest(t)
	conn := taken(t, conns)
	conns.release(conn)
	if taken(t, conns) != conn {
		t.Fatal("a connection without streams was replaced")
	}
	conns.release(conn)
	conns.replace(conn)
	awaitClosed(t, conn)
}

func TestClosingClosesReplacedConnections(t *testing.T) {
	conns := streamConnsOfTest(t)
	silent := taken(t, conns)
	conns.replace(silent)
	next := taken(t, conns)
	if err := conns.close(); err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, silent)
	awaitClosed(t, next)
	conns.release(silent)
	if _, err := conns.take("/mneme.v1.RecallService/WatchMemories"); !errors.Is(err, ErrCanceled) {
		t.Fatal(err)
	}
}
