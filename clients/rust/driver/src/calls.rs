//! From the methods of the protocol to calls of the client.
use crate::knowledge::{of_consolidation, of_conversations, of_facts, of_procedures};
use crate::values::{Answer, Args, Given, Plain, content_of, driver_fault, expanded, filter_of, given, memories_of};
use crate::values::{memory_of, millis_of, of, options_of, query_of, result_of, with_filter};
use futures_util::TryStreamExt;
use mneme_client::{Client, Content, DiffTo, ListQuery, MemoryChanges, NewMemory, Scope, SpawnRequest, ValueOperation};
use mneme_client::{Tier, WorkingMemory};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub fn text<'a>(args: &'a Args, name: &str) -> &'a str {
    args.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub fn maybe<'a>(args: &'a Args, name: &str) -> Option<&'a str> {
    args.get(name).and_then(Value::as_str)
}

pub fn whole(args: &Args, name: &str) -> Option<i64> {
    args.get(name).and_then(Value::as_i64)
}

pub fn flag(args: &Args, name: &str) -> bool {
    args.get(name) == Some(&Value::Bool(true))
}

pub fn part<T: DeserializeOwned>(args: &Args, name: &str) -> Answer<T> {
    Ok(serde_json::from_value(expanded(args.get(name).cloned().unwrap_or_default())?)?)
}

fn texts(args: &Args, name: &str) -> Answer<Vec<String>> {
    part(args, name)
}

fn memory(args: &Args) -> Answer<NewMemory> {
    Ok(memory_of(args.get("memory").unwrap_or(&Value::Null))?.memory)
}

/// What is deleted of a null, and what of anything else.
fn changes_of(value: Option<&Value>) -> Answer<MemoryChanges> {
    let object = value.and_then(Value::as_object).cloned().unwrap_or_default();
    let (cleared, given): (Args, Args) = object.into_iter().partition(|(_, each)| each.is_null());
    let mut changes = MemoryChanges::from(memory_of(&Value::Object(given))?.memory);
    for (name, _) in cleared {
        changes = changes.clear(serde_json::from_value(Value::String(name))?);
    }
    Ok(changes)
}

fn list_query(args: &Args) -> Answer<ListQuery> {
    let (query, filter) = with_filter::<ListQuery>(args)?;
    Ok(ListQuery { filter, ..query })
}

/// Only what a call gives as its whole result.
macro_rules! all_items {
    ($items:expr) => {
        result_of(&$items.try_collect::<Vec<_>>().await?)
    };
}
pub(crate) use all_items;

pub async fn call(client: &Client, method: &str, args: &Args) -> Answer {
    let client = client.with(options_of(args));
    match method.split_once('.') {
        None => of_memories(&client, method, args).await,
        Some(("namespaces", name)) => of_namespaces(&client, name, args).await,
        Some(("admin", name)) => of_admin(&client, name, args).await,
        Some(("scopes" | "agents" | "subscriptions", _)) => of_others(&client, method, args).await,
        Some(("conversations", name)) => of_conversations(&client, name, args).await,
        Some(("episodes" | "procedures", _)) => of_procedures(&client, method, args).await,
        Some(("consolidation", name)) => of_consolidation(&client, name, args).await,
        Some(("facts", name)) => of_facts(&client, name, args).await,
        Some(("lifecycle", name)) => of_lifecycle(&client, name, args).await,
        Some(("session", name)) => of_session(&client.session(text(args, "session")), name, args).await,
        _ => driver_fault(format!("no call {method}")),
    }
}

async fn of_memories(client: &Client, method: &str, args: &Args) -> Answer {
    let (id, if_version) = (text(args, "id"), whole(args, "if_version"));
    match method {
        "store" => result_of(&client.store(memory(args)?).await?),
        "batch_store" => {
            let memories: Vec<_> = memories_of(args.get("memories"))?.into_iter().map(|each| each.memory).collect();
            result_of(&client.batch_store(&memories).await?)
        }
        "get" => result_of(&client.get(id, of(args)?).await?),
        "batch_get" => {
            let view = args.get("view").map(|_| part(args, "view")).transpose()?;
            result_of(&client.batch_get(&texts(args, "ids")?, view).await?)
        }
        "update" => result_of(&client.update(id, changes_of(args.get("changes"))?, if_version).await?),
        "supersede" => result_of(&client.supersede(id, memory(args)?, if_version).await?),
        "set_importance" => {
            let importance = args.get("importance").and_then(Value::as_f64).unwrap_or_default();
            result_of(&client.set_importance(id, importance, if_version).await?)
        }
        "delete" => Ok(json!({ "revision": client.delete(id, if_version, flag(args, "allow_missing")).await? })),
        "forget" => {
            let (mut query, filter) = with_filter::<mneme_client::ForgetRequest>(args)?;
            query.filter = filter;
            result_of(&client.forget(query).await?)
        }
        "count" => {
            let (mut query, filter) = with_filter::<mneme_client::CountQuery>(args)?;
            query.filter = filter;
            result_of(&client.count(query).await?)
        }
        "list" => all_items!(client.list(&list_query(args)?)),
        "list_page" => result_of(&client.list_page(&list_query(args)?).await?),
        "list_revisions" => all_items!(client.list_revisions(id)),
        "get_attribute_history" => {
            let (mut query, filter) = with_filter::<mneme_client::AttributeHistoryQuery>(args)?;
            query.filter = filter;
            result_of(&client.get_attribute_history(text(args, "path"), query).await?)
        }
        "get_states_at_steps" => {
            let (mut query, filter) = with_filter::<mneme_client::StatesQuery>(args)?;
            query.filter = filter;
            result_of(&client.get_states_at_steps(&part::<Vec<i64>>(args, "steps")?, query).await?)
        }
        "get_sequence" => {
            let (mut query, filter) = with_filter::<mneme_client::SequenceQuery>(args)?;
            query.filter = filter;
            result_of(&client.get_sequence(id, query).await?)
        }
        "recall" => result_of(&client.recall(query_of(args)?).await?),
        "build_context" => result_of(&client.build_context(of::<mneme_client::ContextQuery>(args)?).await?),
        "list_recall_presets" => result_of(&client.list_recall_presets().await?),
        "demote" | "promote" => {
            let to_tier = args.get("to_tier").map(|_| part::<Tier>(args, "to_tier")).transpose()?;
            let ids = texts(args, "ids")?;
            let moved = if method == "demote" {
                client.demote(&ids, to_tier).await
            } else {
                client.promote(&ids, to_tier).await
            };
            result_of(&moved?)
        }
        "clear_tier" => result_of(&client.clear_tier(part(args, "tier")?, of(args)?).await?),
        "export_memories" => {
            let filter = args.get("filter").map(filter_of).transpose()?;
            all_items!(client.export_memories(filter.as_ref()))
        }
        _ => driver_fault(format!("no call {method}")),
    }
}

async fn of_namespaces(client: &Client, name: &str, args: &Args) -> Answer {
    let namespaces = client.namespaces();
    let (own, namespace, simplified) = (maybe(args, "namespace"), text(args, "namespace"), flag(args, "simplified"));
    match name {
        "create" => result_of(&namespaces.create(namespace, settings(args)?).await?),
        "get" => result_of(&namespaces.get(own).await?),
        "list" => all_items!(namespaces.list()),
        "update" => {
            let if_version = whole(args, "if_version");
            let updated = namespaces.update(namespace, settings(args)?, if_version, flag(args, "allow_demotion"));
            result_of(&updated.await?)
        }
        "delete" => result_of(&namespaces.delete(namespace, flag(args, "force")).await?),
        "list_scopes" => all_items!(namespaces.list_scopes(own)),
        "get_statistics" => result_of(&namespaces.get_statistics(own, simplified).await?),
        "get_agent_statistics" => {
            result_of(&namespaces.get_agent_statistics(text(args, "agent"), own, simplified).await?)
        }
        _ => driver_fault(format!("no call namespaces.{name}")),
    }
}

/// Values of settings are texts.
fn with_texts(args: &Args) -> Args {
    let mut args = args.clone();
    if let Some(Value::Object(settings)) = args.get_mut("settings") {
        for value in settings.values_mut().filter(|value| value.is_number() || value.is_boolean()) {
            *value = value.to_string().into();
        }
    }
    args
}

fn settings(args: &Args) -> Answer<mneme_client::NamespaceSettings> {
    of(&with_texts(args))
}

async fn of_admin(client: &Client, name: &str, args: &Args) -> Answer {
    let (admin, namespace, simplified) = (client.admin(), maybe(args, "namespace"), flag(args, "simplified"));
    match name {
        "get_server_info" => result_of(&admin.get_server_info().await?),
        "get_server_statistics" => result_of(&admin.get_server_statistics(simplified).await?),
        "get_agent_statistics" => result_of(&admin.get_agent_statistics(text(args, "agent"), simplified).await?),
        "reembed" => result_of(&admin.reembed(namespace).await?),
        "get_reembed_progress" => result_of(&admin.get_reembed_progress(namespace).await?),
        "maintain_tiers" => all_items!(admin.maintain_tiers(of(args)?)),
        "clear_recall_cache" => result_of(&admin.clear_recall_cache(namespace).await?),
        "get_config" => result_of(&admin.get_config().await?),
        "update_config" => {
            let settings = part(&with_texts(args), "settings")?;
            result_of(&admin.update_config(settings, flag(args, "allow_demotion")).await?)
        }
        _ => driver_fault(format!("no call admin.{name}")),
    }
}

async fn of_others(client: &Client, method: &str, args: &Args) -> Answer {
    let (scopes, agents, subscriptions) = (client.scopes(), client.agents(), client.subscriptions());
    let id = text(args, "id");
    match method {
        "scopes.set_policy" => {
            scopes.set_policy(&part::<Scope>(args, "scope")?, of(args)?).await?;
            Ok(json!({}))
        }
        "scopes.list_policies" => result_of(&scopes.list_policies().await?),
        "agents.create_snapshot" => {
            let scope: Scope = part(args, "scope")?;
            let made = agents.create_snapshot(&scope, maybe(args, "snapshot_id"), maybe(args, "description"));
            result_of(&made.await?)
        }
        "agents.list_snapshots" => all_items!(agents.list_snapshots()),
        "agents.delete_snapshot" => {
            agents.delete_snapshot(id).await?;
            Ok(json!({}))
        }
        "agents.diff_snapshots" => {
            let to = args.get("to").and_then(Value::as_object);
            let to = match to {
                None => DiffTo::Now,
                Some(to) if to.contains_key("scope") => DiffTo::Scope(part(to, "scope")?),
                Some(to) => DiffTo::Snapshot(text(to, "snapshot_id").into()),
            };
            result_of(&agents.diff_snapshots(id, to).await?)
        }
        "agents.restore_snapshot" => result_of(&agents.restore_snapshot(id).await?),
        "agents.fork_snapshot" => result_of(&agents.fork_snapshot(id, &part::<Scope>(args, "to")?).await?),
        "subscriptions.create" => {
            let (mut settings, filter) = with_filter::<mneme_client::SubscriptionSettings>(args)?;
            settings.filter = filter;
            result_of(&subscriptions.create(id, settings).await?)
        }
        "subscriptions.get" => result_of(&subscriptions.get(id).await?),
        "subscriptions.list" => result_of(&subscriptions.list().await?),
        "subscriptions.rotate_webhook_secret" => result_of(&subscriptions.rotate_webhook_secret(id, None, None).await?),
        "subscriptions.resume_webhook" => result_of(&subscriptions.resume_webhook(id, None).await?),
        "subscriptions.delete" => {
            subscriptions.delete(id).await?;
            Ok(json!({}))
        }
        _ => driver_fault(format!("no call {method}")),
    }
}

async fn of_lifecycle(client: &Client, name: &str, args: &Args) -> Answer {
    let (lifecycle, session) = (client.lifecycle(), text(args, "session"));
    let scope = args.get("scope").map(|_| part::<Scope>(args, "scope")).transpose()?;
    match name {
        "spawn" => {
            let mut rest = args.clone();
            let values = rest.remove("initial_values");
            let mut request: SpawnRequest = of(&rest)?;
            for (key, value) in values.as_ref().and_then(Value::as_object).into_iter().flatten() {
                match given(value)? {
                    Given::Plain(plain) => request = request.value(key, &Plain(&plain))?,
                    Given::Content(content) => drop(request.initial_values.insert(key.clone(), content)),
                }
            }
            result_of(&lifecycle.spawn(request).await?)
        }
        "pause" => result_of(&lifecycle.pause(session, of(args)?).await?),
        "resume" => result_of(&lifecycle.resume(session, of(args)?).await?),
        "terminate" => result_of(&lifecycle.terminate(session, of(args)?).await?),
        "delete" => result_of(&lifecycle.delete(session, of(args)?).await?),
        "get" => result_of(&lifecycle.get(session, scope.as_ref()).await?),
        "list" => {
            let states: Vec<_> = if args.contains_key("states") { part(args, "states")? } else { Vec::new() };
            all_items!(lifecycle.list(scope.as_ref(), &states))
        }
        "list_checkpoints" => all_items!(lifecycle.list_checkpoints(session)),
        "acknowledge_events" => {
            lifecycle.acknowledge_events(text(args, "consumer"), text(args, "event")).await?;
            Ok(json!({}))
        }
        _ => driver_fault(format!("no call lifecycle.{name}")),
    }
}

async fn of_session(session: &WorkingMemory, name: &str, args: &Args) -> Answer {
    let (id, key, if_version) = (text(args, "id"), text(args, "key"), whole(args, "if_version"));
    match name {
        "set" => {
            let options = of(&without(args, "value"))?;
            let set = match given(args.get("value").unwrap_or(&Value::Null))? {
                Given::Plain(plain) => session.set(key, &Plain(&plain), options).await?,
                Given::Content(content) => session.set_content(key, content, options).await?,
            };
            result_of(&set)
        }
        "get" => Ok(session.get(key).await?.as_ref().map_or(Ok(json!({})), result_of)?),
        "batch_get" => result_of(&session.batch_get(texts(args, "keys")?).await?),
        "has" => result_of(&session.has(key).await?),
        "delete" => result_of(&session.delete(key, if_version).await?),
        "list_keys" => all_items!(session.list_keys(text(args, "pattern"))),
        "get_all" => all_items!(session.get_all(text(args, "pattern"), maybe(args, "checkpoint_id"))),
        "clear" => result_of(&session.clear(of(args)?).await?),
        "transact" => {
            let list = expanded_list(args.get("operations"))?;
            let operations = list.iter().map(operation_of).collect::<Answer<Vec<_>>>()?;
            result_of(&session.transact(operations).await?)
        }
        "set_task_state" => result_of(&session.set_task_state(of(args)?, if_version).await?),
        "get_task_state" => Ok(session.get_task_state().await?.as_ref().map_or(Ok(json!({})), result_of)?),
        "update_task_progress" => result_of(&session.update_task_progress(of(args)?, if_version).await?),
        "append_scratchpad" => {
            let list = expanded_list(args.get("notes"))?;
            let notes = list.iter().map(content_of).collect::<Answer<Vec<Content>>>()?;
            result_of(&session.append_scratchpad(notes).await?)
        }
        "list_scratchpad" => {
            let order = args.get("order").map(|_| part(args, "order")).transpose()?;
            all_items!(session.list_scratchpad(order))
        }
        "clear_scratchpad" => result_of(&session.clear_scratchpad().await?),
        "create_checkpoint" => {
            let ttl = millis_of(args.get("ttl_ms"));
            let made = session.create_checkpoint(maybe(args, "checkpoint_id"), maybe(args, "description"), ttl);
            result_of(&made.await?)
        }
        "restore_checkpoint" => {
            let mode = args.get("mode").map(|_| part(args, "mode")).transpose()?;
            result_of(&session.restore_checkpoint(id, mode).await?)
        }
        "list_checkpoints" => {
            let kind = args.get("kind").map(|_| part(args, "kind")).transpose()?;
            all_items!(session.list_checkpoints(kind))
        }
        "get_checkpoint" => result_of(&session.get_checkpoint(id).await?),
        "delete_checkpoint" => {
            session.delete_checkpoint(id).await?;
            Ok(json!({}))
        }
        "keep_checkpoint" => result_of(&session.keep_checkpoint(id, millis_of(args.get("ttl_ms"))).await?),
        "fork_checkpoint" => result_of(&session.fork_checkpoint(id, text(args, "target")).await?),
        "diff_checkpoints" => {
            let (to, other) = (maybe(args, "to_checkpoint_id"), maybe(args, "to_session"));
            result_of(&session.diff_checkpoints(text(args, "from"), to, other).await?)
        }
        "get_statistics" => result_of(&session.get_statistics().await?),
        _ => driver_fault(format!("no call session.{name}")),
    }
}

pub fn without(args: &Args, name: &str) -> Args {
    let mut args = args.clone();
    args.remove(name);
    args
}

fn expanded_list(value: Option<&Value>) -> Answer<Vec<Value>> {
    match value {
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(Value::Object(object)) if object.contains_key("$sequence") => {
            match expanded(Value::Object(object.clone()))? {
                Value::Array(items) => Ok(items),
                other => driver_fault(format!("no list: {other}")),
            }
        }
        Some(one) => Ok(vec![one.clone()]),
        None => Ok(Vec::new()),
    }
}

fn operation_of(value: &Value) -> Answer<ValueOperation> {
    let Value::Object(args) = value else { return driver_fault("no operation") };
    let if_version = whole(args, "if_version");
    if let Some(key) = maybe(args, "set") {
        let options = of(&without(args, "value"))?;
        return Ok(match given(args.get("value").unwrap_or(&Value::Null))? {
            Given::Plain(plain) => ValueOperation::set(key, &Plain(&plain), options)?,
            Given::Content(content) => ValueOperation::set_content(key, content, options),
        });
    }
    if let Some(key) = maybe(args, "remove") {
        return Ok(ValueOperation::remove(key, if_version));
    }
    if let Some(key) = maybe(args, "touch") {
        return Ok(ValueOperation::touch(key, part(args, "expiry")?, if_version));
    }
    Ok(ValueOperation::check(text(args, "check"), if_version.unwrap_or_default()))
}
