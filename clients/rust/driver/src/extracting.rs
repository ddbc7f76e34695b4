//! Jobs of extraction as items, which sent items answer.
use crate::streams::Opened;
use crate::values::{Answer, Args, of, result_of};
use futures_util::{FutureExt, StreamExt};
use mneme_client::{Client, ExtractedMemories, ExtractionAnswer, ExtractionJob, StreamOptions};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::UnboundedReceiverStream;

pub async fn extracting(client: &Client, args: &Args) -> Answer<Opened> {
    let (begun, jobs) = mpsc::unbounded_channel::<ExtractionJob>();
    let replies: Arc<Mutex<HashMap<String, oneshot::Sender<Value>>>> = Arc::default();
    let waiting = replies.clone();
    let handler = move |job: ExtractionJob| {
        let (reply, answered) = oneshot::channel();
        waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(job.id.clone(), reply);
        let _ = begun.send(job);
        async move { answer_of(&answered.await.unwrap_or_default()) }
    };
    let mut served = client.conversations().serve_extractor(of(args)?, handler, StreamOptions::default()).await?;
    let items = UnboundedReceiverStream::new(jobs).map(|job| job_said(&job)).boxed();
    Ok(Opened {
        items: Some(items),
        send: Box::new(move |item| {
            let id = item.get("job").and_then(Value::as_str).unwrap_or_default();
            if let Some(reply) = replies.lock().unwrap_or_else(PoisonError::into_inner).remove(id) {
                let _ = reply.send(item);
            }
            Ok(())
        }),
        end: Some(Box::new(move |_| {
            async move {
                served.stop();
                served.closed().await?;
                Ok(json!({}))
            }
            .boxed()
        })),
    })
}

fn answer_of(reply: &Value) -> Result<ExtractionAnswer, String> {
    let text = |name: &str| reply.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(error) = text("error") {
        return Err(error);
    }
    if let Some(why) = text("failure") {
        return Ok(ExtractionAnswer::Refused(why));
    }
    let list = |name: &str| reply.get(name).cloned().unwrap_or(json!([]));
    let extracted = json!({ "claims": list("claims"), "notes": list("noted") });
    let extracted: ExtractedMemories = serde_json::from_value(extracted).map_err(|error| error.to_string())?;
    Ok(extracted.into())
}

/// A job whose messages have their texts as one.
fn job_said(job: &ExtractionJob) -> Answer {
    let mut said = result_of(job)?;
    for (at, message) in job.messages.iter().enumerate() {
        said["messages"][at]["text"] = message.text().into();
    }
    Ok(said)
}
