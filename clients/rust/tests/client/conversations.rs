//! Conversations, contexts and facts against a real server.
use futures_util::TryStreamExt;
use mneme_client::testing::Server;
use mneme_client::{CallOptions, Client, Code, ConsolidateQuery, ConsolidatedKind, Content, ContextKind, ContextQuery};
use mneme_client::{ConversationMessage, FactQuery, ListMessagesQuery, MessageBlock, MessageRole, NewFact, NewMemory};
use mneme_client::{EpisodeFeatureKind, NewEpisode, ReflectQuery, Result, TaskOutcome, ToolCall};
use std::time::Duration;

async fn client(server: &Server) -> Result<Client> {
    server.connect().namespace("test").await
}

#[tokio::test]
async fn a_conversation_becomes_a_context() -> Result<()> {
    let server = Server::start().await?;
    let client = client(&server).await?;
    let conversations = client.conversations();

    let call = ToolCall { id: "t1".into(), name: "weather".into(), arguments_json: "{}".into() };
    let blocks = [
        MessageBlock::Text("Noted.".into()),
        MessageBlock::ToolCall(call.clone()),
        MessageBlock::Data(Content::json(&[12])?),
        MessageBlock::Text("Bye.".into()),
    ];
    let said = [
        ConversationMessage::user("I moved to Bern in May.").name("Caroline"),
        ConversationMessage::new(MessageRole::Assistant, blocks),
    ];
    let appended = conversations.append("c/1", said, Default::default()).await?;
    assert_eq!(appended.messages[1].sequence, 1);

    let query = ListMessagesQuery { page_size: Some(1), ..ListMessagesQuery::default() };
    let name = "namespaces/test/conversations/c/1";
    let messages: Vec<_> = conversations.list(name, &query).try_collect().await?;
    assert_eq!((messages.len(), messages[0].name.as_str()), (2, "Caroline"));
    assert_eq!(messages[1].text(), "Noted.\n\nBye.");
    assert_eq!(messages[1].blocks[1], MessageBlock::ToolCall(call));
    assert_eq!(messages[0].memory_id, Some(appended.messages[0].memory_id.clone()));

    let query = ContextQuery { token_budget: Some(200), ..ContextQuery::from("Where did I move to in May?") };
    // A part that is late is left out: a busy machine must not make one late.
    let patient = CallOptions { timeout: Some(Duration::from_secs(60)), ..CallOptions::default() };
    let built = client.with(patient).build_context(query).await?;
    assert!(built.text.contains("I moved to Bern in May.") && built.tokens <= 200, "{built:?}");
    assert_eq!(built.entries[0].kind, ContextKind::Message);

    assert_eq!(conversations.pop("c/1", Some(1)).await?.sequence, Some(1));
    let error = conversations.pop("c/1", Some(7)).await.expect_err("another message");
    assert_eq!((error.code(), error.reason()), (Code::Aborted, Some("SUFFIX_MISMATCH")));
    Ok(())
}

#[tokio::test]
async fn facts_supersede_each_other() -> Result<()> {
    let server = Server::start().await?;
    let facts = client(&server).await?.facts();
    let bern = facts.assert_fact(NewFact::new("user", "home_city", "Bern"), Default::default()).await?;
    let bern = bern.fact.expect("a fact").id;
    let lisbon = facts.assert_fact(NewFact::new("user", "home_city", "Lisbon"), Default::default()).await?;
    assert_eq!(lisbon.superseded_ids, std::slice::from_ref(&bern));

    let query = FactQuery { subject: Some("user".into()), ..FactQuery::default() };
    let known: Vec<_> = facts.list(&query).try_collect().await?;
    assert_eq!(known.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["Lisbon"]);
    let undone = facts.undo_supersession(&bern).await?;
    assert_eq!(undone.withdrawn_id, lisbon.fact.map(|fact| fact.id));
    assert_eq!(facts.list_history("user", "home_city", None).await?.facts.len(), 2);
    Ok(())
}

#[tokio::test]
async fn reflection_finds_what_goes_with_success() -> Result<()> {
    let server = Server::start().await?;
    let episodes = client(&server).await?.episodes();
    let start: jiff::Timestamp = "2026-11-01T00:00:00Z".parse().expect("a time");
    for at in 0..16 {
        let (outcome, actions) = match at % 2 {
            0 => (TaskOutcome::Success, vec!["ran the tests".into(), "pushed".into()]),
            _ => (TaskOutcome::Failure, vec!["pushed".into()]),
        };
        let event_time = Some(start + Duration::from_secs(3600 * at));
        episodes.record(NewEpisode { actions, event_time, ..NewEpisode::new("deploy the shop", outcome) }).await?;
    }
    let until = |end_time| ReflectQuery {
        start_time: Some(start),
        end_time: Some(end_time),
        max_citations: Some(2),
        ..ReflectQuery::default()
    };
    let found = episodes.reflect(until(start + Duration::from_secs(7 * 86_400))).await?;
    assert_eq!((found.counts.episodes, found.start_time), (16, start));
    let factor = &found.success_factors[0];
    assert_eq!((factor.feature.kind, factor.feature.value.as_str()), (EpisodeFeatureKind::Action, "ran the tests"));
    assert_eq!((factor.present.successes, factor.episode_ids.len()), (8, 2));
    let error = episodes.reflect(until(start)).await.expect_err("an empty range");
    assert_eq!(error.code(), Code::InvalidArgument);
    Ok(())
}

#[tokio::test]
async fn consolidation_merges_and_takes_apart() -> Result<()> {
    let server = Server::start().await?;
    let client = client(&server).await?;
    for text in ["The user likes green tea.", "the user likes green tea"] {
        client.store(NewMemory::from(text)).await?;
    }
    let consolidation = client.consolidation();
    let dry_run = ConsolidateQuery { dry_run: true, idle: Some(Duration::from_secs(60)), ..Default::default() };
    let planned = consolidation.run(dry_run).await?;
    assert_eq!(planned.report_id, None);
    let made = consolidation.run(Default::default()).await?;
    assert_eq!(made.memories, planned.memories);
    let merged = &made.memories[0];
    assert_eq!((merged.kind, merged.source_ids.len()), (ConsolidatedKind::Merge, 2));
    let undone = consolidation.undo(&made.report_id.expect("a report")).await?;
    assert_eq!((undone.restored_ids.len(), &undone.deleted_ids[..]), (2, std::slice::from_ref(&merged.id)));
    let error = consolidation.undo(&merged.source_ids[0]).await.expect_err("no report");
    assert_eq!((error.code(), error.reason()), (Code::NotFound, Some("MEMORY_NOT_FOUND")));
    Ok(())
}
