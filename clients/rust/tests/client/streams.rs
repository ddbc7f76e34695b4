//! Streams, export and import against a real server.
use futures_util::{TryStreamExt, stream};
use mneme_client::filter::field;
use mneme_client::testing::{Server, start_server};
use mneme_client::{
    Client, ConsumeQuery, ImportOptions, ImportedMemory, IngestOptions, NewMemory, RecallQuery, Result,
};
use mneme_client::{GetOptions, RecallStreamEvent, StreamOptions, SubscriptionSettings, WatchEvent, WatchQuery};
use std::sync::{Arc, Mutex};

async fn client(server: &Server) -> Result<Client> {
    let client = server.connect().namespace("test").await?;
    client.store(NewMemory::text("The first.").id("first")).await?;
    Ok(client)
}

fn facts(count: usize) -> impl Iterator<Item = NewMemory> {
    (0..count).map(|n| NewMemory::text(format!("Fact {n}.")).id(format!("f{n}")))
}

#[tokio::test]
async fn a_watch_tells_each_change_once() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let query = WatchQuery { start_revision: Some(1), ..WatchQuery::default() };
    let mut events = client.watch(query, StreamOptions::default());
    let mut token = String::new();
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Change { change, resume_token } if change.id == "first" => token = resume_token,
            WatchEvent::CaughtUp { .. } if !token.is_empty() => break,
            _ => {}
        }
    }
    drop(events);
    client.store(NewMemory::text("The second.").id("second")).await?;
    let query = WatchQuery { resume_token: Some(token), ..WatchQuery::default() };
    let mut events = client.watch(query, StreamOptions::default());
    let Some(WatchEvent::Change { change, .. }) = events.try_next().await? else { panic!("a change") };
    assert_eq!(change.id, "second");
    Ok(())
}

#[tokio::test]
async fn a_standing_recall_tells_how_its_answer_changes() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let query = RecallQuery { filter: Some(field::tag().equals("open")), ..RecallQuery::default() };
    let mut answers = client.subscribe(query, StreamOptions::default());
    assert!(answers.try_next().await?.expect("an answer").hits.is_empty());
    client.store(NewMemory::text("The harbour is open.").id("harbour").tags(["open"])).await?;
    while let Some(answer) = answers.try_next().await? {
        if let [hit] = &answer.entered[..] {
            assert_eq!(hit.memory.id, "harbour");
            break;
        }
    }
    let events: Vec<_> = client.recall_stream("The first").try_collect().await?;
    let Some(RecallStreamEvent::Merged { answer }) = events.last() else { panic!("the answer comes last") };
    assert_eq!(answer.hits[0].memory.id, "first");
    Ok(())
}

#[tokio::test]
async fn acknowledged_changes_are_not_redelivered() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    client.subscriptions().create("s", SubscriptionSettings::default()).await?;
    client.batch_store(&facts(3).collect::<Vec<_>>()).await?;
    let consume = || client.subscriptions().consume("s", "c", ConsumeQuery::default(), StreamOptions::default());
    let mut deliveries = consume();
    for id in ["f0", "f1"] {
        let delivery = deliveries.try_next().await?.expect("a delivery");
        assert_eq!(delivery.change.id, id);
        delivery.acknowledge();
    }
    deliveries.leave().await;
    assert_eq!(consume().try_next().await?.expect("a delivery").change.id, "f2");
    client.subscriptions().delete("s").await
}

#[tokio::test]
async fn ingestion_reports_durable_and_refused_memories() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let memories: Vec<_> = facts(1000).chain([NewMemory::default()]).collect();
    let options = IngestOptions { receipts: true, ..IngestOptions::default() };
    let progress: Vec<_> =
        client.ingest(stream::iter(memories), options, StreamOptions::default()).try_collect().await?;
    let last = progress.last().expect("progress");
    assert_eq!((last.acknowledged_sequence, last.stored_count, last.refused_count), (1001, 1000, 1));
    assert_eq!(progress.iter().map(|each| each.receipts.len()).sum::<usize>(), 1000);
    assert_eq!(progress.iter().flat_map(|each| &each.refused).next().expect("refused").sequence, 1001);
    Ok(())
}

#[tokio::test]
async fn an_ingestion_that_is_read_is_finished_when_its_client_is_closed() -> Result<()> {
    let server = start_server().await?;
    let other = client(&server).await?;
    let closing = server.connect().namespace("test").await?;
    let memories = facts(2000).collect::<Vec<_>>();
    let mut progress = closing.ingest(stream::iter(memories), IngestOptions::default(), StreamOptions::default());
    progress.try_next().await?.expect("progress");
    let (last, ()) =
        tokio::join!(async { progress.try_collect::<Vec<_>>().await.map(|all| all.last().cloned()) }, closing.close());
    assert_eq!(last?.expect("progress").stored_count, 2000);
    assert_eq!(other.count(Default::default()).await?.count, 2001);
    Ok(())
}

#[tokio::test]
async fn exported_memories_can_be_imported() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    client.batch_store(&facts(300).collect::<Vec<_>>()).await?;
    let exported: Vec<_> = client.export_memories(None).try_collect().await?;
    assert_eq!(exported.len(), 301);
    let copy = client.with_namespace("copy");
    let bad = ImportedMemory::from(NewMemory::default().id("empty"));
    let memories: Vec<_> = exported.iter().cloned().map(ImportedMemory::from).chain([bad]).collect();
    let refused: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let noted = refused.clone();
    let on_refused = move |memory: &ImportedMemory, _: &_| noted.lock().expect("a lock").push(memory.memory.id.clone());
    let options = ImportOptions { on_refused: Some(Arc::new(on_refused)), ..ImportOptions::default() };
    assert_eq!(copy.import_memories(stream::iter(memories), options).await?.stored_count, 301);
    assert_eq!(*refused.lock().expect("a lock"), [Some("empty".to_owned())]);
    assert_eq!(
        copy.get("f7", GetOptions::default()).await?.create_time,
        client.get("f7", GetOptions::default()).await?.create_time
    );
    Ok(())
}
