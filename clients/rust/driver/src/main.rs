//! The driver of the contract test for this client: maps lines to calls, see test/contract/README.md.
mod calls;
mod extracting;
mod knowledge;
mod raw;
mod streams;
mod values;

use mneme_client::{CallFrom, Client, Code, Tls};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use values::{Answer, Args, Fault, cancelled, driver_fault, error_result, millis_of};

#[derive(Default)]
struct Driver {
    clients: Mutex<HashMap<String, Client>>,
    streams: Mutex<HashMap<String, Arc<tokio::sync::Mutex<streams::Opened>>>>,
    senders: Mutex<HashMap<String, Arc<Mutex<streams::Opened>>>>,
    cancels: Mutex<HashMap<u64, oneshot::Sender<()>>>,
}

#[tokio::main]
async fn main() {
    let driver = Arc::new(Driver::default());
    let (answers, mut taken) = mpsc::unbounded_channel::<String>();
    let writer = tokio::spawn(async move {
        let mut output = tokio::io::stdout();
        while let Some(line) = taken.recv().await {
            let _ = output.write_all(line.as_bytes()).await;
            let _ = output.flush().await;
        }
    });
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let Ok(Value::Object(request)) = serde_json::from_str(&line) else { continue };
        let (driver, answers) = (driver.clone(), answers.clone());
        let id = request.get("id").and_then(Value::as_u64).unwrap_or_default();
        let (cancel, is_cancelled) = oneshot::channel();
        lock(&driver.cancels).insert(id, cancel);
        tokio::spawn(async move {
            let answer = tokio::select! {
                answer = driver.answer(&request) => answer,
                Ok(()) = is_cancelled => driver.drop_of(&request),
            };
            lock(&driver.cancels).remove(&id);
            let line = match answer {
                Ok(result) => json!({ "id": id, "result": result }),
                Err(Fault::Error(error)) => json!({ "id": id, "error": error_result(&error) }),
                Err(Fault::Reported(error)) => json!({ "id": id, "error": error }),
                Err(Fault::Unsupported(why)) => json!({ "id": id, "unsupported": why }),
                Err(Fault::Driver(what)) => json!({ "id": id, "fault": what }),
            };
            let _ = answers.send(format!("{line}\n"));
        });
        // What comes in one after the other is begun so.
        tokio::task::yield_now().await;
    }
    drop(answers);
    writer.abort();
    std::process::exit(0);
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text<'a>(request: &'a Args, name: &str) -> &'a str {
    request.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl Driver {
    async fn answer(&self, request: &Args) -> Answer {
        let nothing = Args::new();
        let args = request.get("args").and_then(Value::as_object).unwrap_or(&nothing);
        let stream = text(request, "stream");
        match text(request, "op") {
            "connect" => self.connect(request).await,
            "call" => {
                let client = self.client(request)?;
                calls::call(&client, text(request, "method"), args).await
            }
            "rpc" => raw::call(&self.client(request)?, text(request, "rpc"), request.get("request")).await,
            "open" => {
                let opened = streams::open(&self.client(request)?, text(request, "method"), args).await?;
                let streams::Opened { items, send, end } = opened;
                // Sending does not wait for readers.
                let sending = streams::Opened { items: None, send, end: None };
                lock(&self.senders).insert(stream.into(), Arc::new(Mutex::new(sending)));
                let send = Box::new(|_| Ok(()));
                let reading = streams::Opened { items, send, end };
                lock(&self.streams).insert(stream.into(), Arc::new(tokio::sync::Mutex::new(reading)));
                Ok(json!({}))
            }
            "next" => self.next(stream, request.get("count").and_then(Value::as_u64).unwrap_or(1)).await,
            "send" => {
                let item = request.get("item").cloned().unwrap_or_default();
                let sender = lock(&self.senders).get(stream).cloned();
                let Some(sender) = sender else { return driver_fault(format!("no stream {stream}")) };
                let sent = (lock(&sender).send)(item);
                match sent {
                    Err(Fault::Error(error)) if error.code() == Code::InvalidArgument => {
                        Err(Fault::Unsupported(format!("a memory is refused when it is made: {error}")))
                    }
                    other => other.map(|()| json!({})),
                }
            }
            "end" => {
                let Ok(opened) = self.opened(stream) else { return Ok(json!({})) };
                let mut opened = opened.lock().await;
                let items = opened.items.take();
                let Some(end) = opened.end.take() else { return Ok(json!({})) };
                end(items.unwrap_or_else(|| Box::pin(futures_util::stream::empty()))).await
            }
            "cancel" => {
                let call = request.get("call").and_then(Value::as_u64).unwrap_or_default();
                if let Some(cancel) = lock(&self.cancels).remove(&call) {
                    let _ = cancel.send(());
                }
                Ok(json!({}))
            }
            "close" => {
                self.client(request)?.close().await;
                Ok(json!({}))
            }
            op => driver_fault(format!("no operation {op}")),
        }
    }

    /// What was dropped with the future of a request: of a stream's, the stream.
    fn drop_of(&self, request: &Args) -> Answer {
        if text(request, "op") == "next" {
            lock(&self.streams).remove(text(request, "stream"));
        }
        Err(Fault::Reported(cancelled()))
    }

    async fn connect(&self, request: &Args) -> Answer {
        let nothing = Args::new();
        let options = request.get("options").and_then(Value::as_object).unwrap_or(&nothing);
        let mut connect = Client::connect(text(request, "address"));
        for (name, value) in options {
            let given = value.as_str().unwrap_or_default();
            let is_on = value.as_bool().unwrap_or(true);
            let millis = millis_of(Some(value)).unwrap_or_default();
            connect = match name.as_str() {
                "namespace" => connect.namespace(given),
                "token" => connect.token(given),
                "call_from" if given == "*" => connect.call_from(&CallFrom::Anywhere),
                "call_from" => connect.call_from(&CallFrom::Scope(serde_json::from_value(value.clone())?)),
                "tls" if *value == Value::Bool(false) => connect,
                "tls" => connect.tls(tls_of(value)),
                "timeout_ms" => connect.timeout(millis),
                "recall_timeout_ms" => connect.recall_timeout(millis),
                "wait_for_ready" => connect.wait_for_ready(is_on),
                "read_your_writes" => connect.read_your_writes(is_on),
                "retry" => connect.retry(is_on),
                "heartbeat_ms" => connect.heartbeat(millis),
                _ => return driver_fault(format!("no option {name}")),
            };
        }
        let client = connect.await?;
        lock(&self.clients).insert(text(request, "client").into(), client);
        Ok(json!({}))
    }

    fn client(&self, request: &Args) -> Answer<Client> {
        let name = text(request, "client");
        lock(&self.clients).get(name).cloned().ok_or_else(|| Fault::Driver(format!("no client {name}")))
    }

    fn opened(&self, name: &str) -> Answer<Arc<tokio::sync::Mutex<streams::Opened>>> {
        lock(&self.streams).get(name).cloned().ok_or_else(|| Fault::Driver(format!("no stream {name}")))
    }

    async fn next(&self, stream: &str, count: u64) -> Answer {
        use futures_util::StreamExt;
        let opened = self.opened(stream)?;
        let mut opened = opened.lock().await;
        let Some(items) = &mut opened.items else { return Ok(json!({ "items": [], "ended": true })) };
        let mut taken = Vec::new();
        for _ in 0..count {
            match items.next().await {
                Some(item) => taken.push(item?),
                None => return Ok(json!({ "items": taken, "ended": true })),
            }
        }
        Ok(json!({ "items": taken, "ended": false }))
    }
}

fn tls_of(value: &Value) -> Tls {
    let bytes = |name: &str| value.get(name).and_then(Value::as_str).map(|text| text.as_bytes().to_vec());
    Tls {
        ca: bytes("ca"),
        identity: bytes("cert").zip(bytes("key")),
        server_name: value.get("server_name").and_then(Value::as_str).map(str::to_owned),
    }
}
