package mneme

import (
	"context"
	"errors"
	"io"
)

// errLeft ends the reading of a stream whose reader has seen enough.
var errLeft = errors.New("mneme: the reader left")

func isEOF(err error) bool { return err == io.EOF }

type receiver[Message any] interface{ Recv() (*Message, error) }

// readStream returns each message of a stream that ends by itself, and cancels it when take fails.
func readStream[Message any](ctx context.Context, bad error, o CallOptions,
	open func(context.Context, ownSettings) (receiver[Message], error), take func(*Message) error) error {
	if bad == nil {
		bad = o.fault
	}
	if bad != nil {
		return bad
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := open(ctx, ownSettings{callSettings: o.settings()})
	if err != nil {
		return err
	}
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(message); err != nil {
			return err
		}
	}
}
