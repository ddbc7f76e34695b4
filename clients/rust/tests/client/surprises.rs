//! Refusals, exact numbers, texts and connections that are not made, against a real server.
use futures_util::StreamExt;
use jiff::{Timestamp, civil::date};
use mneme_client::filter::{Day, field, path};
use mneme_client::testing::Server;
use mneme_client::{
    CallOptions, ClearTierRequest, Client, Code, Content, ConversationMessage, CountQuery, Filter, ForgetRequest,
};
use mneme_client::{
    GetOptions, ImportedMemory, MessageBlock, MessageFrom, NewMemory, RecallQuery, Result, StreamOptions, Tier, Tls,
    WatchQuery,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

#[tokio::test]
async fn a1_options_without_effect_are_refused() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    client.batch_store(["one", "two", "three"]).await?;
    let all = |filter: Option<Filter>, all: bool| ForgetRequest { filter, all, ..ForgetRequest::default() };
    for (query, expected) in [
        (all(None, false), "filter: is required"),
        (all(Some("".into()), false), "filter: must not be an empty text"),
        (all(Some(" ".into()), true), "filter: must not be an empty text"),
        (all(Some(field::kind().equals("fact")), true), "must be absent when all is set"),
        (all(Some(mneme_client::filter::all_of([])), false), "must be 1 to 64"),
        (all(Some(field::id().is_in(Vec::<String>::new())), false), "must be 1 to 1000"),
        (all(Some("tpye = \"fact\"".into()), false), "did you mean type?"),
    ] {
        let error = client.forget(query).await.expect_err(expected);
        assert!(error.code() == Code::InvalidArgument && error.message().contains(expected), "{error}");
    }
    let keyed = client.with(CallOptions { request_id: Some("r".into()), ..CallOptions::default() });
    let error = keyed.count(CountQuery::default()).await.expect_err("no write");
    assert_eq!(error.message(), "request_id: this call is not a write");
    let late = client.with(CallOptions { min_revision: Some(1), ..CallOptions::default() });
    assert_eq!(late.store("x").await.expect_err("no read").violations()[0].field, "min_revision");
    let error =
        client.clear_tier(Tier::ShortTerm, ClearTierRequest::default()).await.expect_err("neither scope nor all");
    assert!(error.message().contains("scope: is required"), "{error}");
    assert_eq!(client.count(CountQuery::default()).await?.count, 3);
    Ok(())
}

#[test]
fn a1_unknown_names_in_json_are_refused() {
    fn refusal<T: serde::de::DeserializeOwned>(given: Value) -> String {
        serde_json::from_value::<T>(given).err().map(|error| error.to_string()).unwrap_or_default()
    }
    let said = refusal::<ForgetRequest>(json!({"filter": "type = \"fact\"", "dryrun": true}));
    assert!(said.contains("unknown field `dryrun`, expected one of `filter`, `all`, `dry_run`"), "{said}");
    for said in [
        refusal::<NewMemory>(json!({"text": "x", "tag": ["a"]})),
        refusal::<ImportedMemory>(json!({"text": "x", "create_tme": "2026-01-01T00:00:00Z"})),
        refusal::<RecallQuery>(json!({"text": "x", "limt": 3})),
        refusal::<RecallQuery>(json!({"text": "x", "weights": {"keywords": 1.0}})),
        refusal::<ConversationMessage>(json!({"role": "user", "text": "x"})),
        refusal::<GetOptions>(json!({"viewer": "full"})),
    ] {
        assert!(said.contains("unknown field"), "{said}");
    }
    assert!(!refusal::<RecallQuery>(json!({"time_window": {"last_hours": 3}})).is_empty());
    let imported: ImportedMemory =
        serde_json::from_value(json!({"text": "x", "importance": 0.5, "retrieval_count": 3})).expect("known names");
    assert_eq!((imported.memory.importance, imported.retrieval_count), (Some(0.5), Some(3)));
}

#[tokio::test]
async fn a2_contents_keep_the_digits_of_integers() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    let given = BTreeMap::from([("user", 1_145_678_901_234_567_891_i128), ("big", i128::from(u64::MAX) + 1)]);
    let stored = client.store(NewMemory::default().content(Content::json(&given)?)).await?;
    let content = client.get(&stored.id, GetOptions::default()).await?.content.expect("a content");
    assert_eq!(content.deserialize::<BTreeMap<String, i128>>()?["big"], 18_446_744_073_709_551_616);
    assert!(content.as_text()?.contains("1145678901234567891"));
    Ok(())
}

#[tokio::test]
async fn a11_errors_name_the_namespace_of_the_caller() -> Result<()> {
    let server = Server::start().await?;
    for (given, expected) in [
        ("ada@example.org", "got \"ada@example.org\"; did you mean \"ada-example.org\"?"),
        ("Ada", "got \"Ada\"; did you mean \"ada\"?"),
        ("", "got \"\""),
    ] {
        let client = server.connect().namespace(given).await?;
        let expected = format!("namespace: must be [a-z0-9] and up to 62 more of [a-z0-9._-], {expected}");
        assert_eq!(client.store("x").await.expect_err(given).message(), expected);
        assert_eq!(client.get("x", GetOptions::default()).await.expect_err(given).message(), expected);
        let watched = client
            .watch(WatchQuery::default(), StreamOptions::default())
            .next()
            .await
            .expect("an item")
            .expect_err(given);
        assert_eq!(watched.violations()[0].field, "namespace");
        assert!(!watched.message().contains("namespaces/"), "{watched}");
    }
    Ok(())
}

#[tokio::test]
async fn texts_are_stored_as_they_are() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    let memory = NewMemory::text("I play the cello.").speaker("Ann").session("s").tags(["music"]);
    let stored = client.get(&client.store(memory).await?.id, GetOptions::default()).await?;
    assert_eq!((stored.text.as_str(), stored.r#type.as_str()), ("I play the cello.", "message"));
    assert_eq!((stored.source.speaker.as_deref(), stored.scope.session.as_deref()), (Some("Ann"), Some("s")));
    let texts = vec![String::from("a"), String::from("b")];
    assert_eq!(client.batch_store(&texts).await?.len(), 2);
    assert!(client.store(String::from("c")).await?.version > 0);
    assert_eq!(client.store("").await.expect_err("empty").code(), Code::InvalidArgument);
    let empty = ConversationMessage::user("");
    let error = client.conversations().append("c", [empty], mneme_client::AppendOptions::default()).await;
    assert!(error.expect_err("empty").message().starts_with("messages: a message has no text"));
    Ok(())
}

/// The message of the failure of a call, and of a stream: not that of a deadline.
async fn failure_of(client: Client) -> String {
    let error = client.get("m", GetOptions::default()).await.expect_err("nowhere");
    assert_eq!(error.code(), Code::Unavailable, "{error}");
    let streamed = client
        .watch(WatchQuery::default(), StreamOptions::default())
        .next()
        .await
        .expect("an item")
        .expect_err("nowhere");
    assert_eq!(streamed.message(), error.message());
    error.message().to_owned()
}

#[tokio::test]
async fn a3_no_server_is_said_without_a_wait() -> Result<()> {
    let port = TcpListener::bind("127.0.0.1:0").await.and_then(|free| free.local_addr()).expect("a port").port();
    for host in ["127.0.0.1", "localhost", "[::1]"] {
        let address = format!("{host}:{port}");
        let expected = format!("connection refused at {address}: is it running? (mneme serve)");
        assert_eq!(failure_of(Client::connect(&address).await?).await, expected);
        assert_eq!(failure_of(Client::connect(&address).wait_for_ready(false).retry(false).await?).await, expected);
    }
    let said = failure_of(Client::connect("no-such-host.invalid").await?).await;
    assert_eq!(said, "no connection to no-such-host.invalid: its host has no address");
    Ok(())
}

#[tokio::test]
async fn a3_encryption_that_does_not_agree_is_said_in_words() -> Result<()> {
    let server = Server::start().await?;
    let address = server.address();
    let way = "connect without tls, or start it with --tls-cert and --tls-key";
    let said = failure_of(Client::connect(address).tls(Tls::default()).await?).await;
    assert_eq!(said, format!("the server at {address} does not speak TLS: {way}"));

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        // As a server with TLS answers to what is no handshake.
        while let Ok((mut client, _)) = listener.accept().await {
            let mut start = [0; 24];
            let _ = client.read_exact(&mut start).await;
            let _ = client.write_all(&[0x15, 3, 1, 0, 2, 2, 0x46]).await;
            let _ = client.read_to_end(&mut Vec::new()).await;
        }
    });
    let said = failure_of(Client::connect(&address).await?).await;
    assert_eq!(said, format!("the server at {address} wants TLS: see Connect::tls"));
    Ok(())
}

/// A message in one line.
fn shown(given: &str) -> String {
    let read = MessageFrom::json(given).expect(given);
    let mut parts = vec![format!("{:?}", read.message.role)];
    if !read.message.name.is_empty() {
        parts.push(read.message.name.clone());
    }
    parts.extend(read.message.blocks.iter().map(|block| match block {
        MessageBlock::Text(text) => text.clone(),
        MessageBlock::ToolCall(call) => format!("call:{} {} {}", call.id, call.name, call.arguments_json),
        MessageBlock::ToolResult(result) => format!("result:{} {} {}", result.call_id, result.text, result.is_error),
        other => format!("{other:?}"),
    }));
    parts.extend(read.skipped.iter().map(|kind| format!("skipped:{kind}")));
    parts.extend(read.unread_keys.iter().map(|key| format!("unread:{key}")));
    parts.join(" | ")
}

#[test]
fn c5_messages_of_other_programs() {
    for (given, expected) in [
        (json!({"role": "user", "content": "Hi"}), "User | Hi"),
        (json!({"role": "human", "name": "Ann", "text": "Hi", "mood": "up"}), "User | Ann | Hi | unread:mood"),
        (
            json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
                "function": {"name": "add", "arguments": "{\"a\":1}"}}]}),
            "Assistant | call:c1 add {\"a\":1}",
        ),
        (json!({"role": "tool", "tool_call_id": "c1", "content": "2"}), "Tool | result:c1 2 false"),
        (
            json!({"role": "user", "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "data:x"}}]}),
            "User | See | skipped:image",
        ),
        (
            json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"},
                {"type": "tool_use", "id": "t", "name": "go", "input": {"id": 1_145_678_901_234_567_891_u64}}]}),
            "Assistant | Hm | call:t go {\"id\":1145678901234567891}",
        ),
        (
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true,
                "content": [{"type": "text", "text": "no"}, {"type": "image", "source": {}}]}]}),
            "User | result:t no true | skipped:image",
        ),
        (
            json!({"role": "assistant", "parts": [{"type": "reasoning", "text": "Hm"},
                {"type": "tool-call", "toolCallId": "t", "toolName": "go", "args": {}}]}),
            "Assistant | Hm | call:t go {}",
        ),
        (json!({"type": "human", "data": {"content": "Hi", "name": "Ann"}}), "User | Ann | Hi"),
        (
            json!({"lc": 1, "id": ["langchain", "schema", "AIMessageChunk"], "kwargs": {"content": "Ho"}}),
            "Assistant | Ho",
        ),
        (
            json!({"type": "function_call_output", "call_id": "c", "output": {"ok": true}}),
            "Tool | result:c {\"ok\":true} false",
        ),
        (
            json!({"role": "model", "parts": [{"functionCall": {"name": "go", "args": {"x": 1}}}, {"mimeType": "audio/wav"}]}),
            "Assistant | call: go {\"x\":1} | skipped:audio",
        ),
        (
            json!({"role": "user", "blocks": [{"text": "a"}, {"tool_call": {"id": "c", "name": "n", "arguments_json": "{}"}}]}),
            "User | a | call:c n {}",
        ),
    ] {
        assert_eq!(shown(&given.to_string()), expected, "{given}");
    }
    for bad in ["[]", "{", r#"{"content": "x"}"#, r#"{"role": "usr"}"#] {
        assert_eq!(MessageFrom::json(bad).expect_err(bad).code(), Code::InvalidArgument);
    }
}

#[test]
fn c5_times_of_messages() {
    for written in [
        "\"2026-05-01T09:00:00Z\"",
        "\"2026-05-01 11:00:00+02:00\"",
        "1777626000",
        "\"1777626000\"",
        "1777626000000",
        "1777626000000000",
        "1777626000000000000",
        "1777626000.0",
        "\"Fri, 01 May 2026 09:00:00 GMT\"",
        "\"2026-05-01T09:00\"",
    ] {
        let given = format!(r#"{{"role": "user", "text": "Hi", "timestamp": {written}}}"#);
        let time = MessageFrom::json(&given).expect(written).message.event_time;
        assert_eq!(time, "2026-05-01T09:00:00Z".parse().ok(), "{written}");
    }
    let read = MessageFrom::json(r#"{"role": "user", "text": "Hi", "ts": "soon"}"#).expect("a message");
    assert_eq!(read.unreadable_time.as_deref(), Some("\"soon\""));
}

#[test]
fn a2_filters_keep_the_digits_of_integers() {
    // The text of a filter is its message.
    let shown = |filter: Filter| serde_json::to_string(&filter).unwrap_or_default();
    for given in [9_007_199_254_740_993_i128, -1_145_678_901_234_567_890, i128::from(u64::MAX), i128::MAX] {
        let expected = format!("NumberText(\\\"{given}\\\")");
        for filter in
            [path("a").equals(given), path("a").is_in([given]), path("a").greater(given), field::step().less(given)]
        {
            let text = shown(filter);
            assert!(text.contains(&expected), "{text}");
        }
    }
    for filter in [path("a").equals(3), path("a").equals(1_u64 << 53), path("a").equals(0.1), path("a").equals(1e300)] {
        let text = shown(filter);
        assert!(text.contains("NumberValue("), "{text}");
    }
}

#[tokio::test]
async fn a4_times_of_all_years_come_back_as_given() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    let first: Timestamp = "0001-01-01T00:00:00Z".parse().expect("a time");
    for time in [
        first,
        "0099-12-31T23:59:59.999Z".parse().expect("a time"),
        "1600-02-29T00:00:00.001Z".parse().expect("a time"),
        "2300-01-01T00:00:00.999Z".parse().expect("a time"),
        "9999-12-30T00:00:00Z".parse().expect("a time"),
        // Stands for the last instant of 9999, a day later.
        Timestamp::MAX,
    ] {
        let memory = NewMemory {
            event_time: Some(time),
            valid_from: Some(first),
            valid_until: Some(Timestamp::MAX),
            ..NewMemory::from("x")
        };
        let receipt = client.store(memory).await?;
        let kept = client.get(&receipt.id, GetOptions::default()).await?;
        assert_eq!((kept.event_time, kept.valid_from, kept.valid_until), (time, Some(first), Some(Timestamp::MAX)));
        let query = CountQuery { filter: Some(field::event_time().equals(time)), ..CountQuery::default() };
        assert_eq!(client.count(query).await?.count, 1, "{time}");
    }
    Ok(())
}

#[tokio::test]
async fn a5_an_expiry_that_is_over_is_refused() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    let hour_ago = Timestamp::now() - std::time::Duration::from_secs(3600);
    let memory = NewMemory { expire_time: Some(hour_ago), ..NewMemory::from("x") };
    let error = client.store(memory).await.expect_err("it is over");
    assert_eq!(error.violations()[0].field, "memory.expire_time");
    Ok(())
}

#[tokio::test]
async fn a7_days_in_filters_are_whole_days() -> Result<()> {
    let server = Server::start().await?;
    let client = server.connect().namespace("test").await?;
    for (id, time) in [("a", "2026-06-09T23:00:00Z"), ("b", "2026-06-10T09:30:00Z"), ("c", "2026-06-11T00:00:00Z")] {
        let event_time = Some(time.parse().expect("a time"));
        client.store(NewMemory { id: Some(id.into()), event_time, ..NewMemory::from(id) }).await?;
    }
    let tenth = date(2026, 6, 10);
    let time = field::event_time;
    for (filter, expected) in [
        (time().equals(tenth), "b"),
        (time().less(tenth), "a"),
        (time().less_or_equal(tenth), "ab"),
        (time().greater(tenth), "c"),
        (time().greater_or_equal(tenth), "bc"),
        (time().is_in([tenth, date(2026, 6, 11)]), "bc"),
        (time().equals(Day::new(tenth).in_zone("Europe/Berlin")), "ab"),
    ] {
        let mut found = String::new();
        for id in ["a", "b", "c"] {
            let filter = Some(filter.clone() & field::id().equals(id));
            if client.count(CountQuery { filter, ..CountQuery::default() }).await?.count == 1 {
                found.push_str(id);
            }
        }
        assert_eq!(found, expected);
    }
    Ok(())
}
