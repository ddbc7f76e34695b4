//! Changes of a memory.
use super::NewMemory;
use crate::{Result, pb};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Changes of a memory: every field that is set; cleared fields return to their defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryChanges {
    to: NewMemory,
    cleared: BTreeSet<MemoryField>,
}

/// A field that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum MemoryField {
    Scope,
    Type,
    Step,
    EventTime,
    Text,
    Content,
    Tags,
    Embedding,
    Place,
    Importance,
    Priority,
    Source,
    ExpireTime,
    ValidFrom,
    ValidUntil,
    SupersededBy,
}

impl From<NewMemory> for MemoryChanges {
    fn from(to: NewMemory) -> Self {
        Self { to, cleared: BTreeSet::new() }
    }
}

impl MemoryChanges {
    /// Clears a field.
    #[must_use]
    pub fn clear(mut self, field: MemoryField) -> Self {
        self.cleared.insert(field);
        self
    }

    pub(crate) fn message(&self, namespace: &str) -> Result<(pb::Memory, Vec<String>)> {
        let to = &self.to;
        let mut mask: Vec<String> = Vec::new();
        let mut set = |name: &str, is_given: bool| {
            if is_given {
                mask.push(name.into());
            }
        };
        set("type", to.r#type.is_some());
        set("step", to.step.is_some());
        set("event_time", to.event_time.is_some());
        set("text", to.text.is_some());
        set("content", to.content.is_some());
        set("tags", to.tags.is_some());
        set("embedding", to.embedding.is_some());
        set("place", to.place.is_some());
        set("importance", to.importance.is_some());
        set("priority", to.priority.is_some());
        set("source", to.source.is_some());
        set("expire_time", to.expire_time.is_some());
        set("valid_from", to.valid_from.is_some());
        set("valid_until", to.valid_until.is_some());
        set("superseded_by", to.superseded_by.is_some());
        if let Some(scope) = &to.scope {
            set("scope.project", scope.project.is_some());
            set("scope.agent_type", scope.agent_type.is_some());
            set("scope.agent", scope.agent.is_some());
            set("scope.session", scope.session.is_some());
        }
        for field in &self.cleared {
            if *field == MemoryField::Scope {
                mask.extend(["project", "agent_type", "agent", "session"].map(|part| format!("scope.{part}")));
            } else if let Ok(serde_json::Value::String(name)) = serde_json::to_value(field) {
                mask.push(name);
            }
        }
        Ok((to.message(namespace)?, mask))
    }
}
