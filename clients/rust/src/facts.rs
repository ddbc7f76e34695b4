//! Facts, with their history on two time axes.
use crate::answer::{all, given, required};
use crate::client::{Caller, Items, Page};
use crate::memory::{Scope, scope_message};
use crate::names::id_of;
use crate::time::stamp;
use crate::{Client, Result, pb};

mod types;

pub use types::*;

const PAGE_SIZE: i32 = 200;

/// KnowledgeService: asserts facts and reads current and former facts and their times. A fact is named by the id or the
/// resource name of the memory that states it.
///
/// Facts with the same scope, subject and attribute form one timeline. A new value of an attribute that has one value at a time
/// supersedes the one before, which is kept.
#[derive(Debug, Clone)]
pub struct Facts {
    caller: Caller,
}

impl Client {
    /// Facts: current and former facts and their times.
    pub fn facts(&self) -> Facts {
        Facts { caller: self.caller.clone() }
    }
}

impl Facts {
    /// Asserts that an attribute of a subject has a value, or with [`AssertOptions::retracts`] no longer has it, and resolves when
    /// that is durable.
    pub async fn assert_fact(&self, fact: NewFact, options: AssertOptions) -> Result<AssertResult> {
        let request = pb::AssertFactRequest {
            parent: self.caller.parent(),
            fact: Some(fact.message()),
            replaces: options.replaces,
            retracts: options.retracts,
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Reads a fact. `NotFound` when it is not there, also when the memory is not a fact.
    pub async fn get(&self, id: &str) -> Result<Fact> {
        let request = pb::GetFactRequest { name: self.caller.memory_name(id) };
        required(self.caller.unary(request).await?.fact, "fact")
    }

    /// Facts of the query, the newest record first, page by page as they are asked for.
    pub fn list(&self, query: &FactQuery) -> Items<Fact> {
        let request = pb::ListFactsRequest {
            parent: self.caller.parent(),
            scope: scope_message(query.scope.as_ref()),
            subject: query.subject.clone().unwrap_or_default(),
            attribute: query.attribute.clone().unwrap_or_default(),
            as_of: query.as_of.map(stamp),
            as_of_recorded: query.as_of_recorded.map(stamp),
            include_superseded: query.include_superseded,
            page_size: query.page_size.unwrap_or(PAGE_SIZE),
            page_token: String::new(),
        };
        self.caller.pages("facts", Ok(request), |answer| {
            Ok(Page { items: all(answer.facts), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Every fact that one attribute of one subject had in exactly this scope; without one, of the whole namespace.
    pub async fn list_history(&self, subject: &str, attribute: &str, scope: Option<&Scope>) -> Result<AttributeFacts> {
        let request = pb::ListFactHistoryRequest {
            parent: self.caller.parent(),
            scope: scope_message(scope),
            subject: subject.into(),
            attribute: attribute.into(),
        };
        let answer = self.caller.unary(request).await?;
        Ok(AttributeFacts {
            facts: answer.facts.into_iter().map(TryInto::try_into).collect::<Result<_>>()?,
            forgotten_count: answer.forgotten_count,
            single_valued: answer.single_valued,
        })
    }

    /// Makes a superseded or retracted fact hold again, and takes back the fact that superseded it, unless the attribute has
    /// several values at a time. `FailedPrecondition` when it is not superseded.
    pub async fn undo_supersession(&self, id: &str) -> Result<UndoResult> {
        let request = pb::UndoSupersessionRequest { name: self.caller.memory_name(id), request_id: String::new() };
        let answer = self.caller.unary(request).await?;
        Ok(UndoResult {
            fact: required(answer.fact, "fact")?,
            withdrawn_id: given(id_of(&answer.withdrawn)),
            revision: answer.revision,
        })
    }

    /// Erases facts with their history. Only `assert_fact` brings their values back. A call that was cut off has erased some of
    /// them; repeating it erases the rest.
    pub async fn forget(&self, query: ForgetFactsQuery) -> Result<ForgottenFacts> {
        let request = pb::ForgetFactsRequest {
            parent: self.caller.parent(),
            names: query.ids.iter().map(|id| self.caller.memory_name(id)).collect(),
            scope: scope_message(query.scope.as_ref()),
            subject: query.subject.unwrap_or_default(),
            attribute: query.attribute.unwrap_or_default(),
            value: query.value.unwrap_or_default(),
            dry_run: query.dry_run,
            request_id: String::new(),
        };
        Ok(self.caller.unary(request).await?.into())
    }
}
