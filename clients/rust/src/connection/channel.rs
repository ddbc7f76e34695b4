//! The channel to a server: its limits, its encryption, and what every call says of the client.
use crate::dial::{Link, Target, Waiting, dial};
use crate::error::{Error, Result};
use crate::options::{Settings, Tls};
use std::sync::Arc;
use std::time::Duration;
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};

const MIB: u32 = 1024 * 1024;
const MESSAGE_BYTES_MAX: usize = 16 * MIB as usize;

/// A connection that makes itself as calls need it, and again when it breaks.
pub(super) struct Road {
    pub channel: Channel,
    pub link: Arc<Link>,
}

pub(super) fn grpc_over(road: &Road) -> Grpc<Channel> {
    Grpc::new(road.channel.clone()).max_decoding_message_size(MESSAGE_BYTES_MAX)
}

pub(super) fn road(endpoint: &Endpoint, target: &Target, waiting: &Arc<Waiting>) -> Road {
    let link = Arc::new(Link::new(waiting.clone()));
    let (to, of) = (target.clone(), link.clone());
    let channel = endpoint.connect_with_connector_lazy(tower::service_fn(move |_| dial(to.clone(), of.clone())));
    Road { channel, link }
}

pub(super) fn endpoint_of(target: &Target, tls: Option<&Tls>) -> Result<Endpoint> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{}", target.authority()))
        .map_err(|error| Error::bad_input("address", error.to_string()))?
        .user_agent(concat!("mneme-rust/", env!("CARGO_PKG_VERSION")))
        .map_err(|error| Error::bad_input("address", error.to_string()))?
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(10))
        .keep_alive_while_idle(false)
        .initial_stream_window_size(4 * MIB)
        .initial_connection_window_size(4 * MIB);
    let Some(tls) = tls else { return Ok(endpoint) };
    let mut config = match &tls.ca {
        Some(ca) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    if let Some((certificate, key)) = &tls.identity {
        config = config.identity(Identity::from_pem(certificate, key));
    }
    if let Some(name) = &tls.server_name {
        config = config.domain_name(name);
    }
    endpoint.tls_config(config).map_err(|error| Error::bad_input("tls", error.to_string()))
}

pub(super) fn metadata_of(settings: &Settings) -> Result<MetadataMap> {
    let mut metadata = MetadataMap::new();
    if let Some(token) = &settings.token {
        let value = format!("Bearer {token}");
        let fault = |_| Error::bad_input("token", "is no text of a header");
        metadata.insert("authorization", value.parse().map_err(fault)?);
    }
    if let Some(from) = &settings.call_from {
        let fault = |_| Error::bad_input("call_from", "is no text of a header");
        metadata.insert("mneme-scope", from.parse().map_err(fault)?);
    }
    Ok(metadata)
}
