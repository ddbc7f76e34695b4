#![doc = include_str!("../README.md")]
#![deny(missing_docs)]
#![warn(clippy::pedantic)]
#![allow(
    clippy::must_use_candidate,
    clippy::missing_errors_doc,
    clippy::struct_excessive_bools,
    clippy::module_name_repetitions
)]
#![allow(clippy::struct_field_names, clippy::too_many_lines, clippy::doc_markdown)]

/// The messages of the API, generated from its protos.
#[allow(missing_docs, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod pb {
    include!("gen/mneme.v1.rs");

    mod calls {
        include!("gen/calls.rs");
    }
}

mod answer;
mod client;
mod connection;
mod content;
mod dial;
mod error;
mod fault;
pub mod filter;
mod json;
mod memories;
mod memory;
mod names;
mod options;
pub mod raw;
mod recall;
mod service_config;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
mod words;

pub use client::{Client, Items};
pub use content::Content;
pub use error::{Error, Family, Result, Violation, code_name};
pub use filter::Filter;
pub use jiff::Timestamp;
pub use memories::*;
pub use memory::*;
pub use options::{CallFrom, CallOptions, Connect, Tls, TraceContext};
pub use recall::*;
pub use tonic::Code;
pub use words::*;
