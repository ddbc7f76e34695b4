//! The streams of the protocol.
use crate::extracting::extracting;
use crate::values::{Answer, Args, Fault, driver_fault, error_result, memory_of, of, query_of, result_of, with_filter};
use crate::values::{options_of, said};
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, Stream, StreamExt, TryStreamExt};
use mneme_client::{Client, ConflictPolicy, Delivery, HookAnswer, ImportOptions, LifecycleEvent};
use mneme_client::{Result as Called, StreamOptions, WatchEvent};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::UnboundedReceiverStream;

type Items = BoxStream<'static, Answer>;
type Send_ = Box<dyn FnMut(Value) -> Answer<()> + Send>;
type End = Box<dyn FnOnce(Items) -> BoxFuture<'static, Answer> + Send>;

/// A stream of the protocol.
pub struct Opened {
    pub items: Option<Items>,
    pub send: Send_,
    pub end: Option<End>,
}

pub fn reading<T: Serialize + 'static>(items: impl Stream<Item = Called<T>> + Send + 'static) -> Opened {
    let items = items.map(|item| result_of(&item.map_err(Fault::from)?)).boxed();
    Opened {
        items: Some(items),
        send: Box::new(|_| driver_fault("nothing can be sent")),
        end: Some(Box::new(|_| async { Ok(json!({})) }.boxed())),
    }
}

fn event_said(event: WatchEvent) -> Answer {
    let reported = match event {
        WatchEvent::Change { change, resume_token } => {
            let mut reported = serde_json::to_value(change)?;
            reported["resume_token"] = resume_token.into();
            reported
        }
        WatchEvent::CaughtUp { revision, resume_token } => {
            json!({ "kind": "caught_up", "revision": revision, "resume_token": resume_token })
        }
        WatchEvent::Relisting { revision } => json!({ "kind": "relisting", "revision": revision }),
        WatchEvent::Listed { memory, revision } => {
            json!({ "kind": "listed", "id": memory.id, "memory": memory, "revision": revision })
        }
        _ => return driver_fault("an event that is not known"),
    };
    Ok(said(reported, ""))
}

pub async fn open(client: &Client, method: &str, args: &Args) -> Answer<Opened> {
    let options = StreamOptions::default();
    match method {
        "watch" => {
            let (mut query, filter) = with_filter::<mneme_client::WatchQuery>(args)?;
            query.filter = filter;
            let items = client.watch(query, options).map(|event| event_said(event?));
            Ok(Opened { items: Some(items.boxed()), ..reading(futures_util::stream::empty::<Called<Value>>()) })
        }
        "subscribe" => Ok(reading(client.subscribe(query_of(args)?, options))),
        "recall_stream" => {
            let client = client.with(options_of(args));
            Ok(reading(client.recall_stream(query_of(args)?)))
        }
        "session.watch" => {
            let session = args.get("session").and_then(Value::as_str).unwrap_or_default();
            Ok(reading(client.session(session).watch(of(args)?, options)))
        }
        "lifecycle.watch_events" => Ok(reading(client.lifecycle().watch_events(of(args)?, options))),
        "conversations.watch_extraction" => Ok(reading(client.conversations().watch_extraction(&of(args)?, options))),
        "subscriptions.consume" => consuming(client, args),
        "lifecycle.serve_hook" => hooking(client, args).await,
        "conversations.serve_extractor" => extracting(client, args).await,
        "ingest" => ingesting(client, args),
        "import_memories" => importing(client, args),
        _ => driver_fault(format!("no stream {method}")),
    }
}

fn consuming(client: &Client, args: &Args) -> Answer<Opened> {
    let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
    let deliveries = client.subscriptions().consume(text("id"), text("consumer"), of(args)?, StreamOptions::default());
    let known: Arc<Mutex<HashMap<i64, Delivery>>> = Arc::default();
    let noted = known.clone();
    let shared = Arc::new(tokio::sync::Mutex::new(Some(deliveries)));
    let read = shared.clone();
    let items = futures_util::stream::unfold(read, move |read| {
        let noted = noted.clone();
        async move {
            let mut deliveries = read.lock().await;
            let item = deliveries.as_mut()?.next().await?;
            drop(deliveries);
            let item = item.map_err(Fault::from).and_then(|delivery| {
                let reported = result_of(&delivery.change);
                noted.lock().unwrap_or_else(PoisonError::into_inner).insert(delivery.change.revision, delivery);
                reported
            });
            Some((item, read))
        }
    });
    Ok(Opened {
        items: Some(items.boxed()),
        send: Box::new(move |item| {
            let revision = item.get("acknowledge").and_then(Value::as_i64).unwrap_or_default();
            if let Some(delivery) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&revision) {
                delivery.acknowledge();
            }
            Ok(())
        }),
        end: Some(Box::new(move |items| {
            async move {
                drop(items);
                if let Some(deliveries) = shared.lock().await.take() {
                    deliveries.leave().await;
                }
                Ok(json!({}))
            }
            .boxed()
        })),
    })
}

async fn hooking(client: &Client, args: &Args) -> Answer<Opened> {
    let (asked, questions) = mpsc::unbounded_channel::<LifecycleEvent>();
    let replies: Arc<Mutex<HashMap<String, oneshot::Sender<Value>>>> = Arc::default();
    let waiting = replies.clone();
    let handler = move |event: LifecycleEvent| {
        let (reply, answered) = oneshot::channel();
        waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(event.id.clone(), reply);
        let _ = asked.send(event);
        async move {
            let reply = answered.await.unwrap_or_default();
            let text = |name: &str| reply.get(name).and_then(Value::as_str).map(str::to_owned);
            if let Some(failure) = text("failure") {
                return Err(failure);
            }
            Ok(match text("veto") {
                Some(veto) => HookAnswer::Veto(veto),
                None => HookAnswer::Proceed(
                    serde_json::from_value(reply.get("proceed").cloned().unwrap_or(json!({}))).unwrap_or_default(),
                ),
            })
        }
    };
    let mut hook = client.lifecycle().serve_hook(&of(args)?, handler, StreamOptions::default()).await?;
    let items = reading(UnboundedReceiverStream::new(questions).map(Ok));
    Ok(Opened {
        send: Box::new(move |item| {
            let id = item.get("event").and_then(Value::as_str).unwrap_or_default();
            if let Some(reply) = replies.lock().unwrap_or_else(PoisonError::into_inner).remove(id) {
                let _ = reply.send(item);
            }
            Ok(())
        }),
        end: Some(Box::new(move |_| {
            async move {
                hook.stop();
                hook.closed().await?;
                Ok(json!({}))
            }
            .boxed()
        })),
        ..items
    })
}

/// What an ingestion has reported so far.
#[derive(Default)]
struct Reported {
    refused: Vec<Value>,
    receipts: Vec<Value>,
    last: Value,
}

fn ingesting(client: &Client, args: &Args) -> Answer<Opened> {
    let (memories, given) = mpsc::unbounded_channel();
    let items = client.ingest(UnboundedReceiverStream::new(given), of(args)?, StreamOptions::default());
    let reported: Arc<Mutex<Reported>> = Arc::default();
    let noted = reported.clone();
    let items = items.map(move |item| {
        let item = result_of(&item?)?;
        let mut reported = noted.lock().unwrap_or_else(PoisonError::into_inner);
        let list = |name: &str| item.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        reported.refused.extend(list("refused"));
        reported.receipts.extend(list("receipts"));
        reported.last = item.clone();
        Ok(item)
    });
    let closing = Arc::new(Mutex::new(Some(memories)));
    let at_end = closing.clone();
    Ok(Opened {
        items: Some(items.boxed()),
        send: Box::new(move |item| {
            let memory = memory_of(&item)?.memory;
            if let Some(memories) = &*closing.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = memories.send(memory);
            }
            Ok(())
        }),
        end: Some(Box::new(move |mut items| {
            async move {
                at_end.lock().unwrap_or_else(PoisonError::into_inner).take();
                while items.try_next().await?.is_some() {}
                let mut reported = reported.lock().unwrap_or_else(PoisonError::into_inner);
                let mut last = std::mem::take(&mut reported.last);
                last["refused"] = std::mem::take(&mut reported.refused).into();
                last["receipts"] = std::mem::take(&mut reported.receipts).into();
                Ok(last)
            }
            .boxed()
        })),
    })
}

fn importing(client: &Client, args: &Args) -> Answer<Opened> {
    let (memories, given) = mpsc::unbounded_channel();
    let refused: Arc<Mutex<Vec<Value>>> = Arc::default();
    let skips = args.get("skip_refused") == Some(&Value::Bool(true));
    let conflict_policy: Option<ConflictPolicy> =
        args.get("conflict_policy").map(|policy| serde_json::from_value(policy.clone())).transpose()?;
    let mut options = ImportOptions { conflict_policy, ..ImportOptions::default() };
    if skips {
        let noted = refused.clone();
        options.on_refused = Some(Arc::new(move |memory, error| {
            let reported = json!({ "id": memory.memory.id, "error": error_result(error) });
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(reported);
        }));
    }
    let client = client.clone();
    let importing =
        tokio::spawn(async move { client.import_memories(UnboundedReceiverStream::new(given), options).await });
    let closing = Arc::new(Mutex::new(Some(memories)));
    let at_end = closing.clone();
    let empty = reading(futures_util::stream::empty::<Called<Value>>());
    Ok(Opened {
        send: Box::new(move |item| {
            let memory = memory_of(&item)?;
            if let Some(memories) = &*closing.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = memories.send(memory);
            }
            Ok(())
        }),
        end: Some(Box::new(move |_| {
            async move {
                at_end.lock().unwrap_or_else(PoisonError::into_inner).take();
                let imported = importing.await.map_err(|error| Fault::Driver(error.to_string()))?;
                let mut result = result_of(&imported?)?;
                if skips {
                    result["refused"] = refused.lock().unwrap_or_else(PoisonError::into_inner).clone().into();
                }
                Ok(result)
            }
            .boxed()
        })),
        ..empty
    })
}
