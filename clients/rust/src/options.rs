//! Options of a client and of each call.
use crate::connection::Connection;
use crate::{Client, Result};
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// W3C trace context, as its two headers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceContext {
    /// `traceparent`. Without it nothing is sent.
    pub traceparent: Option<String>,
    /// `tracestate`.
    pub tracestate: Option<String>,
}

/// Options of a call, in place of those of the client: see [`Client::with`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// Timeout of the call, with its retries. Default: see [`Connect::timeout`]. Of a stream: the longest time that it
    /// may last; default: no limit.
    pub timeout: Option<Duration>,
    /// Idempotency key of a write: a repeated call with the same key takes effect once and gives the first answer, for as
    /// long as the server keeps keys (24 hours unless configured otherwise). Default: a new key for each call, which covers
    /// the client's own retries.
    pub request_id: Option<String>,
    /// Oldest revision that a read may answer from. Default: the newest that this client has seen.
    pub min_revision: Option<i64>,
    /// Trace that the call is part of. Default: the result of [`Connect::trace_context`].
    pub trace: TraceContext,
}

/// Certificates and names for an encrypted connection, as PEM.
#[derive(Clone, Default)]
pub struct Tls {
    /// Authorities for the server's certificate. Default: the authorities that the operating system knows.
    pub ca: Option<Vec<u8>>,
    /// Certificate and key of this client, when the server asks for them.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Name that the server's certificate is for, when it is not the host of the address.
    pub server_name: Option<String>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("server_name", &self.server_name).finish_non_exhaustive()
    }
}

/// Scope of the caller: memories that private and isolated scopes hide from it are not visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFrom {
    /// Sees everything.
    Anywhere,
    /// From this scope; parts that are absent are left open.
    Scope(crate::Scope),
}

impl CallFrom {
    /// The header `mneme-scope`.
    fn header(&self) -> String {
        let Self::Scope(scope) = self else { return "*".into() };
        let parts = [
            ("project", &scope.project),
            ("agent_type", &scope.agent_type),
            ("agent", &scope.agent),
            ("session", &scope.session),
        ];
        let given = parts.iter().filter_map(|(name, value)| value.as_deref().map(|value| (name, value)));
        let given = given.filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| format!("{name}={}", percent_encoded(value))).collect::<Vec<_>>().join("&")
    }
}

fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => encoded.push(char::from(byte)),
            _ => encoded.extend(["%".to_owned(), format!("{byte:02X}")]),
        }
    }
    encoded
}

type Tracer = Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Settings {
    pub namespace: String,
    pub token: Option<String>,
    pub call_from: Option<String>,
    pub tls: Option<Tls>,
    pub timeout: Duration,
    pub recall_timeout: Duration,
    /// None: once there was a connection.
    pub wait_for_ready: Option<bool>,
    pub read_your_writes: bool,
    pub retry: bool,
    pub heartbeat: Duration,
    pub trace_context: Option<Tracer>,
}

/// A connection to be made, by [`Client::connect`]: await it.
#[derive(Clone)]
#[must_use = "nothing is connected until it is awaited"]
pub struct Connect {
    address: String,
    settings: Settings,
}

impl fmt::Debug for Connect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connect").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Connect {
    pub(crate) fn new(address: String) -> Self {
        let settings = Settings {
            namespace: "default".into(),
            token: None,
            call_from: None,
            tls: None,
            timeout: Duration::from_secs(10),
            recall_timeout: Duration::from_secs(5),
            wait_for_ready: None,
            read_your_writes: true,
            retry: true,
            heartbeat: Duration::from_secs(15),
            trace_context: None,
        };
        Self { address, settings }
    }

    /// Namespace that calls are about. Default `default`.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.settings.namespace = namespace.into();
        self
    }

    /// Sent with every call as `authorization: Bearer …`. Without TLS anybody on the way can read it.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.settings.token = Some(token.into());
        self
    }

    /// Default: none, so that private memories are visible only to a recall that names their scope.
    pub fn call_from(mut self, from: &CallFrom) -> Self {
        self.settings.call_from = Some(from.header());
        self
    }

    /// Encrypts the connection. Default: not encrypted.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.settings.tls = Some(tls);
        self
    }

    /// Timeout of a call, with its retries and the wait for a connection. Default 10 s; streams have none.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// The same for recall and for building a context. Default 5 s.
    pub fn recall_timeout(mut self, timeout: Duration) -> Self {
        self.settings.recall_timeout = timeout;
        self
    }

    /// Whether calls wait for a server that is away, as long as the timeout allows. Default: they wait for its return once the
    /// client has been connected; until then they fail with `Unavailable` as soon as the connection is refused. True: they
    /// always wait; false: never.
    pub fn wait_for_ready(mut self, wait: bool) -> Self {
        self.settings.wait_for_ready = Some(wait);
        self
    }

    /// Reads see everything that this client wrote or read before, whichever replica answers. Default true.
    pub fn read_your_writes(mut self, on: bool) -> Self {
        self.settings.read_your_writes = on;
        self
    }

    /// With false, nothing is sent twice. By default a call that fails with `Unavailable`, or whose connection breaks
    /// before the whole answer has arrived, is repeated: up to 4 attempts, 3 for recall, within the deadline.
    pub fn retry(mut self, retry: bool) -> Self {
        self.settings.retry = retry;
        self
    }

    /// Interval of this side's heartbeats on a stream. Must be less than the idle timeout of proxies on the way.
    /// Default 15 s.
    pub fn heartbeat(mut self, heartbeat: Duration) -> Self {
        self.settings.heartbeat = heartbeat;
        self
    }

    /// Trace context of calls, evaluated for each call: as OpenTelemetry's propagator injects it. Default: none.
    pub fn trace_context(mut self, tracer: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        self.settings.trace_context = Some(Arc::new(tracer));
        self
    }
}

impl IntoFuture for Connect {
    type Output = Result<Client>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Client>> + Send>>;

    /// Fails with `InvalidArgument` where the address, the token or the certificates cannot be used. Sends nothing
    /// until the first call.
    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let namespace: Arc<str> = self.settings.namespace.as_str().into();
            let connection = Connection::new(self.address, self.settings)?;
            Ok(Client::over(Arc::new(connection), namespace))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_sent_in_one_header() {
        assert_eq!(CallFrom::Anywhere.header(), "*");
        let scope = crate::Scope { project: Some("a&b".into()), agent: Some("é".into()), ..crate::Scope::default() };
        assert_eq!(CallFrom::Scope(scope).header(), "project=a%26b&agent=%C3%A9");
    }
}
