//! The client, and the transport of its calls.
use crate::connection::Connection;
use crate::names::{check_namespace, memory_name, namespace_name, session_name};
use crate::options::{CallOptions, Connect};
use crate::raw::Unary;
use crate::{Error, Result};
use futures_util::Stream;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Items as they come. Dropping it ends the stream.
pub type Items<T> = Pin<Box<dyn Stream<Item = Result<T>> + Send>>;

/// The connection with what the calls of a client share.
#[derive(Clone)]
pub(crate) struct Caller {
    pub connection: Arc<Connection>,
    pub options: Arc<CallOptions>,
    pub namespace: Arc<str>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("address", &self.connection.address)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}

impl Caller {
    pub(crate) async fn unary<R: Unary>(&self, mut request: R) -> Result<R::Response> {
        if self.options.request_id.is_some() && request.request_id().is_none() {
            return Err(Error::bad_input("request_id", "this call is not a write"));
        }
        if self.options.min_revision.is_some() && request.min_revision().is_none() {
            return Err(Error::bad_input("min_revision", "this call is not a read of memories"));
        }
        self.unary_with(request, &self.options).await
    }

    pub(crate) async fn unary_with<R: Unary>(&self, request: R, options: &CallOptions) -> Result<R::Response> {
        check_namespace(request.resource())?;
        // Boxed, or every future of a caller would be as large as the largest request.
        Box::pin(self.connection.unary(request, options)).await
    }

    pub(crate) fn parent(&self) -> String {
        namespace_name(&self.namespace)
    }

    pub(crate) fn memory_name(&self, id: &str) -> String {
        memory_name(&self.namespace, id)
    }

    pub(crate) fn session_name(&self, id: &str) -> String {
        session_name(&self.namespace, id)
    }

    /// Reads all pages, as they are asked for.
    pub(crate) fn pages<R, T, F>(&self, what: &'static str, request: Result<R>, read: F) -> Items<T>
    where
        R: Unary,
        T: Send + 'static,
        F: Fn(R::Response) -> Result<Page<T>> + Send + 'static,
    {
        let caller = self.clone();
        Box::pin(async_stream::try_stream! {
            let mut request = request?;
            // Every page must ask for the same revision, however much this client has seen meanwhile.
            let min_revision = Some(caller.connection.min_revision(&caller.options));
            let options = CallOptions { min_revision, ..(*caller.options).clone() };
            let mut damaged = Vec::new();
            loop {
                let answer = caller.unary_with(request.clone(), &options).await?;
                let page = read(answer)?;
                damaged.extend(page.damaged_ids);
                for item in page.items {
                    yield item;
                }
                if page.next_page_token.is_empty() {
                    break;
                }
                if let Some(token) = request.page_token() {
                    if *token == page.next_page_token {
                        Err(Error::incomplete("new page token: the server repeats the last one"))?;
                    }
                    *token = page.next_page_token;
                }
            }
            if !damaged.is_empty() {
                Err(Error::damaged(&damaged, what))?;
            }
        })
    }
}

/// One page of a list.
pub(crate) struct Page<T> {
    pub items: Vec<T>,
    pub damaged_ids: Vec<String>,
    pub next_page_token: String,
}

/// A client of one server, about one namespace. Clones are cheap and share the connection; all of it may be used from many
/// threads and tasks at once.
///
/// Dropping the future of a call cancels the call.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) caller: Caller,
}

impl Client {
    /// A connection to be made: await it. Sends nothing until the first call; calls establish the connection, and
    /// re-establish it after a failure.
    ///
    /// The address is `host:port`, `host` (port 50051), `dns:///host:port` or `unix:/path`. To be awaited inside of a
    /// Tokio runtime.
    ///
    /// ```no_run
    /// # async fn example() -> mneme_client::Result<()> {
    /// let client = mneme_client::Client::connect("127.0.0.1:50051").namespace("city").await?;
    /// # Ok(()) }
    /// ```
    pub fn connect(address: impl Into<String>) -> Connect {
        Connect::new(address.into())
    }

    pub(crate) fn over(connection: Arc<Connection>, namespace: Arc<str>) -> Self {
        let options = Arc::default();
        Self { caller: Caller { connection, options, namespace } }
    }

    /// Namespace that the calls are about.
    pub fn namespace(&self) -> &str {
        &self.caller.namespace
    }

    /// The same over the same connection, about another namespace.
    #[must_use]
    pub fn with_namespace(&self, namespace: &str) -> Self {
        Self { caller: Caller { namespace: namespace.into(), ..self.caller.clone() } }
    }

    /// The same over the same connection, whose calls have these options.
    ///
    /// ```no_run
    /// # use mneme_client::{CallOptions, Client};
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// let quick = CallOptions { timeout: Some(std::time::Duration::from_millis(200)), ..Default::default() };
    /// let count = client.with(quick).count(Default::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with(&self, options: CallOptions) -> Self {
        Self { caller: Caller { options: Arc::new(options), ..self.caller.clone() } }
    }

    /// Makes a call with an encoded message and the guarantees of every call: deadline, retries, typed errors.
    /// `request_id` and `min_revision` are set where they are absent; resource names are not.
    ///
    /// ```no_run
    /// # use mneme_client::{Client, pb};
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// let answer = client.raw(pb::GetConfigRequest {}).await?;
    /// # Ok(()) }
    /// ```
    pub async fn raw<R: Unary>(&self, request: R) -> Result<R::Response> {
        self.caller.unary(request).await
    }

    /// Ends the connection, for all clones and namespaces: later calls fail with `Cancelled`. Calls in flight still get their
    /// answers, and ingestions that are being read are finished: it waits for them, no longer than a call may take.
    pub async fn close(&self) {
        self.caller.connection.close().await;
    }
}
