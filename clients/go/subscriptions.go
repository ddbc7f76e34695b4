package mneme

import (
	"context"
	"iter"
	"time"

	pb "github.com/mneme-ai/mneme/clients/go/mnemev1"
)

// Subscriptions is about durable subscriptions: change feeds that remember how far they have been read.
type Subscriptions struct {
	via       *connection
	namespace string
}

// DeliveryMode selects the consumers that get a change.
type DeliveryMode string

// The modes. DeliverBroadcast (the default): every consumer gets every change. DeliverWorkQueue: each change goes to one of them.
const (
	DeliverBroadcast DeliveryMode = "broadcast"
	DeliverWorkQueue DeliveryMode = "work_queue"
)

// SubscriptionSettings are the properties of a new subscription. The zero value tells every consumer every change.
type SubscriptionSettings struct {
	Mode DeliveryMode
	// Filter selects memories. Default: all. Deletions and expiries are yielded whatever the filter.
	Filter Filter
	Scope  Scope
	// IncludeMoved includes moves between tiers that bring a memory neither into the filter nor out of it.
	IncludeMoved bool
	// AckDeadline is, in a work queue, the time after which an unacknowledged change goes to another consumer. Default 30
	// s.
	AckDeadline time.Duration
	// ConsumerTTL is the time after which a consumer that was not seen is forgotten with its place. Default 7 days.
	ConsumerTTL time.Duration
	// Webhook is a URL to which the server itself delivers, in a broadcast. Default: none.
	Webhook *WebhookSettings
}

// WebhookSettings are the properties of a delivery to a URL: a signed POST request for each batch of changes.
type WebhookSettings struct {
	// URL is http or https.
	URL string
	// Headers are further headers of each request.
	Headers map[string]string
	// Secret is "whsec_" and base64. Default: the server makes one.
	Secret string
}

// WebhookState is the state of the delivery to a URL.
type WebhookState string

// The states. WebhookFailing: the last request failed and is tried again. WebhookParked: nothing is delivered until
// ResumeWebhook.
const (
	WebhookActive  WebhookState = "active"
	WebhookFailing WebhookState = "failing"
	WebhookParked  WebhookState = "parked"
)

// Webhook is the delivery to a URL.
type Webhook struct {
	URL string
	// Headers are further headers of each request; their values are not returned.
	Headers map[string]string
	// Secret is in the answer of Create only.
	Secret string
	State  WebhookState
	// Failure is the reason of the last failure; empty without one.
	Failure string
	// FailureCount is the number of failures in a row.
	FailureCount           int32
	FailingSince           time.Time
	NextAttemptTime        time.Time
	FormerSecretExpireTime time.Time
}

// WebhookSecret is the new secret of a webhook; no other call returns it.
type WebhookSecret struct {
	Secret string
	// FormerSecretExpireTime is the time until which the former secret is valid.
	FormerSecretExpireTime time.Time
}

// WebhookRotation says how a secret is replaced.
type WebhookRotation struct {
	// Secret is the new one. Default: the server makes one.
	Secret string
	// Overlap is the time for which the former secret stays valid. Default 24 hours.
	Overlap time.Duration
}

// Subscription is a change feed that remembers how far it has been read.
type Subscription struct {
	ID           string
	Mode         DeliveryMode
	Filter       Filter
	Scope        Scope
	IncludeMoved bool
	AckDeadline  time.Duration
	ConsumerTTL  time.Duration
	CreateTime   time.Time
	Webhook      *Webhook
	// Cursors: one for each consumer of a broadcast; of a work queue, and of the webhook, one whose Consumer is empty.
	Cursors []Cursor
}

// Cursor is how far a subscription has been read.
type Cursor struct {
	Consumer             string
	AcknowledgedRevision int64
	SeenTime             time.Time
}

func (s *Subscriptions) parent() string          { return namespaceName(s.namespace) }
func (s *Subscriptions) nameOf(id string) string { return s.parent() + "/subscriptions/" + id }

func subscriptionOf(s *pb.Subscription) (Subscription, error) {
	if s == nil {
		return Subscription{}, incompleteAnswer("subscription")
	}
	subscription := Subscription{
		ID: afterLast(s.Name, "/"), Mode: wordOf(s.Mode, "DELIVERY_MODE_", DeliverBroadcast),
		Filter: Filter{message: s.Filter}, Scope: scopeOf(s.Scope), IncludeMoved: s.IncludeMoved,
		AckDeadline: durationOf(s.AckDeadline), ConsumerTTL: durationOf(s.ConsumerTtl), CreateTime: timeOf(s.CreateTime),
		Cursors: mapped(s.Cursors, func(c *pb.SubscriptionCursor) Cursor {
			return Cursor{c.Consumer, c.AcknowledgedRevision, timeOf(c.SeenTime)}
		}),
	}
	if s.FilterText != "" {
		subscription.Filter = FilterText(s.FilterText)
	}
	if w := s.Webhook; w != nil {
		subscription.Webhook = &Webhook{
			URL: w.Url, Headers: w.Headers, Secret: w.Secret, State: wordOf(w.State, "WEBHOOK_STATE_", WebhookActive),
			Failure: w.Failure, FailureCount: w.FailureCount, FailingSince: timeOf(w.FailingSince),
			NextAttemptTime: timeOf(w.NextAttemptTime), FormerSecretExpireTime: timeOf(w.FormerSecretExpireTime),
		}
	}
	return subscription, nil
}

// Create makes a subscription; it begins with the next change. ErrAlreadyExists when it is there.
func (s *Subscriptions) Create(ctx context.Context, id string, settings SubscriptionSettings, o ...WriteOptions) (Subscription, error) {
	mode, err := codeOf[pb.DeliveryMode](pb.DeliveryMode_value, "DELIVERY_MODE_", settings.Mode, "mode")
	if err == nil {
		err = settings.Filter.err
	}
	if err != nil {
		return Subscription{}, err
	}
	request := &pb.CreateSubscriptionRequest{Parent: s.parent(), SubscriptionId: id, Subscription: &pb.Subscription{
		Mode: mode, Filter: settings.Filter.message, FilterText: settings.Filter.text, Scope: scopeMessage(settings.Scope),
		IncludeMoved: settings.IncludeMoved, AckDeadline: duration(settings.AckDeadline), ConsumerTtl: duration(settings.ConsumerTTL),
	}}
	if w := settings.Webhook; w != nil {
		request.Subscription.Webhook = &pb.Webhook{Url: w.URL, Headers: w.Headers, Secret: w.Secret}
	}
	answer, err := call[pb.CreateSubscriptionResponse](ctx, s.via, pb.SubscriptionService_CreateSubscription_FullMethodName, request, only(o).settings())
	if err != nil {
		return Subscription{}, err
	}
	return subscriptionOf(answer.Subscription)
}

// Get returns a subscription.
func (s *Subscriptions) Get(ctx context.Context, id string, o ...CallOptions) (Subscription, error) {
	request := &pb.GetSubscriptionRequest{Name: s.nameOf(id)}
	answer, err := call[pb.GetSubscriptionResponse](ctx, s.via, pb.SubscriptionService_GetSubscription_FullMethodName, request, only(o).settings())
	if err != nil {
		return Subscription{}, err
	}
	return subscriptionOf(answer.Subscription)
}

// List returns all subscriptions by id.
func (s *Subscriptions) List(ctx context.Context, o ...CallOptions) ([]Subscription, error) {
	request := &pb.ListSubscriptionsRequest{Parent: s.parent()}
	answer, err := call[pb.ListSubscriptionsResponse](ctx, s.via, pb.SubscriptionService_ListSubscriptions_FullMethodName, request, only(o).settings())
	if err != nil {
		return nil, err
	}
	return mappedAll(answer.Subscriptions, subscriptionOf)
}

// Delete forgets a subscription with the places of its consumers.
func (s *Subscriptions) Delete(ctx context.Context, id string, o ...WriteOptions) error {
	request := &pb.DeleteSubscriptionRequest{Name: s.nameOf(id)}
	_, err := call[pb.DeleteSubscriptionResponse](ctx, s.via, pb.SubscriptionService_DeleteSubscription_FullMethodName, request, only(o).settings())
	return err
}

// RotateWebhookSecret replaces the secret of the webhook.
func (s *Subscriptions) RotateWebhookSecret(ctx context.Context, id string, rotation WebhookRotation, o ...WriteOptions) (WebhookSecret, error) {
	request := &pb.RotateWebhookSecretRequest{Name: s.nameOf(id), Secret: rotation.Secret, Overlap: duration(rotation.Overlap)}
	answer, err := call[pb.RotateWebhookSecretResponse](ctx, s.via, pb.SubscriptionService_RotateWebhookSecret_FullMethodName, request, only(o).settings())
	if err != nil {
		return WebhookSecret{}, err
	}
	return WebhookSecret{answer.Secret, timeOf(answer.FormerSecretExpireTime)}, nil
}

// ResumeWebhook delivers to the webhook again at once, also where it is parked; to another URL where url is not empty.
func (s *Subscriptions) ResumeWebhook(ctx context.Context, id, url string, o ...WriteOptions) (Subscription, error) {
	request := &pb.ResumeWebhookRequest{Name: s.nameOf(id), Url: url}
	answer, err := call[pb.ResumeWebhookResponse](ctx, s.via, pb.SubscriptionService_ResumeWebhook_FullMethodName, request, only(o).settings())
	if err != nil {
		return Subscription{}, err
	}
	return subscriptionOf(answer.Subscription)
}

// ConsumeQuery says how changes are delivered.
type ConsumeQuery struct {
	// MaxOutstanding is the most changes that are delivered and not acknowledged. Default 1,000.
	MaxOutstanding int32
	// View selects the parts of the memories. Default ViewBasic; vectors are never included.
	View View
	// StartRevision moves the cursor: the next revision to be delivered. Default: after its last acknowledgement.
	StartRevision *int64
	// OnCompacted is CompactedFail (the default) or CompactedSkip.
	OnCompacted OnCompacted
}

// Delivery is a change to be worked on.
type Delivery struct {
	MemoryChange
	acknowledge func()
}

// Acknowledge: it is done, and is not delivered again. Without it, it is: after a break, and in a work queue to another consumer.
// It may be called by any goroutine.
func (d Delivery) Acknowledge() { d.acknowledge() }

// Consume yields the changes for one consumer, each at least once, indefinitely: a broken stream is reopened after the
// last acknowledgement. Leaving the loop ends it once the server has taken the acknowledgements, the context at once.
func (s *Subscriptions) Consume(ctx context.Context, id, consumer string, query ConsumeQuery, o ...StreamOptions) iter.Seq2[Delivery, error] {
	return resuming(ctx, s.via, only(o), func() (runs[Delivery], error) {
		view, err := viewCode(query.View)
		return &consumeRuns{
			conn: s.via, query: query, done: map[int64]time.Time{}, start: &pb.ConsumeStart{
				Name: s.nameOf(id), Consumer: consumer, MaxOutstanding: query.MaxOutstanding, View: view, StartRevision: query.StartRevision,
			},
		}, err
	})
}
