//! The one that brings much in the test of all languages at once, see test/polyglot/README.md: it ingests memories with ids
//! and tells how many are acknowledged.
use futures_util::TryStreamExt;
use mneme_client::{Client, IngestOptions, NewMemory, Result, StreamOptions};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(Ok(count))) = (arguments.next(), arguments.next().map(|count| count.parse())) else {
        eprintln!("usage: polyglot-ingester ADDRESS COUNT");
        std::process::exit(2);
    };
    let client = Client::connect(address).namespace("polyglot").wait_for_ready(true).await?;
    tell(&json!({ "ready": true }));
    wait_for_a_line();
    let stream = StreamOptions {
        on_broken: Some(Arc::new(|error| tell(&json!({ "broken": error.to_string() })))),
        ..StreamOptions::default()
    };
    let readings = futures_util::stream::iter((1..=count).map(reading));
    let mut progress = client.ingest(readings, IngestOptions::default(), stream);
    while let Some(now) = progress.try_next().await? {
        tell(&json!({
            "acknowledged": now.acknowledged_sequence,
            "stored": now.stored_count,
            "existing": now.existing_count,
            "refused": now.refused_count,
        }));
    }
    client.close().await;
    Ok(())
}

/// The id ends with the number; each hundredth is of interest to who has subscribed.
fn reading(number: u64) -> NewMemory {
    let memory = NewMemory::text(format!("Reading {number} of the north station.")).id(format!("reading-{number}"));
    if number.is_multiple_of(100) { memory.tags(["watched"]) } else { memory }
}

fn wait_for_a_line() {
    let mut line = String::new();
    if let Err(error) = std::io::stdin().read_line(&mut line) {
        eprintln!("standard input cannot be read: {error}");
        std::process::exit(2);
    }
}

fn tell(what: &Value) {
    println!("{what}");
}
