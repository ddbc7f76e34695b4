package mneme

import (
	"context"
	"iter"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Recall finds the most relevant memories for a cue: a text, or any combination of RecallQuery.
func (c *Client) Recall(ctx context.Context, query RecallQuery, o ...ReadOptions) (RecallResult, error) {
	request, err := recallRequest(query, c.namespace)
	if err != nil {
		return RecallResult{}, err
	}
	answer, err := call[pb.RecallResponse](ctx, c.conn, pb.RecallService_Recall_FullMethodName, request, only(o).settings())
	if err != nil {
		return RecallResult{}, err
	}
	hits, err := mappedAll(answer.Hits, hitOf)
	return resultOf(hits, answer), err
}

// ListRecallPresets returns the retrieval forms that RecallQuery.Preset takes, with their parameters.
func (c *Client) ListRecallPresets(ctx context.Context, o ...CallOptions) ([]RecallPresetDescription, error) {
	answer, err := call[pb.ListRecallPresetsResponse](ctx, c.conn, pb.RecallService_ListRecallPresets_FullMethodName, &pb.ListRecallPresetsRequest{}, only(o).settings())
	if err != nil {
		return nil, err
	}
	return mapped(answer.Presets, func(preset *pb.RecallPresetDescription) RecallPresetDescription {
		parameters := mapped(preset.Parameters, func(p *pb.RecallPresetParameter) RecallPresetParameter {
			return RecallPresetParameter{p.Name, p.Description, p.Type, p.DefaultJson, p.Limits, p.Required}
		})
		return RecallPresetDescription{preset.Name, preset.Description, parameters}
	}), nil
}

// RecallEvent is an event of a streamed recall: the hits of each tier, and last the answer.
type RecallEvent struct {
	// Kind is hits or merged.
	Kind string
	// Tier of hits.
	Tier Tier
	// Hits are all hits of the tier found so far, best first; they replace the hits of earlier events.
	Hits []RecallHit
	// Answer is that of Recall.
	Answer *RecallResult
}

// RecallStream recalls, yielding the hits of each tier, and finally all of them in one order.
func (c *Client) RecallStream(ctx context.Context, query RecallQuery, o ...ReadOptions) iter.Seq2[RecallEvent, error] {
	options := only(o)
	return func(yield func(RecallEvent, error) bool) {
		asked, err := recallRequest(query, c.namespace)
		if err == nil {
			asked.MinRevision = c.conn.minRevision(options.MinRevision)
		}
		request := &pb.RecallStreamRequest{Query: asked}
		told := toldHits{}
		err = readStream(ctx, err, options.CallOptions, func(ctx context.Context, own ownSettings) (receiver[pb.RecallStreamResponse], error) {
			return pb.NewRecallServiceClient(stubConn{c.conn}).RecallStream(ctx, request, own)
		}, func(message *pb.RecallStreamResponse) error {
			event, err := told.eventOf(message, c.conn)
			if err != nil || event.Kind == "" {
				return err
			}
			if !yield(event, nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && err != errLeft {
			yield(RecallEvent{}, err)
		}
	}
}

type toldHits map[Tier][]RecallHit

func (told toldHits) eventOf(message *pb.RecallStreamResponse, c *connection) (RecallEvent, error) {
	switch part := message.Part.(type) {
	case *pb.RecallStreamResponse_Hits:
		tier := tierOf(part.Hits.Tier)
		hits, err := mappedAll(part.Hits.Hits, hitOf)
		if part.Hits.Continued {
			hits = append(told[tier][:len(told[tier]):len(told[tier])], hits...)
		}
		told[tier] = hits
		return RecallEvent{Kind: "hits", Tier: tier, Hits: hits}, err
	case *pb.RecallStreamResponse_Merged:
		byName := map[string]RecallHit{}
		for _, hits := range told {
			for _, hit := range hits {
				byName[hit.Memory.Name] = hit
			}
		}
		hits := []RecallHit{}
		for _, each := range part.Merged.Order {
			if hit, ok := byName[each.Name]; ok {
				hit.Score, hit.Memory.Tier = each.Score, tierOf(each.Tier)
				hits = append(hits, hit)
			}
		}
		c.seen.note(part.Merged.Revision)
		answer := resultOf(hits, part.Merged)
		return RecallEvent{Kind: "merged", Answer: &answer}, nil
	}
	return RecallEvent{}, nil
}
