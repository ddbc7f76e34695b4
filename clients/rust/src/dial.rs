//! The way to a server: its address, and the bytes that go there and back.
use crate::{Error, Result};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

const DEFAULT_PORT: u16 = 50051;
const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Where a server is: `host:port`, `host`, `dns:///host:port` or `unix:/path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Tcp { host: String, port: u16 },
    Unix(String),
}

impl Target {
    pub(crate) fn of(address: &str) -> Result<Self> {
        if let Some(scheme) = scheme_of_url(address) {
            let description = format!("expected host:port without {scheme}, got {address}");
            return Err(Error::bad_input("address", description));
        }
        let fault = || {
            let description = format!("expected host:port, host, dns:///host:port or unix:/path, got {address}");
            Error::bad_input("address", description)
        };
        if let Some(path) = address.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(fault()) } else { Ok(Self::Unix(path.into())) };
        }
        let address = address.strip_prefix("dns:").unwrap_or(address).trim_start_matches('/');
        let (host, port) = match address.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, port.parse().map_err(|_| fault())?)
            }
            _ => (address, DEFAULT_PORT),
        };
        if host.is_empty() || host.contains('/') {
            return Err(fault());
        }
        Ok(Self::Tcp { host: host.into(), port })
    }

    /// What HTTP calls it.
    pub(crate) fn authority(&self) -> String {
        match self {
            Self::Tcp { host, port } => format!("{host}:{port}"),
            Self::Unix(_) => "localhost".into(),
        }
    }

    async fn dial(&self) -> io::Result<Box<dyn Wire>> {
        match self {
            Self::Tcp { host, port } => {
                let stream = TcpStream::connect((host.trim_matches(['[', ']']), *port)).await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Self::Unix(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
            #[cfg(not(unix))]
            Self::Unix(_) => Err(io::Error::other("this system has no sockets in the file system")),
        }
    }
}

/// `http://` and its like at the start of an address, as written there.
fn scheme_of_url(address: &str) -> Option<&str> {
    let scheme = &address[..address.find("://")? + 3];
    let is_of_url = ["http://", "https://", "grpc://", "grpcs://"].iter().any(|one| scheme.eq_ignore_ascii_case(one));
    is_of_url.then_some(scheme)
}

/// Bytes there and back.
pub(crate) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Whether there is a connection, and why there was none.
#[derive(Debug)]
pub(crate) struct Link {
    connected: AtomicBool,
    waiting: Arc<Waiting>,
    failure: Mutex<String>,
}

/// Whether a client waits for a server that is away.
#[derive(Debug)]
pub(crate) struct Waiting {
    setting: Option<bool>,
    was_connected: AtomicBool,
}

impl Waiting {
    pub(crate) fn new(setting: Option<bool>) -> Self {
        Self { setting, was_connected: AtomicBool::new(false) }
    }

    pub(crate) fn waits(&self) -> bool {
        self.setting.unwrap_or_else(|| self.was_connected.load(Ordering::Acquire))
    }

    /// False of a client that never had a connection: its streams end with the reason.
    pub(crate) fn may_return(&self) -> bool {
        self.setting.is_some() || self.was_connected.load(Ordering::Acquire)
    }
}

impl Link {
    pub(crate) fn new(waiting: Arc<Waiting>) -> Self {
        Self { connected: AtomicBool::new(false), waiting, failure: Mutex::default() }
    }

    /// Notes an answer of the server: TCP alone is no connection to it.
    pub(crate) fn answered(&self) {
        self.waiting.was_connected.store(true, Ordering::Release);
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Acquire)
    }

    pub(crate) fn failure(&self) -> String {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn failed(&self, error: &io::Error) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = error.to_string();
    }
}

/// Connects; where calls wait for the server, again and again until it is there.
pub(crate) async fn dial(target: Target, link: Arc<Link>) -> io::Result<TokioIo<Tracked>> {
    let mut limit = FIRST_WAIT;
    loop {
        match target.dial().await {
            Ok(wire) => {
                link.connected.store(true, Ordering::Release);
                return Ok(TokioIo::new(Tracked { wire, link }));
            }
            Err(error) => {
                link.failed(&error);
                if !link.waiting.waits() {
                    return Err(error);
                }
            }
        }
        tokio::time::sleep(FIRST_WAIT / 5 + limit.mul_f64(fastrand::f64())).await;
        limit = (limit * 2).min(LONGEST_WAIT);
    }
}

/// Tells its link when it ends.
pub(crate) struct Tracked {
    wire: Box<dyn Wire>,
    link: Arc<Link>,
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.link.connected.store(false, Ordering::Release);
    }
}

impl AsyncRead for Tracked {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_read(context, buffer)
    }
}

impl AsyncWrite for Tracked {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_in_all_clients() {
        let tcp = |host: &str, port| Ok(Target::Tcp { host: host.into(), port });
        assert_eq!(Target::of("127.0.0.1:6000"), tcp("127.0.0.1", 6000));
        assert_eq!(Target::of("example.org"), tcp("example.org", 50051));
        assert_eq!(Target::of("dns:///example.org:7000"), tcp("example.org", 7000));
        assert_eq!(Target::of("[::1]:7000"), tcp("[::1]", 7000));
        assert_eq!(Target::of("[::1]"), tcp("[::1]", 50051));
        assert_eq!(Target::of("unix:/run/mneme"), Ok(Target::Unix("/run/mneme".into())));
        assert_eq!(Target::of("unix:///run/mneme"), Ok(Target::Unix("/run/mneme".into())));
        for bad in ["", "a:b", "a/b", "unix:"] {
            let expected = format!("address: expected host:port, host, dns:///host:port or unix:/path, got {bad}");
            assert_eq!(Target::of(bad).expect_err(bad).message(), expected);
        }
        for scheme in ["http://", "https://", "GRPC://"] {
            let url = format!("{scheme}a:50051");
            let expected = format!("address: expected host:port without {scheme}, got {url}");
            assert_eq!(Target::of(&url).expect_err(&url).message(), expected);
        }
    }
}
