//! Namespaces, and the policies of their scopes.
use crate::answer::{all, answer, required};
use crate::client::{Caller, Items, Page};
use crate::memory::Scope;
use crate::names::{namespace_name, namespace_of};
use crate::statistics::{AgentStatistics, NamespaceStatistics, named};
use crate::time::{instant, maybe_instant};
use crate::{Client, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

answer! {
    /// A namespace.
    pub struct Namespace(pb::Namespace as message) {
        /// Resource name, `namespaces/{id}`.
        pub name: String = message.name.clone(),
        /// Id.
        pub id: String = namespace_of(&message.name),
        /// Its purpose.
        pub description: String = message.description,
        /// When it was made.
        pub create_time: Timestamp = instant(message.create_time),
        /// When it was changed last.
        pub update_time: Timestamp = instant(message.update_time),
        /// Model of its vectors; empty until the first vector fixes it.
        pub embedding_model: String = message.embedding_model,
        /// Dimension of its vectors; 0 until the first vector fixes it.
        pub embedding_dimension: u32 = message.embedding_dimension,
        /// Most memories it may hold; 0 for no limit.
        pub memory_limit: i64 = message.memory_limit,
        /// Its own settings of tiers, by dotted key.
        pub settings: BTreeMap<String, String> = message.settings.into_iter().collect(),
        /// Version for changes on condition.
        pub version: i64 = message.version,
    }
}

/// The settings of a namespace. Absent fields stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NamespaceSettings {
    /// Its purpose.
    pub description: Option<String>,
    /// Most memories it may hold; 0 for no limit.
    pub memory_limit: Option<i64>,
    /// Settings of its tiers by dotted key, such as `short_term.ttl`; `None` removes one. Other settings stay.
    pub settings: Option<Settings>,
}

/// Settings by dotted key; `None` removes one.
pub type Settings = BTreeMap<String, Option<String>>;

pub(crate) fn settings_message(settings: Settings) -> HashMap<String, String> {
    settings.into_iter().map(|(key, value)| (key, value.unwrap_or_default())).collect()
}

impl NamespaceSettings {
    fn message(self, namespace: &str) -> pb::Namespace {
        pb::Namespace {
            name: namespace_name(namespace),
            description: self.description.unwrap_or_default(),
            memory_limit: self.memory_limit.unwrap_or_default(),
            settings: settings_message(self.settings.unwrap_or_default()),
            ..pb::Namespace::default()
        }
    }
}

answer! {
    /// A scope that memories have.
    pub struct ScopeCount(pb::ScopeCount as message) {
        /// The scope.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// How many memories have exactly this scope.
        pub memory_count: i64 = message.memory_count,
    }
}

answer! {
    /// Result of deleting a namespace.
    pub struct DeletedNamespace(pb::DeleteNamespaceResponse as message) {
        /// Memories that were erased with it.
        pub forgotten_count: i64 = message.forgotten_count,
        /// Revision after it.
        pub revision: i64 = message.revision,
    }
}

/// NamespaceService. Namespaces are named by id or resource name; where one is left out it is the client's own.
#[derive(Debug, Clone)]
pub struct Namespaces {
    caller: Caller,
}

impl Client {
    /// Namespaces.
    pub fn namespaces(&self) -> Namespaces {
        Namespaces { caller: self.caller.clone() }
    }

    /// Policies of scopes.
    pub fn scopes(&self) -> Scopes {
        Scopes { caller: self.caller.clone() }
    }
}

impl Namespaces {
    fn name(&self, namespace: Option<&str>) -> String {
        namespace_name(namespace.unwrap_or(&self.caller.namespace))
    }

    /// Makes a namespace. `AlreadyExists` when it is there.
    pub async fn create(&self, namespace: &str, settings: NamespaceSettings) -> Result<Namespace> {
        let namespace = Some(settings.message(namespace));
        let request = pb::CreateNamespaceRequest { namespace, request_id: String::new() };
        required(self.caller.unary(request).await?.namespace, "namespace")
    }

    /// Reads a namespace.
    pub async fn get(&self, namespace: Option<&str>) -> Result<Namespace> {
        let request = pb::GetNamespaceRequest { name: self.name(namespace) };
        required(self.caller.unary(request).await?.namespace, "namespace")
    }

    /// All namespaces by name.
    pub fn list(&self) -> Items<Namespace> {
        let request = pb::ListNamespacesRequest::default();
        self.caller.pages("namespaces", Ok(request), |answer| {
            Ok(Page { items: all(answer.namespaces), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Changes the fields that are set. `Aborted` when `if_version` is not its version. A limit below what it holds is
    /// refused unless `allow_demotion`: then memories above them are moved down.
    pub async fn update(
        &self,
        namespace: &str,
        settings: NamespaceSettings,
        if_version: Option<i64>,
        allow_demotion: bool,
    ) -> Result<Namespace> {
        let given = [
            ("description", settings.description.is_some()),
            ("memory_limit", settings.memory_limit.is_some()),
            ("settings", settings.settings.is_some()),
        ];
        let paths = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| (*name).to_owned()).collect();
        let request = pb::UpdateNamespaceRequest {
            namespace: Some(settings.message(namespace)),
            update_mask: Some(prost_types::FieldMask { paths }),
            request_id: String::new(),
            allow_demotion,
            if_version,
        };
        required(self.caller.unary(request).await?.namespace, "namespace")
    }

    /// Deletes a namespace. `FailedPrecondition` when it holds memories, unless `force`, which erases them too.
    pub async fn delete(&self, namespace: &str, force: bool) -> Result<DeletedNamespace> {
        let name = namespace_name(namespace);
        Ok(self.caller.unary(pb::DeleteNamespaceRequest { name, force, request_id: String::new() }).await?.into())
    }

    /// The scopes that memories of a namespace have.
    pub fn list_scopes(&self, namespace: Option<&str>) -> Items<ScopeCount> {
        let request = pb::ListScopesRequest { parent: self.name(namespace), ..pb::ListScopesRequest::default() };
        self.caller.pages("scopes", Ok(request), |answer| {
            Ok(Page { items: all(answer.scopes), damaged_ids: vec![], next_page_token: answer.next_page_token })
        })
    }

    /// Totals of a namespace; `simplified` leaves out types and accesses.
    pub async fn get_statistics(&self, namespace: Option<&str>, simplified: bool) -> Result<NamespaceStatistics> {
        let name = self.name(namespace);
        let request = pb::GetNamespaceStatisticsRequest { name, simplified, agent: String::new() };
        let answer = self.caller.unary(request).await?;
        Ok(NamespaceStatistics {
            statistics: required(answer.statistics, "statistics")?,
            last_maintenance_time: maybe_instant(answer.last_maintenance_time),
        })
    }

    /// Totals of one agent in a namespace.
    pub async fn get_agent_statistics(
        &self,
        agent: &str,
        namespace: Option<&str>,
        simplified: bool,
    ) -> Result<AgentStatistics> {
        let (name, agent) = (self.name(namespace), named(agent)?);
        let request = pb::GetNamespaceStatisticsRequest { name, simplified, agent };
        required(self.caller.unary(request).await?.agent_statistics, "statistics of the agent")
    }
}

/// Rules for the memories of a scope and of all its descendants. Default: everything is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScopePolicy {
    /// Recalls from other scopes do not see its memories.
    pub is_private: bool,
    /// Its memories cannot be stored, changed or deleted.
    pub read_only: bool,
    /// Recalls from within do not see memories of its ancestors.
    pub isolated: bool,
}

answer! {
    /// A policy, and the scope that it is of.
    pub struct PolicyOfScope(pb::ScopePolicy as message) {
        /// The scope.
        pub scope: Scope = message.scope.map(Into::into).unwrap_or_default(),
        /// Recalls from other scopes do not see its memories.
        pub is_private: bool = message.is_private,
        /// Its memories cannot be stored, changed or deleted.
        pub read_only: bool = message.read_only,
        /// Recalls from within do not see memories of its ancestors.
        pub isolated: bool = message.isolated,
    }
}

/// ScopeService: policies of scopes.
#[derive(Debug, Clone)]
pub struct Scopes {
    caller: Caller,
}

impl Scopes {
    /// Sets the policy of a scope; a policy that allows everything removes it.
    pub async fn set_policy(&self, scope: &Scope, policy: ScopePolicy) -> Result<()> {
        let ScopePolicy { is_private, read_only, isolated } = policy;
        let policy = pb::ScopePolicy { scope: Some(scope.message()), is_private, read_only, isolated };
        let parent = self.caller.parent();
        let request = pb::SetScopePolicyRequest { parent, policy: Some(policy), request_id: String::new() };
        self.caller.unary(request).await.map(drop)
    }

    /// All policies of the namespace.
    pub async fn list_policies(&self) -> Result<Vec<PolicyOfScope>> {
        let request = pb::ListScopePoliciesRequest { parent: self.caller.parent() };
        Ok(all(self.caller.unary(request).await?.policies))
    }
}
