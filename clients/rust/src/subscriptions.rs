//! Durable subscriptions: change feeds that remember how far they have been read.
use crate::answer::{all, answer, given, required};
use crate::client::Caller;
use crate::filter::{Filter, filter_fields};
use crate::memory::{Scope, scope_message};
use crate::streams::StreamOptions;
use crate::time::{duration, instant, maybe_instant, maybe_millis, millis, span};
use crate::watch::OnCompacted;
use crate::words::{DeliveryMode, MemoryView, WebhookState};
use crate::{Client, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

mod consume;

use consume::consume;
pub use consume::{Deliveries, Delivery};

/// Changes that a subscription delivers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SubscriptionSettings {
    /// Default [`DeliveryMode::Broadcast`].
    pub mode: Option<DeliveryMode>,
    /// Selects memories. Default: all. Deletions and expiries are yielded whatever the filter.
    pub filter: Option<Filter>,
    /// Whose memories. Default: all.
    pub scope: Option<Scope>,
    /// Includes moves between tiers that bring a memory neither into the filter nor out of it.
    pub include_moved: bool,
    /// In a work queue: time after which an unacknowledged change goes to another consumer. Default 30 s.
    #[serde(rename = "ack_deadline_ms", with = "maybe_millis")]
    pub ack_deadline: Option<Duration>,
    /// Time after which a consumer that was not seen is forgotten with its place. Default 7 days.
    #[serde(rename = "consumer_ttl_ms", with = "maybe_millis")]
    pub consumer_ttl: Option<Duration>,
    /// URL to which the server itself delivers, in a broadcast. Default: none.
    pub webhook: Option<WebhookSettings>,
}

/// Delivery to a URL by the server: a signed POST request for each batch of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// `http` or `https`.
    pub url: String,
    /// Further headers of each request.
    pub headers: BTreeMap<String, String>,
    /// `whsec_` and base64. Default: the server makes one.
    pub secret: Option<String>,
}

answer! {
    /// The state of the delivery to a URL.
    pub struct Webhook(pb::Webhook as message) {
        /// URL.
        pub url: String = message.url,
        /// Further headers of each request; their values are not returned.
        pub headers: BTreeMap<String, String> = message.headers.into_iter().collect(),
        /// In the answer of `create` only.
        pub secret: Option<String> = given(message.secret),
        /// State.
        pub state: WebhookState = WebhookState::of(message.state),
        /// Reason of the last failure.
        pub failure: Option<String> = given(message.failure),
        /// Failures in a row.
        pub failure_count: i32 = message.failure_count,
        /// When the first of them happened.
        pub failing_since: Option<Timestamp> = maybe_instant(message.failing_since),
        /// When the next attempt is made.
        pub next_attempt_time: Option<Timestamp> = maybe_instant(message.next_attempt_time),
        /// Until when the former secret is valid.
        pub former_secret_expire_time: Option<Timestamp> = maybe_instant(message.former_secret_expire_time),
    }
}

answer! {
    /// The new secret of a webhook; no other call returns it.
    pub struct WebhookSecret(pb::RotateWebhookSecretResponse as message) {
        /// The new secret.
        pub secret: String = message.secret,
        /// Until when the former secret is valid.
        pub former_secret_expire_time: Option<Timestamp> = maybe_instant(message.former_secret_expire_time),
    }
}

answer! {
    /// How far a consumer has read.
    pub struct SubscriptionCursor(pb::SubscriptionCursor as message) {
        /// Its name; empty of a work queue.
        pub consumer: String = message.consumer,
        /// Everything up to it is acknowledged.
        pub acknowledged_revision: i64 = message.acknowledged_revision,
        /// When it was connected last.
        pub seen_time: Timestamp = instant(message.seen_time),
    }
}

answer! {
    /// A change feed that remembers how far it has been read.
    pub struct Subscription(pb::Subscription as message) {
        /// Id.
        pub id: String = message.name.rsplit('/').next().unwrap_or_default().to_owned(),
        /// The consumers that get a change.
        pub mode: DeliveryMode = DeliveryMode::of(message.mode),
        /// Which memories it tells of.
        pub filter: Option<Filter> = Filter::of_message(message.filter, message.filter_text),
        /// Whose memories.
        pub scope: Option<Scope> = message.scope.map(Into::into),
        /// Whether it includes moves between tiers.
        pub include_moved: bool = message.include_moved,
        /// In a work queue: time after which an unacknowledged change goes to another consumer.
        #[serde(rename = "ack_deadline_ms", with = "millis")]
        pub ack_deadline: Duration = duration(message.ack_deadline),
        /// Time after which a consumer that was not seen is forgotten with its place.
        #[serde(rename = "consumer_ttl_ms", with = "millis")]
        pub consumer_ttl: Duration = duration(message.consumer_ttl),
        /// When it was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// Delivery to a URL by the server.
        pub webhook: Option<Webhook> = message.webhook.map(Into::into),
        /// One for each consumer of a broadcast; of a work queue, and of the webhook, one whose `consumer` is empty.
        pub cursors: Vec<SubscriptionCursor> = all(message.cursors),
    }
}

/// How changes are delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsumeQuery {
    /// Most changes that are delivered and not acknowledged. Default 1,000.
    pub max_outstanding: Option<i32>,
    /// Default [`MemoryView::Basic`]; vectors are never included.
    pub view: Option<MemoryView>,
    /// Moves the cursor: the next revision to be delivered. Default: after its last acknowledgement.
    pub start_revision: Option<i64>,
    /// Default [`OnCompacted::Fail`]; [`OnCompacted::List`] skips compacted changes and continues with the oldest retained
    /// one.
    pub on_compacted: Option<OnCompacted>,
}

/// SubscriptionService.
#[derive(Debug, Clone)]
pub struct Subscriptions {
    caller: Caller,
}

impl Client {
    /// Durable subscriptions.
    pub fn subscriptions(&self) -> Subscriptions {
        Subscriptions { caller: self.caller.clone() }
    }
}

impl Subscriptions {
    fn name(&self, id: &str) -> String {
        format!("{}/subscriptions/{id}", self.caller.parent())
    }

    /// Makes a subscription, which begins with the next change. `AlreadyExists` when it is there.
    pub async fn create(&self, id: &str, settings: SubscriptionSettings) -> Result<Subscription> {
        let (filter, filter_text) = filter_fields(settings.filter.as_ref())?;
        let request = pb::CreateSubscriptionRequest {
            parent: self.caller.parent(),
            subscription_id: id.into(),
            subscription: Some(pb::Subscription {
                mode: settings.mode.map_or(0, DeliveryMode::code),
                filter,
                filter_text,
                scope: scope_message(settings.scope.as_ref()),
                include_moved: settings.include_moved,
                ack_deadline: settings.ack_deadline.map(span),
                consumer_ttl: settings.consumer_ttl.map(span),
                webhook: settings.webhook.map(|webhook| pb::Webhook {
                    url: webhook.url,
                    headers: webhook.headers.into_iter().collect(),
                    secret: webhook.secret.unwrap_or_default(),
                    ..pb::Webhook::default()
                }),
                ..pb::Subscription::default()
            }),
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.subscription, "subscription")
    }

    /// Reads a subscription.
    pub async fn get(&self, id: &str) -> Result<Subscription> {
        let request = pb::GetSubscriptionRequest { name: self.name(id) };
        required(self.caller.unary(request).await?.subscription, "subscription")
    }

    /// All of the namespace, by id.
    pub async fn list(&self) -> Result<Vec<Subscription>> {
        let request = pb::ListSubscriptionsRequest { parent: self.caller.parent() };
        Ok(all(self.caller.unary(request).await?.subscriptions))
    }

    /// Deletes a subscription.
    pub async fn delete(&self, id: &str) -> Result<()> {
        let request = pb::DeleteSubscriptionRequest { name: self.name(id), request_id: String::new() };
        self.caller.unary(request).await.map(drop)
    }

    /// Replaces the secret of the webhook. Default: the server makes one, and the former one stays valid for 24 hours.
    pub async fn rotate_webhook_secret(
        &self,
        id: &str,
        secret: Option<&str>,
        overlap: Option<Duration>,
    ) -> Result<WebhookSecret> {
        let request = pb::RotateWebhookSecretRequest {
            name: self.name(id),
            secret: secret.unwrap_or_default().into(),
            overlap: overlap.map(span),
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Delivers to the webhook again at once, also where it is parked; to another URL where one is set.
    pub async fn resume_webhook(&self, id: &str, url: Option<&str>) -> Result<Subscription> {
        let request = pb::ResumeWebhookRequest {
            name: self.name(id),
            url: url.unwrap_or_default().into(),
            request_id: String::new(),
        };
        required(self.caller.unary(request).await?.subscription, "subscription")
    }

    /// Changes for one consumer, each at least once, indefinitely: a broken stream is reopened after the last
    /// acknowledgement. Dropping it ends it at once; [`Deliveries::leave`] lets the server take the acknowledgements
    /// first.
    pub fn consume(&self, id: &str, consumer: &str, query: ConsumeQuery, options: StreamOptions) -> Deliveries {
        consume(&self.caller, self.name(id), consumer, query, options)
    }
}
