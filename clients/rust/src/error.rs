//! Errors of calls.
use prost::Message;
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde::{Deserialize, Serialize as DeriveSerialize};
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::LazyLock;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::pb::{BadRequest, ErrorInfo, RetryInfo};

/// Result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Area of a failed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, DeriveSerialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    /// Writing of memories.
    Store,
    /// Reading and recall.
    Retrieval,
    /// Tiers, re-embedding and statistics.
    Maintenance,
    /// Namespaces, policies and settings.
    Configuration,
    /// None of them, and errors found before anything was sent.
    Base,
}

static FAMILIES: LazyLock<HashMap<String, Family>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("error-families.json")).expect("the families of errors are JSON")
});

impl Family {
    /// Of a method by its path, such as `/mneme.v1.MemoryService/StoreMemory`.
    pub(crate) fn of(path: &str) -> Self {
        FAMILIES.get(path.trim_start_matches('/')).copied().unwrap_or(Self::Base)
    }
}

/// One field of a request that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, DeriveSerialize, Deserialize)]
pub struct Violation {
    /// Path of the field in the request message, such as `memory.text`; of errors found by the client its own name of it.
    pub field: String,
    /// The problem and the limit.
    pub description: String,
}

/// A failed call. `code` says how, `reason` why.
#[derive(Clone, PartialEq)]
pub struct Error(Box<Parts>);

#[derive(Clone, PartialEq)]
struct Parts {
    code: Code,
    message: String,
    reason: Option<String>,
    metadata: BTreeMap<String, String>,
    violations: Vec<Violation>,
    retry_delay: Option<Duration>,
    family: Family,
    /// Another stream would end in the same way.
    is_final: bool,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            message: message.into(),
            reason: None,
            metadata: BTreeMap::new(),
            violations: Vec::new(),
            retry_delay: None,
            family: Family::Base,
            is_final: false,
        }))
    }

    /// Refuses invalid input before anything is sent. `field` is its name in the client.
    pub(crate) fn bad_input(field: impl Into<String>, description: impl Into<String>) -> Self {
        let (field, description) = (field.into(), description.into());
        let mut error = Self::new(Code::InvalidArgument, format!("{field}: {description}"));
        error.0.violations.push(Violation { field, description });
        error
    }

    /// The error for an answer without a mandatory part: not Mneme, or a defective server.
    pub(crate) fn incomplete(what: &str) -> Self {
        Self::new(Code::Internal, format!("the answer has no {what}"))
    }

    pub(crate) fn damaged(ids: &[String], what: &str) -> Self {
        let some = ids[..ids.len().min(10)].join(", ");
        let message = format!("{} {what} cannot be read, their bytes are damaged: {some}", ids.len());
        let mut error = Self::new(Code::DataLoss, message);
        error.0.reason = Some("CHECKSUM_MISMATCH".into());
        error
    }

    pub(crate) fn closed() -> Self {
        Self::new(Code::Cancelled, "the client is closed")
    }

    pub(crate) fn in_family(mut self, family: Family) -> Self {
        self.0.family = family;
        self
    }

    pub(crate) fn finally(mut self) -> Self {
        self.0.is_final = true;
        self
    }

    pub(crate) fn with_message(mut self, message: String) -> Self {
        self.0.message = message;
        self
    }

    pub(crate) fn with_violations(mut self, violations: Vec<Violation>) -> Self {
        self.0.violations = violations;
        self
    }

    /// Name of the gRPC status: how it failed.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Description of the error, for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Why it failed, such as `MEMORY_NOT_FOUND`: a name of `error_reason.proto`. None when Mneme did not answer: no
    /// connection, a proxy, or a local timeout.
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The facts of this failure, for machines; `error_reason.proto` lists the keys of each reason.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// Fields that were not accepted, of `InvalidArgument`.
    pub fn violations(&self) -> &[Violation] {
        &self.0.violations
    }

    /// How long the server asks to wait before the call is repeated.
    pub fn retry_delay(&self) -> Option<Duration> {
        self.0.retry_delay
    }

    /// Purpose of the call.
    pub fn family(&self) -> Family {
        self.0.family
    }

    /// True when the same call may succeed later unchanged. The client's own retries are exhausted.
    pub fn is_retryable(&self) -> bool {
        match self.0.code {
            Code::Unavailable => true,
            Code::ResourceExhausted => self.0.retry_delay.is_some(),
            _ => false,
        }
    }

    /// Whether a stream that ended so may go on over another one: the server stops or has too much to do, this reader was
    /// too slow, or something between here and the server gave way.
    pub(crate) fn is_broken(&self) -> bool {
        match self.0.code {
            _ if self.0.is_final => false,
            Code::Unavailable => true,
            Code::ResourceExhausted => self.reason() == Some("SLOW_CONSUMER") || self.0.retry_delay.is_some(),
            Code::Internal | Code::Cancelled | Code::Unknown => self.0.reason.is_none() && !self.is_closed(),
            _ => false,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.0.code == Code::Cancelled && self.0.message == "the client is closed"
    }

    /// The error of a status from a server.
    pub(crate) fn of_status(status: &Status, family: Family) -> Self {
        let mut error = Self::new(status.code(), status.message()).in_family(family);
        // Details damaged on the way must not hide the status itself.
        if let Ok(message) = tonic_types::Status::decode(status.details()) {
            error.add_details(&message.details);
        }
        error
    }

    /// The error of a status that came inside a stream.
    pub(crate) fn of_message(status: Option<&tonic_types::Status>, family: Family) -> Self {
        let Some(status) = status else { return Self::new(Code::Unknown, "no status").in_family(family) };
        let mut error = Self::new(Code::from_i32(status.code), status.message.clone()).in_family(family);
        error.add_details(&status.details);
        error
    }

    /// Names the namespace as the caller does: requests carry it as their parent.
    fn add(&mut self, mut violation: Violation) {
        if violation.field == "parent" {
            let called = violation.description.replace("namespaces/{namespace}, ", "").replace("\"namespaces/", "\"");
            let said = format!("parent: {}", violation.description);
            self.0.message = self.0.message.replace(&said, &format!("namespace: {called}"));
            violation = Violation { field: "namespace".into(), description: called };
        }
        self.0.violations.push(violation);
    }

    fn add_details(&mut self, details: &[prost_types::Any]) {
        for any in details {
            let bytes = any.value.as_slice();
            match any.type_url.rsplit('/').next() {
                Some("google.rpc.ErrorInfo") => {
                    if let Ok(info) = ErrorInfo::decode(bytes) {
                        self.0.reason = Some(info.reason);
                        self.0.metadata = info.metadata.into_iter().collect();
                    }
                }
                Some("google.rpc.BadRequest") => {
                    if let Ok(bad) = BadRequest::decode(bytes) {
                        for each in bad.field_violations {
                            self.add(Violation { field: each.field, description: each.description });
                        }
                    }
                }
                Some("google.rpc.RetryInfo") => {
                    let delay = RetryInfo::decode(bytes).ok().and_then(|info| info.retry_delay);
                    self.0.retry_delay = delay.and_then(|delay| Duration::try_from(delay).ok());
                }
                _ => {}
            }
        }
    }
}

/// Name of a status as gRPC writes it, such as `NOT_FOUND`.
pub fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason().unwrap_or(code_name(self.0.code)), self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.0.code)
            .field("reason", &self.0.reason)
            .field("message", &self.0.message)
            .field("metadata", &self.0.metadata)
            .field("violations", &self.0.violations)
            .field("retry_delay", &self.0.retry_delay)
            .field("family", &self.0.family)
            .finish()
    }
}

impl std::error::Error for Error {}

impl Serialize for Error {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Parts { code, message, reason, metadata, violations, retry_delay, family, is_final: _ } = &*self.0;
        let mut parts = serializer.serialize_struct("Error", 8)?;
        parts.serialize_field("code", code_name(*code))?;
        parts.serialize_field("message", message)?;
        parts.serialize_field("reason", reason)?;
        parts.serialize_field("metadata", metadata)?;
        parts.serialize_field("violations", violations)?;
        parts.serialize_field("retryable", &self.is_retryable())?;
        parts.serialize_field("retry_delay_ms", &retry_delay.map(|delay| delay.as_secs_f64() * 1000.0))?;
        parts.serialize_field("family", family)?;
        parts.end()
    }
}
