//! The program that makes the calls that `make bench BENCH=clients` measures: by this client, and by its bare stubs. What it
//! is asked and answers is in test/bench/load/client-program.ts.
mod face;
mod stubs;

use face::Face;
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use stubs::Stubs;
use tokio::io::{AsyncBufReadExt, BufReader};

const DIMENSION: usize = 384;

type Fault = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Job {
    work: String,
    by: String,
    namespace: String,
    in_flight: usize,
    duration_ms: u64,
    count: usize,
}

/// The work of the client, or of the stubs alone. Streams tell how many memories they carried.
trait Side: Clone + Send + Sync + 'static {
    fn get(&self, namespace: &str, id: &str) -> impl Future<Output = Result<(), Fault>> + Send;
    fn store(&self, namespace: &str, text: String) -> impl Future<Output = Result<(), Fault>> + Send;
    fn ingest(&self, namespace: &str, vectors: Vec<Vec<f32>>) -> impl Future<Output = Result<usize, Fault>> + Send;
    fn export(&self, namespace: &str) -> impl Future<Output = Result<usize, Fault>> + Send;
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let address = std::env::args().nth(1).ok_or("usage: mneme-bench ADDRESS")?;
    let face = Face::connect(&address).await?;
    let stubs = Stubs::connect(&address)?;
    let numbers = Arc::new(AtomicUsize::new(0));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let job: Job = serde_json::from_str(&line)?;
        let (count, elapsed) = match job.by.as_str() {
            "client" => done(&face, &job, &numbers).await?,
            _ => done(&stubs, &job, &numbers).await?,
        };
        println!("{{\"count\":{count},\"elapsed_ms\":{}}}", elapsed.as_secs_f64() * 1000.0);
    }
    Ok(())
}

async fn done<S: Side>(side: &S, job: &Job, numbers: &Arc<AtomicUsize>) -> Result<(usize, Duration), Fault> {
    let vectors = if job.work == "ingest" { vectors_of(job.count) } else { Vec::new() };
    let started = Instant::now();
    let count = match job.work.as_str() {
        "ingest" => side.ingest(&job.namespace, vectors).await?,
        "export" => side.export(&job.namespace).await?,
        _ => repeat(side, job, numbers, started).await?,
    };
    Ok((count, started.elapsed()))
}

/// Keeps so many calls in flight until the time is over.
async fn repeat<S: Side>(side: &S, job: &Job, numbers: &Arc<AtomicUsize>, started: Instant) -> Result<usize, Fault> {
    let until = started + Duration::from_millis(job.duration_ms);
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..job.in_flight {
        let (side, numbers, namespace, memories) = (side.clone(), numbers.clone(), job.namespace.clone(), job.count);
        let reads = job.work == "get";
        workers.spawn(async move {
            let mut count = 0;
            while Instant::now() < until {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                match reads {
                    true => side.get(&namespace, &format!("turn-{}", number % memories)).await?,
                    false => side.store(&namespace, sentence(number)).await?,
                }
                count += 1;
            }
            Ok::<usize, Fault>(count)
        });
    }
    workers.join_all().await.into_iter().sum()
}

fn sentence(i: usize) -> String {
    format!("{i} people were at the harbour when the {}th boat came in", i % 977)
}

#[allow(clippy::cast_precision_loss)]
fn vectors_of(count: usize) -> Vec<Vec<f32>> {
    let vector = |i: usize| (0..DIMENSION).map(|at| ((7 * i + at) as f32).sin()).collect();
    (0..count).map(vector).collect()
}
