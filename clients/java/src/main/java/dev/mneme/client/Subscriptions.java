package dev.mneme.client;

import dev.mneme.v1.CreateSubscriptionRequest;
import dev.mneme.v1.DeleteSubscriptionRequest;
import dev.mneme.v1.GetSubscriptionRequest;
import dev.mneme.v1.ListSubscriptionsRequest;
import dev.mneme.v1.ResumeWebhookRequest;
import dev.mneme.v1.RotateWebhookSecretRequest;
import dev.mneme.v1.SubscriptionServiceGrpc;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Durable subscriptions: change feeds that remember how far they have been read. */
public final class Subscriptions extends Calls {
  Subscriptions(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Creates a subscription. It begins with the next change. */
  public Subscription create(String id, SubscriptionSettings with) {
    return subscriptionOf(call(SubscriptionServiceGrpc.getCreateSubscriptionMethod(), CreateSubscriptionRequest.newBuilder()
        .setParent(parent).setSubscriptionId(id).setSubscription(with.message).build()).getSubscription());
  }

  /** A subscription, with how far it has been read. */
  public Subscription get(String id) {
    return subscriptionOf(call(SubscriptionServiceGrpc.getGetSubscriptionMethod(),
        GetSubscriptionRequest.newBuilder().setName(nameOf(id)).build()).getSubscription());
  }

  /** All of the namespace, by id. */
  public List<Subscription> list() {
    return call(SubscriptionServiceGrpc.getListSubscriptionsMethod(), ListSubscriptionsRequest.newBuilder().setParent(parent).build())
        .getSubscriptionsList().stream().map(Subscriptions::subscriptionOf).toList();
  }

  /** Deletes a subscription. */
  public void delete(String id) {
    call(SubscriptionServiceGrpc.getDeleteSubscriptionMethod(), DeleteSubscriptionRequest.newBuilder().setName(nameOf(id)).build());
  }

  /** Replaces the secret of the webhook. The server makes the new one; the former one stays valid for 24 hours. */
  public WebhookSecret rotateWebhookSecret(String id) {
    return rotateWebhookSecret(id, null, null);
  }

  /** Replaces the secret of the webhook; null: the server makes one, and the former one stays valid for 24 hours. */
  public WebhookSecret rotateWebhookSecret(String id, String secret, Duration overlap) {
    RotateWebhookSecretRequest.Builder request = RotateWebhookSecretRequest.newBuilder().setName(nameOf(id));
    if (secret != null) request.setSecret(secret);
    if (overlap != null) request.setOverlap(Values.duration(overlap));
    return Answers.read(call(SubscriptionServiceGrpc.getRotateWebhookSecretMethod(), request.build()), WebhookSecret.class);
  }

  /** Delivers to the webhook again at once, also where it is parked. */
  public Subscription resumeWebhook(String id) {
    return resumeWebhook(id, "");
  }

  /** Delivers to the webhook again at once, also where it is parked, to another URL. */
  public Subscription resumeWebhook(String id, String url) {
    return subscriptionOf(call(SubscriptionServiceGrpc.getResumeWebhookMethod(),
        ResumeWebhookRequest.newBuilder().setName(nameOf(id)).setUrl(url).build()).getSubscription());
  }

  /**
   * Changes for one consumer, each at least once, indefinitely: a broken stream is reopened after the last
   * acknowledgement. Closing it waits until the server has taken the acknowledgements, no longer than a call may take.
   */
  public EventStream<Delivery> consume(String id, String consumer, ConsumeQuery query) {
    return new EventStream<>(connection, new ConsumeRuns(connection, settings, nameOf(id), consumer, query));
  }

  private String nameOf(String id) {
    return parent + "/subscriptions/" + id;
  }

  private static Subscription subscriptionOf(dev.mneme.v1.Subscription message) {
    if (message.getName().isEmpty()) throw Errors.incompleteAnswer("subscription");
    Filter filter = !message.getFilterText().isEmpty() ? Filter.text(message.getFilterText())
        : message.hasFilter() ? Filter.of(message.getFilter()) : null;
    return Answers.read(message.toBuilder().clearFilter().build(), Subscription.class, filter == null ? Map.of() : Map.of("filter", filter));
  }

  /** Which consumers receive a change. */
  public enum DeliveryMode {
    /** Every consumer gets every change. */
    BROADCAST,
    /** Each change goes to one of them. */
    WORK_QUEUE
  }

  /** Settings of a subscription. */
  public static final class SubscriptionSettings extends Query.Filtered<SubscriptionSettings, dev.mneme.v1.Subscription.Builder> {
    /** A broadcast of all changes. */
    public SubscriptionSettings() {
      super(dev.mneme.v1.Subscription.newBuilder());
    }

    /** Default {@code BROADCAST}. */
    public SubscriptionSettings mode(DeliveryMode mode) {
      message.setMode(Values.code(dev.mneme.v1.DeliveryMode.class, "DELIVERY_MODE_", mode));
      return this;
    }

    /** Whose memories. Default: all. */
    public SubscriptionSettings scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Includes moves between tiers that bring a memory neither into the filter nor out of it. Default false. */
    public SubscriptionSettings includeMoved(boolean include) { message.setIncludeMoved(include); return this; }

    /** In a work queue: time after which an unacknowledged change goes to another consumer. Default 30 s. */
    public SubscriptionSettings ackDeadline(Duration time) { message.setAckDeadline(Values.duration(time)); return this; }

    /** Time after which a consumer that was not seen is forgotten with its place. Default 7 days. */
    public SubscriptionSettings consumerTtl(Duration time) { message.setConsumerTtl(Values.duration(time)); return this; }

    /** URL to which the server itself delivers, in a broadcast. Default: none. */
    public SubscriptionSettings webhook(String url) { message.getWebhookBuilder().setUrl(url); return this; }

    /** Further header of requests to the webhook. */
    public SubscriptionSettings webhookHeader(String name, String value) { message.getWebhookBuilder().putHeaders(name, value); return this; }

    /** {@code whsec_} and base64. Default: the server makes one. */
    public SubscriptionSettings webhookSecret(String secret) { message.getWebhookBuilder().setSecret(secret); return this; }
  }

  /**
   * A change feed that remembers how far it has been read.
   *
   * @param id its id
   * @param mode which consumers receive a change
   * @param filter which memories, or null
   * @param scope whose memories
   * @param includeMoved whether moves are delivered
   * @param ackDeadline time after which an unacknowledged change goes to another consumer
   * @param consumerTtl time after which a consumer that was not seen is forgotten
   * @param createTime when it was created
   * @param webhook delivery to a URL by the server, or null
   * @param cursors one for each consumer of a broadcast; of a work queue, and of the webhook, one whose consumer is empty
   */
  public record Subscription(String id, DeliveryMode mode, @From("given_filter") Filter filter, Scope scope, boolean includeMoved,
      Duration ackDeadline, Duration consumerTtl, Instant createTime, Webhook webhook, List<Cursor> cursors) {}

  /** State of the delivery to a URL. */
  public enum WebhookState {
    /** The last request succeeded. */
    ACTIVE,
    /** The last request failed and is tried again. */
    FAILING,
    /** Nothing is delivered until {@code resumeWebhook}. */
    PARKED,
    /** Another state, of a newer server. */
    OTHER
  }

  /**
   * Delivery to a URL: a signed POST request for each batch of changes.
   *
   * @param url http or https
   * @param headers further headers of each request; their values are not returned
   * @param secret in the answer of {@code create} only; otherwise empty
   * @param state its state
   * @param failure reason of the last failure; empty without one
   * @param failureCount failures in a row
   * @param failingSince time of the first of them, or null
   * @param nextAttemptTime time of the next attempt, or null
   * @param formerSecretExpireTime time until which the former secret is valid, or null
   */
  public record Webhook(String url, Map<String, String> headers, String secret, WebhookState state, String failure, int failureCount,
      Instant failingSince, Instant nextAttemptTime, Instant formerSecretExpireTime) {}

  /**
   * The new secret of a webhook; no other call returns it.
   *
   * @param secret the new secret
   * @param formerSecretExpireTime time until which the former secret is valid, or null
   */
  public record WebhookSecret(String secret, Instant formerSecretExpireTime) {}

  /**
   * How far a consumer has read.
   *
   * @param consumer its name
   * @param acknowledgedRevision everything up to it is acknowledged
   * @param seenTime when it was connected last
   */
  public record Cursor(String consumer, long acknowledgedRevision, Instant seenTime) {}
}
