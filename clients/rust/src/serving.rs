//! Common behaviour of handlers that are offered to the server over a stream: they are served until they are stopped.
use crate::client::Items;
use crate::{Error, Result};
use futures_util::TryStreamExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a handler that is stopped waits for the server to take note.
const LEAVING_WAIT: Duration = Duration::from_secs(1);

/// How far serving has got.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Served,
    Stopping,
    Left,
}

/// Stage of a handler, shared by the streams that serve it and the value that stops it.
#[derive(Clone, Debug)]
pub(crate) struct Stages(Arc<watch::Sender<Stage>>);

impl Stages {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Stage::Served)))
    }

    /// Resolves when serving is to be stopped: the run then ends its requests.
    pub(crate) async fn stopping(&self) {
        self.wait_for(|stage| stage == Stage::Stopping).await;
    }

    /// The server has ended the stream after the requests had ended.
    pub(crate) fn left(&self) {
        self.0.send_replace(Stage::Left);
    }

    async fn wait_for(&self, is_reached: impl Fn(Stage) -> bool) {
        // The sender lives as long as this.
        let _ = self.0.subscribe().wait_for(|stage| is_reached(*stage)).await;
    }

    fn is_served(&self) -> bool {
        *self.0.borrow() == Stage::Served
    }
}

/// A handler that is served until it is stopped or dropped.
#[derive(Debug)]
pub(crate) struct Serving<T> {
    task: JoinHandle<Result<()>>,
    stages: Stages,
    confirmed: watch::Receiver<T>,
}

impl<T: Clone + Send + Sync + 'static> Serving<T> {
    /// Resolves with the first confirmation of the server.
    pub(crate) async fn begin(mut confirmations: Items<T>, stages: Stages) -> Result<Self> {
        let first = confirmations.try_next().await?.ok_or_else(|| Error::incomplete("confirmation"))?;
        let (latest, confirmed) = watch::channel(first);
        let reached = stages.clone();
        let task = tokio::spawn(async move {
            let served = async {
                while let Some(confirmation) = confirmations.try_next().await? {
                    latest.send_replace(confirmation);
                }
                Ok(())
            };
            tokio::select! {
                // After a stop, the end of the stream is no error.
                ended = served => if reached.is_served() { ended } else { Ok(()) },
                () = async {
                    reached.wait_for(|stage| stage != Stage::Served).await;
                    let _ = timeout(LEAVING_WAIT, reached.wait_for(|stage| stage == Stage::Left)).await;
                } => Ok(()),
            }
        });
        Ok(Self { task, stages, confirmed })
    }

    /// The latest confirmation of the server.
    pub(crate) fn confirmed(&self) -> T {
        self.confirmed.borrow().clone()
    }

    pub(crate) fn stop(&self) {
        self.stages.0.send_replace(Stage::Stopping);
    }

    /// Waits until it has ended: without an error when it was stopped.
    pub(crate) async fn closed(&mut self) -> Result<()> {
        (&mut self.task).await.unwrap_or(Ok(()))
    }
}

impl<T> Drop for Serving<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}
