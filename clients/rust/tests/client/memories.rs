//! Memories, recall and errors against a real server.
use futures_util::TryStreamExt;
use mneme_client::filter::{field, path};
use mneme_client::testing::Server;
use mneme_client::{CallOptions, MemoryChanges, MemoryField, MemoryOrder, MemoryView, NewMemory, RecallQuery, Result};
use mneme_client::{Client, Code, Content, CountQuery, Embedding, Family, ForgetRequest, GetOptions, ListQuery};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Position {
    room: String,
    x: f64,
}

async fn client(server: &Server) -> Result<Client> {
    server.connect().namespace("test").await
}

#[tokio::test]
async fn memories_are_stored_changed_found_and_forgotten() -> Result<()> {
    let server = Server::start().await?;
    let client = client(&server).await?;

    let position = Position { room: "kitchen".into(), x: 1.5 };
    let memory = NewMemory::default().id("m1").kind("state").step(1).content(Content::json(&position)?).tags(["a"]);
    let receipt = client.store(memory).await?;
    assert_eq!((receipt.id.as_str(), receipt.version), ("m1", receipt.version));

    let memory = client.get("m1", GetOptions::default()).await?;
    assert_eq!(memory.deserialize::<Position>()?, position);
    assert_eq!((memory.step, memory.tags), (Some(1), vec!["a".to_owned()]));

    let changes = MemoryChanges::from(NewMemory::text("The robot is in the kitchen.")).clear(MemoryField::Tags);
    client.update("m1", changes, Some(receipt.version)).await?;
    let error = client.update("m1", NewMemory::text("x"), Some(receipt.version)).await.expect_err("an old version");
    assert_eq!((error.code(), error.family()), (Code::Aborted, Family::Store));
    let revisions: Vec<_> = client.list_revisions("m1").try_collect().await?;
    assert_eq!(revisions.len(), 2);

    let many: Vec<_> = (0..5).map(|n| NewMemory::text(format!("Fact number {n}.")).id(format!("f{n}"))).collect();
    assert_eq!(client.batch_store(&many).await?.len(), 5);
    let query = ListQuery {
        filter: Some(field::kind().equals("statement")),
        order: Some(MemoryOrder::CreateTimeAsc),
        page_size: Some(2),
        ..ListQuery::default()
    };
    let listed: Vec<_> = client.list(&query).try_collect().await?;
    assert_eq!(listed.iter().map(|memory| memory.id.as_str()).collect::<Vec<_>>(), ["f0", "f1", "f2", "f3", "f4"]);
    let first = client.list_page(&query).await?;
    let next = ListQuery { page_token: Some(first.next_page_token), ..query };
    assert_eq!(client.list_page(&next).await?.memories[0].id, "f2");

    let in_kitchen = CountQuery { filter: Some(path("room").equals("kitchen")), ..CountQuery::default() };
    assert_eq!(client.count(in_kitchen).await?.count, 1);
    let batch = client.batch_get(&["f1", "no"], Some(MemoryView::Metadata)).await?;
    assert_eq!((batch.memories.len(), batch.missing_ids), (1, vec!["no".to_owned()]));

    let superseding = client.supersede("f0", "Fact number zero.", None).await?;
    assert_eq!(superseding.superseded.id, "f0");
    client.delete("f1", None, false).await?;
    client.delete("f1", None, true).await?;
    let statements = ForgetRequest { filter: Some("type = \"statement\"".into()), ..ForgetRequest::default() };
    assert_eq!(client.forget(statements).await?.forgotten_count, 5);
    Ok(())
}

#[tokio::test]
async fn recall_finds_relevant_memories() -> Result<()> {
    let server = Server::start().await?;
    let client = client(&server).await?;
    client.store(NewMemory::text("The museum is closed on Mondays.").id("museum").importance(0.9)).await?;
    client.store("The harbour is always open.").await?;

    let found = client.recall("When is the museum closed?").await?;
    assert_eq!(found.hits[0].memory.id, "museum");
    let other = client.with_namespace("vectors");
    let vector = |values: [f32; 2]| Embedding::new(values, "plane");
    other.store(NewMemory::text("East.").id("east").embedding(vector([1.0, 0.0]))).await?;
    other.store(NewMemory::text("North.").id("north").embedding(vector([0.0, 1.0]))).await?;
    let full = GetOptions { view: Some(MemoryView::Full), ..GetOptions::default() };
    assert_eq!(other.get("east", full).await?.embedding, Some(vector([1.0, 0.0])));
    let query =
        RecallQuery { embedding: Some(vector([0.1, 0.9])), limit: Some(1), explain: true, ..RecallQuery::default() };
    let near = other.recall(query).await?;
    assert_eq!((near.hits.len(), near.hits[0].memory.id.as_str()), (1, "north"));
    assert!(!near.hits[0].components.is_empty());
    assert!(client.list_recall_presets().await?.iter().any(|preset| preset.name == "last_hours"));
    Ok(())
}

#[tokio::test]
async fn errors_say_why() -> Result<()> {
    let server = Server::start().await?;
    let client = client(&server).await?;
    client.store("something").await?;
    let error = client.get("nothing", GetOptions::default()).await.expect_err("not there");
    assert_eq!((error.code(), error.reason()), (Code::NotFound, Some("MEMORY_NOT_FOUND")));
    assert_eq!((error.family(), error.is_retryable()), (Family::Retrieval, false));

    let error = client.store(NewMemory::default()).await.expect_err("empty");
    assert_eq!((error.code(), error.reason()), (Code::InvalidArgument, Some("FIELD_INVALID")));
    assert!(!error.violations().is_empty());

    let bad = NewMemory::text("x").embedding(Embedding::new([0.0, f32::NAN], "m"));
    let error = client.store(bad).await.expect_err("NaN");
    assert_eq!((error.code(), error.violations()[0].field.as_str()), (Code::InvalidArgument, "embedding.values"));

    let once = client.with(CallOptions { request_id: Some("key".into()), ..CallOptions::default() });
    assert_eq!(once.store("once").await?.id, once.store("once").await?.id);

    client.close().await;
    let error = client.store("late").await.expect_err("closed");
    assert_eq!((error.code(), error.message()), (Code::Cancelled, "the client is closed"));
    Ok(())
}

#[tokio::test]
async fn a_server_that_is_not_there_is_waited_for_or_not() -> Result<()> {
    let waiting = Client::connect("127.0.0.1:1").wait_for_ready(true).timeout(Duration::from_millis(300)).await?;
    let error = waiting.store("x").await.expect_err("nowhere");
    assert_eq!(error.code(), Code::DeadlineExceeded);
    assert_eq!(error.message(), "no answer in time: connection refused at 127.0.0.1:1: is it running? (mneme serve)");

    let hasty = Client::connect("127.0.0.1:1").wait_for_ready(false).await?;
    let error = hasty.store("x").await.expect_err("nowhere");
    assert_eq!(error.code(), Code::Unavailable);
    assert_eq!(error.message(), "connection refused at 127.0.0.1:1: is it running? (mneme serve)");

    let error = Client::connect("http://a b").await.expect_err("no address");
    assert_eq!(error.violations()[0].field, "address");
    Ok(())
}
