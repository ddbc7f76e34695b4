//! Requests and results of the calls of MemoryService.
use crate::answer::{all, answer};
use crate::filter::Filter;
use crate::memory::Memory;
use crate::names::{id_of, ids_of};
use crate::pb;
use crate::time::instant;
use crate::words::{ChangeKind, MemoryOrder, MemoryView, Tier};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

answer! {
    /// The properties of a written memory.
    pub struct WriteReceipt(pb::WriteReceipt as message) {
        /// Resource name.
        pub name: String = message.name.clone(),
        /// Id.
        pub id: String = id_of(&message.name),
        /// Version that it has now.
        pub version: i64 = message.version,
        /// When it was stored.
        pub create_time: Timestamp = instant(message.create_time),
        /// SHA-256 of text and content.
        pub checksum: String = message.checksum,
        /// True when its vector is still to be computed: until then it is found by keywords and filters only.
        pub embedding_pending: bool = message.embedding_pending,
        /// Revision of the change log at which it was written.
        pub revision: i64 = 0,
    }
}

impl WriteReceipt {
    pub(crate) fn at(mut self, revision: i64) -> Self {
        self.revision = revision;
        self
    }
}

/// Of the new memory, and of the superseded one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SupersedeReceipt {
    /// Of the new one.
    #[serde(flatten)]
    pub memory: WriteReceipt,
    /// Of the other one.
    pub superseded: WriteReceipt,
}

/// How a memory is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GetOptions {
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
    /// Counts the read.
    pub touch: bool,
    /// As `touch`, and moves the memory one tier up when it has earned it.
    pub focus: bool,
}

answer! {
    /// Memories in the requested order.
    pub struct MemoryBatch(pb::BatchGetMemoriesResponse as message) {
        /// Memories found.
        pub memories: Vec<Memory> = all(message.memories),
        /// Ids without a memory.
        pub missing_ids: Vec<String> = ids_of(&message.missing),
        /// Ids of memories whose bytes are damaged.
        pub damaged_ids: Vec<String> = ids_of(&message.damaged),
        /// Revision that was read.
        pub revision: i64 = message.revision,
    }
}

/// Which memories are counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CountQuery {
    /// Default: all.
    pub filter: Option<Filter>,
    /// False: only memories that are valid now and not superseded. Default true. Must be absent with `as_of`.
    pub include_invalid: Option<bool>,
    /// Only memories that were valid at this instant, whether or not superseded since.
    pub as_of: Option<Timestamp>,
}

/// Which memories are listed, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListQuery {
    /// Default: all.
    pub filter: Option<Filter>,
    /// Default: newest stored first.
    pub order: Option<MemoryOrder>,
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
    /// Most memories per page, 1 to 1,000. Default 200 of `list`, the server's of `list_page`.
    pub page_size: Option<i32>,
    /// False: only memories that are valid now and not superseded. Default true. Must be absent with `as_of`.
    pub include_invalid: Option<bool>,
    /// Only memories that were valid at this instant, whether or not superseded since.
    pub as_of: Option<Timestamp>,
    /// Of `list_page`: the `next_page_token` of the page before.
    pub page_token: Option<String>,
}

answer! {
    /// How many memories a tier holds.
    pub struct TierCount(pb::TierCount as message) {
        /// The tier.
        pub tier: Tier = Tier::of(message.tier),
        /// How many.
        pub count: i64 = message.count,
    }
}

answer! {
    /// How many memories there are.
    pub struct MemoryCount(pb::CountMemoriesResponse as message) {
        /// Exactly so many.
        pub count: i64 = message.count,
        /// By tier.
        pub tiers: Vec<TierCount> = all(message.tiers),
        /// Revision that was read.
        pub revision: i64 = message.revision,
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ListPage {
    /// In the order asked for.
    pub memories: Vec<Memory>,
    /// Ids of memories of the page whose bytes are damaged.
    pub damaged_ids: Vec<String>,
    /// Empty on the last page. A page may be empty and still have a next one.
    pub next_page_token: String,
    /// Revision that was read.
    pub revision: i64,
}

/// A state that a memory has had.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryRevision {
    /// The former state.
    pub memory: Memory,
    /// The call or job that made the change.
    pub change: ChangeKind,
}

/// Selects memories to erase. Either `filter` or `all`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetRequest {
    /// Memories that match it.
    pub filter: Option<Filter>,
    /// Every memory of the namespace.
    pub all: bool,
    /// Only counts.
    pub dry_run: bool,
}

answer! {
    /// Deleted memories; with a dry run, memories that would be deleted.
    pub struct ForgetResult(pb::ForgetMemoriesResponse as message) {
        /// So many.
        pub forgotten_count: i64 = message.forgotten_count,
        /// By tier.
        pub tiers: Vec<TierCount> = all(message.tiers),
        /// Ids of the first 1,000 of them.
        pub ids: Vec<String> = ids_of(&message.names),
        /// Revision after it.
        pub revision: i64 = message.revision,
    }
}
