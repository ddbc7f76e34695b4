//! Working memory of a session: values, transactions, statistics.
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items, Page};
use crate::content::Content;
use crate::memory::Scope;
use crate::time::{instant, maybe_instant, span};
use crate::{Client, Error, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

mod expiry;

pub use expiry::*;

/// How a value is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SetOptions {
    /// Default: the session's default.
    pub expiry: Option<KeyExpiry>,
    /// Must be the version of the key; 0: the key must not be there.
    pub if_version: Option<i64>,
    /// Time to live that keys of the session have from now on which are set without an expiry, this one included. Default:
    /// it stays as it is.
    #[serde(rename = "session_default_ttl_ms")]
    pub session_default_ttl: Option<Ttl>,
}

answer! {
    /// A key of a session, without its value.
    pub struct WorkingKey(pb::WorkingEntry as message) {
        /// The key.
        pub key: String = message.key,
        /// For changes on condition; never used again for another value.
        pub version: i64 = message.version,
        /// Bytes of key and value.
        pub bytes: i64 = message.bytes,
        /// When it was set first.
        pub create_time: Timestamp = instant(message.create_time),
        /// When it was set last.
        pub update_time: Timestamp = instant(message.update_time),
        /// None: it does not expire.
        pub expire_time: Option<Timestamp> = maybe_instant(message.expire_time),
    }
}

/// A key of a session with its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WorkingEntry {
    /// The key.
    #[serde(flatten)]
    pub key: WorkingKey,
    /// The value.
    pub value: Content,
}

impl From<pb::WorkingEntry> for WorkingEntry {
    fn from(mut message: pb::WorkingEntry) -> Self {
        let value = message.value.take().unwrap_or_default().into();
        Self { key: message.into(), value }
    }
}

answer! {
    /// Values of one moment.
    pub struct WorkingBatch(pb::BatchGetValuesResponse as message) {
        /// The keys that are there, in the order asked for.
        pub entries: Vec<WorkingEntry> = all(message.entries),
        /// Keys that do not exist.
        pub missing: Vec<String> = message.missing,
    }
}

answer! {
    /// The result of clearing.
    pub struct ClearedSession(pb::ClearWorkingMemoryResponse as message) {
        /// Keys.
        pub key_count: i32 = message.key_count,
        /// Notes.
        pub note_count: i32 = message.note_count,
    }
}

/// Data of a session to clear; checkpoints stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClearOptions {
    /// Leaves the keys.
    pub keep_values: bool,
    /// Clears the task state, too.
    pub clear_task_state: bool,
    /// Clears the notes, too.
    pub clear_scratchpad: bool,
}

/// One step of a transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueOperation(pb::value_operation::Kind);

impl ValueOperation {
    /// Sets a key to a value that becomes JSON. Fails with `InvalidArgument` where JSON cannot carry it.
    pub fn set<T: Serialize + ?Sized>(key: impl Into<String>, value: &T, options: SetOptions) -> Result<Self> {
        Ok(Self::set_content(key, Content::json_in(value, "value")?, options))
    }

    /// Sets a key to a content. The default of the session is not changed.
    pub fn set_content(key: impl Into<String>, value: Content, options: SetOptions) -> Self {
        Self(pb::value_operation::Kind::Set(pb::SetOperation {
            key: key.into(),
            value: Some(value.message()),
            expiry: options.expiry.map(KeyExpiry::message),
            if_version: options.if_version,
        }))
    }

    /// Deletes a key.
    pub fn remove(key: impl Into<String>, if_version: Option<i64>) -> Self {
        Self(pb::value_operation::Kind::Remove(pb::KeyOperation { key: key.into(), if_version }))
    }

    /// Changes when a key expires.
    pub fn touch(key: impl Into<String>, expiry: KeyExpiry, if_version: Option<i64>) -> Self {
        let expiry = Some(expiry.message());
        Self(pb::value_operation::Kind::Touch(pb::TouchOperation { key: key.into(), expiry, if_version }))
    }

    /// The key must have this version; 0: it must not be there.
    pub fn check(key: impl Into<String>, if_version: i64) -> Self {
        let if_version = Some(if_version);
        Self(pb::value_operation::Kind::Check(pb::KeyOperation { key: key.into(), if_version }))
    }
}

answer! {
    /// The contents of a session.
    pub struct WorkingMemoryStatistics(pb::GetWorkingMemoryStatisticsResponse as message) {
        /// Keys.
        pub key_count: i32 = message.key_count,
        /// Bytes of keys and values.
        pub value_bytes: i64 = message.value_bytes,
        /// Notes.
        pub note_count: i32 = message.note_count,
        /// Bytes of the notes.
        pub note_bytes: i64 = message.note_bytes,
        /// Notes dropped because the limit was reached.
        pub dropped_note_count: i64 = message.dropped_note_count,
        /// Whether there is a task.
        pub has_task_state: bool = message.has_task_state,
        /// Checkpoints.
        pub checkpoint_count: i32 = message.checkpoint_count,
        /// Bytes of the checkpoints.
        pub checkpoint_bytes: i64 = message.checkpoint_bytes,
        /// When the session was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// When it was written to last.
        pub update_time: Timestamp = instant(message.update_time),
        /// Revision of the session.
        pub revision: i64 = message.revision,
        /// Whose session it is.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// True while the server serves the session from its own copy, because Redis is unreachable.
        pub using_fallback: bool = message.using_fallback,
    }
}

/// WorkingMemoryService, of one session. The session is made by its first write.
#[derive(Debug, Clone)]
pub struct WorkingMemory {
    pub(crate) caller: Caller,
    id: String,
}

impl Client {
    /// Working memory of a session, by its id. Sends nothing until the first call.
    pub fn session(&self, id: impl Into<String>) -> WorkingMemory {
        WorkingMemory { caller: self.caller.clone(), id: id.into() }
    }
}

impl WorkingMemory {
    /// Id of the session.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its resource name.
    pub(crate) fn name(&self) -> String {
        self.caller.session_name(&self.id)
    }

    /// Sets a key to a value, which becomes JSON. `Aborted` when `if_version` is not the key's.
    pub async fn set<T: Serialize + ?Sized>(&self, key: &str, value: &T, options: SetOptions) -> Result<WorkingKey> {
        self.set_content(key, Content::json_in(value, "value")?, options).await
    }

    /// Sets a key to a content.
    pub async fn set_content(&self, key: &str, value: Content, options: SetOptions) -> Result<WorkingKey> {
        use pb::set_value_request::SessionDefault;
        let request = pb::SetValueRequest {
            session: self.name(),
            key: key.into(),
            value: Some(value.message()),
            expiry: options.expiry.map(KeyExpiry::message),
            if_version: options.if_version,
            request_id: String::new(),
            session_default: options.session_default_ttl.map(|ttl| match ttl {
                Ttl::After(after) => SessionDefault::SessionDefaultTtl(span(after)),
                Ttl::Never => SessionDefault::NoSessionDefaultTtl(true),
            }),
        };
        required(self.caller.unary(request).await?.entry, "key")
    }

    /// None when the key is not there or has expired; JSON `null` is a value.
    pub async fn get(&self, key: &str) -> Result<Option<WorkingEntry>> {
        let request = pb::GetValueRequest { session: self.name(), key: key.into() };
        Ok(self.caller.unary(request).await?.entry.map(Into::into))
    }

    /// Values of several keys, of one moment.
    pub async fn batch_get<K: Into<String>>(&self, keys: impl IntoIterator<Item = K>) -> Result<WorkingBatch> {
        let keys = keys.into_iter().map(Into::into).collect();
        Ok(self.caller.unary(pb::BatchGetValuesRequest { session: self.name(), keys }).await?.into())
    }

    /// Whether the key is there.
    pub async fn has(&self, key: &str) -> Result<bool> {
        let request = pb::HasValueRequest { session: self.name(), key: key.into() };
        Ok(self.caller.unary(request).await?.exists)
    }

    /// False when the key was not there. `Aborted` when `if_version` is not the key's.
    pub async fn delete(&self, key: &str, if_version: Option<i64>) -> Result<bool> {
        let (session, key) = (self.name(), key.into());
        let request = pb::DeleteValueRequest { session, key, if_version, request_id: String::new() };
        Ok(self.caller.unary(request).await?.deleted)
    }

    /// Keys by code point, of those that match the pattern, such as `user:*`; all of them where it is empty.
    pub fn list_keys(&self, pattern: &str) -> Items<WorkingKey> {
        let (session, pattern) = (self.name(), pattern.into());
        let request = pb::ListKeysRequest { session, pattern, ..pb::ListKeysRequest::default() };
        self.caller.pages("keys", Ok(request), |answer| {
            Ok(Page { items: all(answer.entries), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Keys with their values; of a checkpoint where one is named.
    pub fn get_all(&self, pattern: &str, checkpoint_id: Option<&str>) -> Items<WorkingEntry> {
        let request = pb::GetAllValuesRequest {
            session: self.name(),
            pattern: pattern.into(),
            checkpoint_id: checkpoint_id.unwrap_or_default().into(),
            ..pb::GetAllValuesRequest::default()
        };
        self.caller.pages("keys", Ok(request), |answer| {
            Ok(Page { items: all(answer.entries), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Deletes the keys and, where asked, task state and scratchpad.
    pub async fn clear(&self, options: ClearOptions) -> Result<ClearedSession> {
        let ClearOptions { keep_values, clear_task_state, clear_scratchpad } = options;
        let request = pb::ClearWorkingMemoryRequest {
            session: self.name(),
            keep_values,
            clear_task_state,
            clear_scratchpad,
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// All of the operations, or none; each key once. In the order of the operations, the keys set or touched.
    pub async fn transact(
        &self,
        operations: impl IntoIterator<Item = ValueOperation>,
    ) -> Result<Vec<Option<WorkingKey>>> {
        let operations = operations.into_iter().map(|operation| pb::ValueOperation { kind: Some(operation.0) });
        let request = pb::TransactValuesRequest {
            session: self.name(),
            operations: operations.collect(),
            request_id: String::new(),
        };
        let results = self.caller.unary(request).await?.results.into_iter();
        Ok(results.map(|result| result.entry.map(Into::into)).collect())
    }

    /// The contents of the session. `NotFound` when it is not there.
    pub async fn get_statistics(&self) -> Result<WorkingMemoryStatistics> {
        let request = pb::GetWorkingMemoryStatisticsRequest { session: self.name() };
        Ok(self.caller.unary(request).await?.into())
    }
}

impl WorkingEntry {
    /// The value, of JSON; fails with `InvalidArgument` where it is none, or of another type.
    pub fn deserialize<T: serde::de::DeserializeOwned>(&self) -> Result<T> {
        self.value.deserialize().map_err(|error| Error::bad_input("value", error.message()))
    }
}
