use crate::{Fault, Side, sentence};
use futures_util::TryStreamExt;
use mneme_client::{Client, Embedding, GetOptions, IngestOptions, NewMemory, Scope, Source, StreamOptions};

/// The client.
#[derive(Clone)]
pub struct Face(Client);

impl Face {
    pub async fn connect(address: &str) -> Result<Self, Fault> {
        Ok(Self(Client::connect(address).await?))
    }
}

impl Side for Face {
    async fn get(&self, namespace: &str, id: &str) -> Result<(), Fault> {
        self.0.with_namespace(namespace).get(id, GetOptions::default()).await?;
        Ok(())
    }

    async fn store(&self, namespace: &str, text: String) -> Result<(), Fault> {
        let scope = Scope { agent: Some("scout".into()), session: Some("harbour".into()), ..Scope::default() };
        let source = Source { speaker: Some("Ada".into()), ..Source::default() };
        let memory = NewMemory::text(text).kind("message").scope(scope).source(source);
        self.0.with_namespace(namespace).store(memory).await?;
        Ok(())
    }

    async fn ingest(&self, namespace: &str, vectors: Vec<Vec<f32>>) -> Result<usize, Fault> {
        let memories = vectors
            .into_iter()
            .enumerate()
            .map(|(i, values)| NewMemory::text(sentence(i)).embedding(Embedding { values, model: "bench".into() }));
        let client = self.0.with_namespace(namespace);
        let mut progress =
            client.ingest(tokio_stream::iter(memories), IngestOptions::default(), StreamOptions::default());
        let mut stored = 0;
        while let Some(each) = progress.try_next().await? {
            stored = usize::try_from(each.stored_count)?;
        }
        Ok(stored)
    }

    async fn export(&self, namespace: &str) -> Result<usize, Fault> {
        let client = self.0.with_namespace(namespace);
        let mut memories = client.export_memories(None);
        let mut count = 0;
        while let Some(memory) = memories.try_next().await? {
            count += usize::from(!memory.text.is_empty() && memory.embedding.is_some());
        }
        Ok(count)
    }
}
