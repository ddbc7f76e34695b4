use crate::{Fault, Side, sentence};
use mneme_client::pb::{self, ingest_memories_request, ingest_memories_response};
use mneme_client::raw::Method;
use std::time::Duration;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{IntoStreamingRequest, Request};
use tonic_prost::ProstCodec;

const MIB: u32 = 1024 * 1024;
const BATCH: usize = 256;
const TIMEOUT: Duration = Duration::from_secs(10);

/// The messages as tonic sends them, over a channel with the options of the client's: what stubs of tonic do.
#[derive(Clone)]
pub struct Stubs(Channel);

impl Stubs {
    pub fn connect(address: &str) -> Result<Self, Fault> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10))
            .keep_alive_while_idle(false)
            .initial_stream_window_size(4 * MIB)
            .initial_connection_window_size(4 * MIB);
        Ok(Self(endpoint.connect_lazy()))
    }

    async fn ready(&self) -> Result<Grpc<Channel>, Fault> {
        let mut grpc = Grpc::new(self.0.clone()).max_decoding_message_size(16 * MIB as usize);
        grpc.ready().await?;
        Ok(grpc)
    }

    async fn unary<R: Method>(&self, message: R) -> Result<R::Response, Fault> {
        let mut request = Request::new(message);
        request.set_timeout(TIMEOUT);
        let codec = ProstCodec::<R, R::Response>::default();
        Ok(self.ready().await?.unary(request, PathAndQuery::from_static(R::PATH), codec).await?.into_inner())
    }
}

impl Side for Stubs {
    async fn get(&self, namespace: &str, id: &str) -> Result<(), Fault> {
        let name = format!("namespaces/{namespace}/memories/{id}");
        self.unary(pb::GetMemoryRequest { name, ..Default::default() }).await?;
        Ok(())
    }

    async fn store(&self, namespace: &str, text: String) -> Result<(), Fault> {
        let scope = pb::Scope { agent: "scout".into(), session: "harbour".into(), ..Default::default() };
        let source = pb::Source { speaker: "Ada".into(), ..Default::default() };
        let memory = pb::Memory {
            text,
            r#type: "message".into(),
            scope: Some(scope),
            source: Some(source),
            ..Default::default()
        };
        let parent = format!("namespaces/{namespace}");
        let request_id = uuid::Uuid::new_v4().to_string();
        self.unary(pb::StoreMemoryRequest { parent, memory: Some(memory), request_id, ..Default::default() }).await?;
        Ok(())
    }

    async fn ingest(&self, namespace: &str, vectors: Vec<Vec<f32>>) -> Result<usize, Fault> {
        let start = pb::IngestStart {
            parent: format!("namespaces/{namespace}"),
            stream_id: uuid::Uuid::new_v4().to_string(),
            refusals_only: true,
            ..Default::default()
        };
        let first = std::iter::once(ingest_memories_request::Message::Start(start));
        let batches = (0..vectors.len()).step_by(BATCH).map(move |first| {
            let some = vectors.iter().enumerate().skip(first).take(BATCH);
            let items = some.map(|(i, vector)| item_of(i, vector)).collect();
            let first_sequence = i64::try_from(first).unwrap_or_default() + 1;
            ingest_memories_request::Message::Batch(pb::IngestBatch { first_sequence, items })
        });
        let messages = first.chain(batches).map(|message| pb::IngestMemoriesRequest { message: Some(message) });
        let codec = ProstCodec::<pb::IngestMemoriesRequest, pb::IngestMemoriesResponse>::default();
        let path = PathAndQuery::from_static(pb::IngestMemoriesRequest::PATH);
        let request = tokio_stream::iter(messages).into_streaming_request();
        let mut answers = self.ready().await?.streaming(request, path, codec).await?.into_inner();
        let mut stored = 0;
        while let Some(answer) = answers.message().await? {
            if let Some(ingest_memories_response::Message::Acknowledgement(each)) = answer.message {
                stored = usize::try_from(each.stored_count)?;
            }
        }
        Ok(stored)
    }

    async fn export(&self, namespace: &str) -> Result<usize, Fault> {
        let request = pb::ExportMemoriesRequest { parent: format!("namespaces/{namespace}"), ..Default::default() };
        let codec = ProstCodec::<pb::ExportMemoriesRequest, pb::ExportMemoriesResponse>::default();
        let path = PathAndQuery::from_static(pb::ExportMemoriesRequest::PATH);
        let mut answers = self.ready().await?.server_streaming(Request::new(request), path, codec).await?.into_inner();
        let mut count = 0;
        while let Some(answer) = answers.message().await? {
            count += answer.memories.iter().filter(|each| !each.text.is_empty() && each.embedding.is_some()).count();
        }
        Ok(count)
    }
}

fn item_of(i: usize, vector: &[f32]) -> pb::IngestItem {
    let embedding = pb::Embedding {
        data_f32le: bytemuck::cast_slice(vector).to_vec(),
        dimension: u32::try_from(vector.len()).unwrap_or_default(),
        model: "bench".into(),
    };
    let memory = pb::Memory { text: sentence(i), embedding: Some(embedding), ..Default::default() };
    pb::IngestItem { memory: Some(memory), memory_id: String::new() }
}
