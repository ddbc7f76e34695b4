//! Working memory, lives of sessions, agents, namespaces and the server itself.
use futures_util::TryStreamExt;
use mneme_client::testing::{Server, start_server};
use mneme_client::*;
use std::collections::BTreeMap;
use std::time::Duration;

async fn client(server: &Server) -> Result<Client> {
    server.connect().namespace("test").await
}

#[tokio::test]
async fn working_memory_keeps_values_tasks_notes_and_checkpoints() -> Result<()> {
    let server = start_server().await?;
    let session = client(&server).await?.session("s");
    let expiry = Some(KeyExpiry::After(Duration::from_secs(60)));
    let key = session.set("a", &BTreeMap::from([("x", 1)]), SetOptions { expiry, ..SetOptions::default() }).await?;
    assert!(key.expire_time.is_some());
    let entry = session.get("a").await?.expect("the key");
    assert_eq!(entry.deserialize::<BTreeMap<String, i32>>()?["x"], 1);
    assert_eq!(session.get("b").await?, None);
    assert!(
        session.set("a", &f64::NAN, SetOptions::default()).await.expect_err("NaN").violations()[0].field == "value"
    );
    let operations = [
        ValueOperation::set("b", "text", SetOptions::default())?,
        ValueOperation::check("a", key.version),
        ValueOperation::remove("c", None),
    ];
    assert!(session.transact(operations).await?[0].is_some());
    let keys: Vec<_> = session.list_keys("").try_collect().await?;
    assert_eq!(keys.iter().map(|key| key.key.as_str()).collect::<Vec<_>>(), ["a", "b"]);

    let task = TaskProgress { description: Some("a task".into()), total_steps: Some(4), ..TaskProgress::default() };
    session.set_task_state(task, None).await?;
    let progress = TaskProgress { status: Some(TaskStatus::InProgress), ..TaskProgress::default() };
    assert_eq!(session.update_task_progress(progress, None).await?.total_steps, 4);
    assert_eq!(session.append_scratchpad(["one", "two"]).await?.first_sequence, 1);

    let checkpoint = session.create_checkpoint(Some("c"), None, None).await?;
    assert_eq!((checkpoint.key_count, checkpoint.note_count), (2, 2));
    session.clear(ClearOptions { clear_scratchpad: true, ..ClearOptions::default() }).await?;
    assert_eq!(session.diff_checkpoints("c", None, None).await?.differing_count, 2);
    assert_eq!(session.restore_checkpoint("c", None).await?.restored_count, 2);
    let notes: Vec<_> = session.list_scratchpad(Some(ScratchpadOrder::Newest)).try_collect().await?;
    assert_eq!(notes[0].content.as_text()?, "two");
    assert_eq!(session.get_statistics().await?.key_count, 2);
    Ok(())
}

#[tokio::test]
async fn sessions_are_spawned_paused_resumed_and_ended() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let lifecycle = client.lifecycle();
    let registration = HookRegistration {
        hook: "guard".into(),
        phases: vec![LifecyclePhase::Before],
        transitions: vec![LifecycleTransition::Pause],
        ..HookRegistration::default()
    };
    let answer = |event: LifecycleEvent| async move {
        match event.session.id.as_str() {
            "kept awake" => Ok(HookAnswer::Veto("not now".into())),
            "broken" => Err("the hook is broken"),
            _ => Ok(HookAnswer::Proceed(Metadata::from([("seen".into(), "yes".into())]))),
        }
    };
    let mut hook = lifecycle.serve_hook(&registration, answer, StreamOptions::default()).await?;
    for id in ["s", "kept awake", "broken"] {
        let request = SpawnRequest { session_id: Some(id.into()), ..SpawnRequest::default() };
        assert_eq!(lifecycle.spawn(request.value("k", &1)?).await?.value_count, 1);
    }
    let error = lifecycle.pause("kept awake", PauseRequest::default()).await.expect_err("a veto");
    assert_eq!(error.reason(), Some("HOOK_VETOED"));
    let broken = lifecycle.pause("broken", PauseRequest::default()).await?;
    assert_eq!(broken.transition.hook_reports[0].result, HookResult::Failed);
    let paused = lifecycle.pause("s", PauseRequest::default()).await?;
    assert_eq!((paused.session.state, paused.session.metadata["seen"].as_str()), (SessionState::Paused, "yes"));
    hook.stop();
    hook.closed().await?;

    assert_eq!(lifecycle.resume("s", ResumeRequest::default()).await?.restored_count, 1);
    let ended =
        lifecycle.terminate("s", TerminateRequest { lessons: vec!["one".into()], ..Default::default() }).await?;
    let episode = client.get(&ended.episode_id.expect("an episode"), GetOptions::default()).await?;
    assert_eq!(episode.r#type, "episode");
    let active: Vec<_> = lifecycle.list(None, &[SessionState::Active]).try_collect().await?;
    assert_eq!(active.len(), 1);
    let query = LifecycleEventsQuery { start: Some(EventsStart::Oldest), ..LifecycleEventsQuery::default() };
    let event = lifecycle.watch_events(query, StreamOptions::default()).try_next().await?.expect("an event");
    assert_eq!((event.transition, event.session.id.as_str()), (LifecycleTransition::Spawn, "s"));
    lifecycle.delete("kept awake", DeleteSessionRequest { force: true, ..DeleteSessionRequest::default() }).await?;
    Ok(())
}

#[tokio::test]
async fn a_watch_delivers_the_events_of_a_session() -> Result<()> {
    let server = start_server().await?;
    let session = client(&server).await?.session("s");
    session.set("a", &1, SetOptions::default()).await?;
    let query = SessionWatchQuery { after_revision: Some(0), include_values: true, ..SessionWatchQuery::default() };
    let event = session.watch(query, StreamOptions::default()).try_next().await?.expect("an event");
    assert_eq!((event.kind, event.key.as_str()), (SessionEventKind::Set, "a"));
    assert_eq!(event.entry.expect("the value").deserialize::<i32>()?, 1);
    Ok(())
}

#[tokio::test]
async fn agents_are_branched_and_brought_back() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let (ada, bob) = (Scope::agent("ada"), Scope::agent("bob"));
    client.store(NewMemory::text("one").id("one").scope(ada.clone())).await?;
    let snapshot = client.agents().create_snapshot(&ada, Some("before"), None).await?;
    assert_eq!(snapshot.scope, ada);
    client.store(NewMemory::text("two").id("two").scope(ada.clone())).await?;
    assert_eq!(client.agents().diff_snapshots("before", DiffTo::Now).await?.added_ids, ["two"]);
    assert_eq!(client.agents().fork_snapshot("before", &bob).await?.copied_count, 1);
    assert_eq!(client.agents().restore_snapshot("before").await?.erased_count, 1);
    client.scopes().set_policy(&ada, ScopePolicy { read_only: true, ..ScopePolicy::default() }).await?;
    assert!(client.scopes().list_policies().await?[0].read_only);
    let error = client.store(NewMemory::text("three").scope(ada)).await.expect_err("read-only");
    assert_eq!(error.reason(), Some("SCOPE_READ_ONLY"));
    Ok(())
}

#[tokio::test]
async fn namespaces_states_tiers_and_the_server_tell_of_themselves() -> Result<()> {
    let server = start_server().await?;
    let client = client(&server).await?;
    let settings = Settings::from([("short_term.ttl".into(), Some("2h".into()))]);
    let given = NamespaceSettings { settings: Some(settings), ..NamespaceSettings::default() };
    let made = client.namespaces().create("test", given).await?;
    assert_eq!(made.settings["short_term.ttl"], "2h");
    for step in 0..3 {
        let state = Content::json(&BTreeMap::from([("room", step / 2)]))?;
        client.store(NewMemory::default().kind("state").id(format!("s{step}")).step(step).content(state)).await?;
    }
    let history = client.get_attribute_history("room", AttributeHistoryQuery::default()).await?;
    assert_eq!(history.changes.last().expect("a change").new_value, Some(1.into()));
    assert_eq!(
        client.get_states_at_steps(&[1], StatesQuery::default()).await?[0].memory.as_ref().expect("a state").id,
        "s1"
    );
    assert_eq!(client.get_sequence("s1", SequenceQuery::default()).await?.before[0].id, "s0");
    assert_eq!(client.demote(&["s0"], None).await?.moves[0].to_tier, Tier::Intermediate);
    assert_eq!(client.namespaces().get_statistics(None, false).await?.statistics.memory_count, 3);
    let error = client.admin().get_agent_statistics("", false).await.expect_err("no agent");
    assert_eq!(error.violations()[0].field, "agent");
    assert_eq!(client.admin().get_server_statistics(true).await?.namespace_count, 1);
    let error = client.namespaces().delete("test", false).await.expect_err("it holds memories");
    assert_eq!(error.reason(), Some("NAMESPACE_NOT_EMPTY"));
    assert_eq!(client.namespaces().delete("test", true).await?.forgotten_count, 3);
    Ok(())
}
