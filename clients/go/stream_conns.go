package mneme

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"google.golang.org/grpc"
)

// streamConns are the connections of long streams, which have one of their own so that their data does not delay short
// calls. One on which a stream has missed its heartbeats is replaced: new streams get another one, and it is closed when
// the last of its own streams has ended. At most one connection takes new streams, and none is replaced before a stream
// that began on it was silent for its limit.
type streamConns struct {
	dial func() (*grpc.ClientConn, error)

	mu      sync.Mutex
	current *grpc.ClientConn
	// open are the connections that are not closed, with the number of their streams.
	open     map[*grpc.ClientConn]int
	isClosed bool
}

func newStreamConns(dial func() (*grpc.ClientConn, error)) *streamConns {
	return &streamConns{dial: dial, open: map[*grpc.ClientConn]int{}}
}

// take returns the connection for a new stream, which is kept open until release.
func (s *streamConns) take(method string) (*grpc.ClientConn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed {
		return nil, errClosed(familyOf(method))
	}
	if s.current == nil {
		conn, err := s.dial()
		if err != nil {
			return nil, err
		}
		s.current = conn
	}
	s.open[s.current]++
	return s.current, nil
}

// release: a stream of this connection has ended.
func (s *streamConns) release(conn *grpc.ClientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, isOpen := s.open[conn]; isOpen {
		s.open[conn]--
	}
	s.closeUnused(conn)
}

// replace: a stream of this connection was silent for too long. A connection that was replaced already stays so.
func (s *streamConns) replace(silent *grpc.ClientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == silent {
		s.current = nil
	}
	s.closeUnused(silent)
}

// closeUnused is called with the lock, also while a stream of gRPC is locked: that is why it does not wait for the end of
// the connection. No stream is left to get the error of closing it.
func (s *streamConns) closeUnused(conn *grpc.ClientConn) {
	if count, isOpen := s.open[conn]; isOpen && count <= 0 && conn != s.current {
		delete(s.open, conn)
		go conn.Close()
	}
}

func (s *streamConns) close() error {
	s.mu.Lock()
	s.isClosed = true
	conns := slices.Collect(maps.Keys(s.open))
	clear(s.open)
	s.mu.Unlock()
	var errs []error
	for _, conn := range conns {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// attemptKey is the key of the attempt in the context of its stream.
type attemptKey struct{}

// newStream opens a stream of the stubs.
func (s *streamConns) newStream(ctx context.Context, desc *grpc.StreamDesc, method string, options []grpc.CallOption) (grpc.ClientStream, error) {
	conn, err := s.take(method)
	if err != nil {
		return nil, err
	}
	release := sync.OnceFunc(func() { s.release(conn) })
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.isOn(conn)
	}
	stream, err := conn.NewStream(ctx, desc, method, append(slices.Clip(options), grpc.OnFinish(func(error) { release() }))...)
	if err != nil {
		release()
	}
	return stream, err
}
