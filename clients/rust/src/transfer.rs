//! Memories by the stream: export, import and ingestion.
use crate::client::Items;
use crate::filter::{Filter, filter_fields};
use crate::memory::Memory;
use crate::names::ids_of;
use crate::{Client, Error, Result, pb};
use futures_util::stream::BoxStream;
use futures_util::{FutureExt, StreamExt};

mod import;
mod ingest;

pub use import::*;
pub use ingest::*;

const BATCH_COUNT_MAX: usize = 256;
const BATCH_BYTES_MAX: usize = 1024 * 1024;

/// What a source has at the moment: a quick one gives large batches, of a slow one each memory is given on as soon as it
/// comes. Empty when it has ended.
struct Source<T> {
    /// Asked again after its end.
    stream: BoxStream<'static, T>,
    waiting: Option<T>,
}

impl<T> Source<T> {
    async fn batch<M>(&mut self, made: impl Fn(T) -> Result<M>, size: impl Fn(&M) -> usize) -> Result<Vec<M>> {
        // Nothing is awaited once an item was taken, so that nothing is lost when the wait is given up.
        let mut next = match self.waiting.take() {
            Some(item) => Some(item),
            None => self.stream.next().await,
        };
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(item) = next {
            let message = made(item)?;
            bytes += size(&message);
            batch.push(message);
            if batch.len() >= BATCH_COUNT_MAX || bytes >= BATCH_BYTES_MAX {
                break;
            }
            next = self.stream.next().now_or_never().flatten();
        }
        Ok(batch)
    }
}

impl Client {
    /// Every memory of the namespace that the filter admits with its vector, in the order in which they were stored. No
    /// deadline but that of the call's options; the server waits while the reader is slow. Fails with `DataLoss` after all
    /// the others where some cannot be read.
    pub fn export_memories(&self, filter: Option<&Filter>) -> Items<Memory> {
        let caller = self.caller.clone();
        let fields = filter_fields(filter);
        Box::pin(async_stream::try_stream! {
            let (filter, filter_text) = fields?;
            let request = pb::ExportMemoriesRequest { parent: caller.parent(), filter, filter_text };
            let mut damaged = Vec::new();
            let mut messages = caller.connection.read(request, &caller.options).await?;
            while let Some(message) = messages.next().await? {
                damaged.extend(ids_of(&message.damaged));
                for memory in message.memories {
                    yield memory.into();
                }
            }
            if !damaged.is_empty() {
                Err(Error::damaged(&damaged, "memories"))?;
            }
        })
    }
}
