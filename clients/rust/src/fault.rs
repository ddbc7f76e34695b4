//! Where a failure of a call comes from: the server, or something on the way to it.
use std::error::Error as _;
use tonic::{Code, ConnectError, Status, TimeoutExpired};

pub(crate) enum Fault {
    /// An answer of the server, or of a proxy in its place.
    Reported,
    /// There was no connection: nothing was sent.
    NotConnected(String),
    /// The connection ended before the answer.
    Broken(String),
    /// The stream of the call was reset, or ended without a status.
    Reset(Code, String),
    /// A proxy answered with an HTTP page instead of a gRPC message.
    Page(Code),
    /// The deadline passed on this side: tonic tells it as cancelled.
    Late,
}

/// tonic's text for a stream that has ended without a status.
const WITHOUT_STATUS: &str = "missing grpc-status trailer";

/// Statuses that tonic makes up for what happened on this side have a cause; those of a server have none.
pub(crate) fn fault_of(status: &Status) -> Fault {
    let mut cause = status.source();
    let Some(mut last) = cause else { return without_cause(status) };
    while let Some(error) = cause {
        if error.is::<TimeoutExpired>() {
            return Fault::Late;
        }
        if error.is::<ConnectError>() {
            let mut last = error;
            while let Some(cause) = last.source() {
                last = cause;
            }
            return Fault::NotConnected(last.to_string());
        }
        if let Some(error) = error.downcast_ref::<h2::Error>() {
            return of_http2(error);
        }
        last = error;
        cause = error.source();
    }
    Fault::Broken(last.to_string())
}

fn without_cause(status: &Status) -> Fault {
    if status.code() == Code::Unknown && status.message().contains(WITHOUT_STATUS) {
        // A proxy ended the call because its own connection to the server broke.
        return Fault::Reset(Code::Unavailable, status.message().to_owned());
    }
    page_in(status).map_or(Fault::Reported, Fault::Page)
}

/// tonic takes a page of HTML for a broken message and names the HTTP status only in its text.
fn page_in(status: &Status) -> Option<Code> {
    let (_, http) = status.message().split_once("while receiving response with status: ")?;
    Some(match http.split(' ').next()? {
        "401" => Code::Unauthenticated,
        "403" => Code::PermissionDenied,
        "404" => Code::Unimplemented,
        "429" | "502" | "503" | "504" => Code::Unavailable,
        _ => Code::Internal,
    })
}

fn of_http2(error: &h2::Error) -> Fault {
    let code = match error.reason() {
        _ if error.is_io() || error.is_go_away() => return Fault::Broken(error.to_string()),
        Some(h2::Reason::REFUSED_STREAM) => Code::Unavailable,
        // A proxy ended the call because its own connection to the server broke.
        Some(h2::Reason::INTERNAL_ERROR) if error.is_remote() => Code::Unavailable,
        Some(h2::Reason::CANCEL) => Code::Cancelled,
        Some(h2::Reason::ENHANCE_YOUR_CALM) => Code::ResourceExhausted,
        Some(h2::Reason::INADEQUATE_SECURITY) => Code::PermissionDenied,
        _ => Code::Internal,
    };
    Fault::Reset(code, error.to_string())
}
