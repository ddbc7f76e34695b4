//! Calls about conversations and facts.
use crate::calls::{all_items, flag, maybe, part, text, whole, without};
use crate::values::{Answer, Args, content_of, driver_fault, expanded, of, result_of};
use futures_util::TryStreamExt;
use mneme_client::{AssertOptions, Client, ConversationMessage, MessageBlock, Scope, SuffixQuery};
use serde_json::{Value, json};

pub async fn of_conversations(client: &Client, name: &str, args: &Args) -> Answer {
    let (conversations, id, other) = (client.conversations(), text(args, "conversation"), maybe(args, "conversation"));
    match name {
        "append" => {
            let options = of(&without(args, "messages"))?;
            result_of(&conversations.append(id, messages_of(args)?, options).await?)
        }
        "list" => all_items!(conversations.list(id, &of(args)?)),
        "pop" => result_of(&conversations.pop(id, whole(args, "expected_sequence")).await?),
        "replace_suffix" => {
            let query = SuffixQuery { messages: messages_of(args)?, ..of(&without(args, "messages"))? };
            result_of(&conversations.replace_suffix(id, query).await?)
        }
        "clear" => result_of(&conversations.clear(id).await?),
        "flush" => result_of(&conversations.flush(other).await?),
        "get_extraction_status" => result_of(&conversations.get_extraction_status(other).await?),
        "retry_extraction" => Ok(json!({ "retried_count": conversations.retry_extraction(other).await? })),
        _ => driver_fault(format!("no call conversations.{name}")),
    }
}

pub async fn of_facts(client: &Client, name: &str, args: &Args) -> Answer {
    let (facts, id) = (client.facts(), text(args, "id"));
    match name {
        "assert_fact" => {
            let options = AssertOptions { replaces: flag(args, "replaces"), retracts: flag(args, "retracts") };
            result_of(&facts.assert_fact(part(args, "fact")?, options).await?)
        }
        "get" => result_of(&facts.get(id).await?),
        "list" => all_items!(facts.list(&of(args)?)),
        "list_history" => {
            let scope = args.get("scope").map(|_| part::<Scope>(args, "scope")).transpose()?;
            let history = facts.list_history(text(args, "subject"), text(args, "attribute"), scope.as_ref());
            result_of(&history.await?)
        }
        "undo_supersession" => result_of(&facts.undo_supersession(id).await?),
        "forget" => result_of(&facts.forget(of(args)?).await?),
        _ => driver_fault(format!("no call facts.{name}")),
    }
}

pub async fn of_procedures(client: &Client, method: &str, args: &Args) -> Answer {
    let procedures = client.procedures();
    match method {
        "episodes.record" => result_of(&client.episodes().record(of(args)?).await?),
        "episodes.reflect" => result_of(&client.episodes().reflect(of(args)?).await?),
        "procedures.record" => result_of(&procedures.record(part(args, "procedure")?).await?),
        "procedures.find" => result_of(&procedures.find(text(args, "situation"), of(args)?).await?),
        "procedures.record_outcome" => {
            let (outcome, note) = (part(args, "outcome")?, maybe(args, "note"));
            result_of(&procedures.record_outcome(text(args, "id"), outcome, note).await?)
        }
        _ => driver_fault(format!("no call {method}")),
    }
}

pub async fn of_consolidation(client: &Client, name: &str, args: &Args) -> Answer {
    let consolidation = client.consolidation();
    match name {
        "run" => result_of(&consolidation.run(of(args)?).await?),
        "undo" => result_of(&consolidation.undo(text(args, "report_id")).await?),
        _ => driver_fault(format!("no call consolidation.{name}")),
    }
}

fn messages_of(args: &Args) -> Answer<Vec<ConversationMessage>> {
    let messages = expanded(args.get("messages").cloned().unwrap_or_default())?;
    messages.as_array().into_iter().flatten().filter_map(Value::as_object).map(message_of).collect()
}

fn message_of(args: &Args) -> Answer<ConversationMessage> {
    let mut message: ConversationMessage = of(&without(args, "blocks"))?;
    let blocks = args.get("blocks").and_then(Value::as_array);
    for block in blocks.into_iter().flatten() {
        message.blocks.push(match block.get("data") {
            Some(data) => MessageBlock::Data(content_of(data)?),
            None => serde_json::from_value(block.clone())?,
        });
    }
    Ok(message)
}
