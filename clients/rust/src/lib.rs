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

mod admin;
mod agents;
mod answer;
mod checkpoints;
mod client;
mod connection;
mod consolidation;
mod content;
mod context;
mod conversations;
mod dial;
mod error;
mod facts;
mod fault;
pub mod filter;
mod history;
mod json;
mod lifecycle;
mod memories;
mod memory;
mod names;
mod namespaces;
mod options;
mod procedures;
pub mod raw;
mod recall;
mod reflection;
mod service_config;
mod serving;
mod session_streams;
mod statistics;
mod streams;
mod subscribe;
mod subscriptions;
mod tasks;
#[cfg(feature = "testing")]
pub mod testing;
mod tiers;
mod time;
mod transfer;
mod watch;
mod words;
mod working_memory;

pub use admin::*;
pub use agents::*;
pub use checkpoints::*;
pub use client::{Client, Items};
pub use consolidation::*;
pub use content::Content;
pub use context::*;
pub use conversations::*;
pub use error::{Error, Family, Result, Violation, code_name};
pub use facts::*;
pub use filter::Filter;
pub use history::*;
pub use jiff::Timestamp;
pub use lifecycle::*;
pub use memories::*;
pub use memory::*;
pub use namespaces::*;
pub use options::{CallFrom, CallOptions, Connect, Tls, TraceContext};
pub use procedures::*;
pub use recall::*;
pub use reflection::*;
pub use session_streams::*;
pub use statistics::*;
pub use streams::StreamOptions;
pub use subscribe::*;
pub use subscriptions::*;
pub use tasks::*;
pub use tiers::*;
pub use tonic::Code;
pub use transfer::*;
pub use watch::*;
pub use words::*;
pub use working_memory::*;
