//! The calls of MemoryService.
use crate::answer::{all, answer, required};
use crate::client::{Items, Page};
use crate::filter::{Filter, filter_fields};
use crate::memory::{Memory, MemoryChanges, NewMemory};
use crate::names::{id_of, ids_of};
use crate::time::{instant, stamp};
use crate::words::{ChangeKind, MemoryOrder, MemoryView, Tier, view_code};
use crate::{CallOptions, Client, Result, pb};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

answer! {
    /// A tier that could not take new memories, and where they are instead.
    pub struct WriteDegradation(pb::WriteDegradation as message) {
        /// Such as `short_term`.
        pub part: String = message.part,
        /// Why.
        pub reason: String = message.reason,
        /// Where they are.
        pub stored_in: Tier = Tier::of(message.stored_in),
    }
}

answer! {
    /// What a write tells of the memory that it wrote.
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
        /// Empty when it was stored as usual.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub degraded: Vec<WriteDegradation> = Vec::new(),
    }
}

impl WriteReceipt {
    pub(crate) fn at(mut self, revision: i64, degraded: Vec<pb::WriteDegradation>) -> Self {
        self.revision = revision;
        self.degraded = all(degraded);
        self
    }
}

/// Of the new memory, and of the one that it takes the place of.
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
#[serde(default)]
pub struct GetOptions {
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
    /// Counts the read.
    pub touch: bool,
    /// As `touch`, and moves the memory one tier up when it has earned it.
    pub focus: bool,
}

answer! {
    /// Memories in the order asked for.
    pub struct MemoryBatch(pb::BatchGetMemoriesResponse as message) {
        /// Those that are there.
        pub memories: Vec<Memory> = all(message.memories),
        /// Ids that lead to none.
        pub missing_ids: Vec<String> = ids_of(&message.missing),
        /// Ids of memories whose bytes are damaged.
        pub damaged_ids: Vec<String> = ids_of(&message.damaged),
        /// Revision that was read.
        pub revision: i64 = message.revision,
    }
}

/// Which memories are counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountQuery {
    /// Default: all.
    pub filter: Option<Filter>,
    /// False: only those that are valid now and not superseded. Default true. Not beside `as_of`.
    pub include_invalid: Option<bool>,
    /// Only those that were valid at this instant, whether or not they are superseded since.
    pub as_of: Option<Timestamp>,
}

/// Which memories are listed, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListQuery {
    /// Default: all.
    pub filter: Option<Filter>,
    /// Default: newest stored first.
    pub order: Option<MemoryOrder>,
    /// Default [`MemoryView::Basic`].
    pub view: Option<MemoryView>,
    /// Most memories per page, 1 to 1,000. Default 200 of `list`, the server's of `list_page`.
    pub page_size: Option<i32>,
    /// False: only those that are valid now and not superseded. Default true. Not beside `as_of`.
    pub include_invalid: Option<bool>,
    /// Only those that were valid at this instant, whether or not they are superseded since.
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
    /// As it was.
    pub memory: Memory,
    /// What made it so.
    pub change: ChangeKind,
}

/// Which memories are erased. Either `filter` or `all`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ForgetRequest {
    /// Those that it admits.
    pub filter: Option<Filter>,
    /// Every memory of the namespace.
    pub all: bool,
    /// Only counts.
    pub dry_run: bool,
}

answer! {
    /// What was erased, or would be.
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

const PAGE_SIZE: i32 = 200;
const REVISIONS_PAGE_SIZE: i32 = 100;

/// Memories, named by their id in the client's namespace or by their full resource name.
impl Client {
    /// Stores one memory durably. `AlreadyExists` when it has the id of another.
    pub async fn store(&self, memory: impl Into<NewMemory>) -> Result<WriteReceipt> {
        let request = self.store_request(&memory.into(), self.caller.parent())?;
        let answer = self.caller.unary(request).await?;
        let receipt: WriteReceipt = required(answer.memory, "receipt")?;
        Ok(receipt.at(answer.revision, answer.degraded))
    }

    fn store_request(&self, memory: &NewMemory, parent: String) -> Result<pb::StoreMemoryRequest> {
        let message = memory.message(&self.caller.namespace)?;
        let memory_id = memory.id.clone().unwrap_or_default();
        Ok(pb::StoreMemoryRequest { parent, memory: Some(message), memory_id, request_id: String::new() })
    }

    /// Stores up to 1,000 memories: all of them or none.
    pub async fn batch_store(&self, memories: &[NewMemory]) -> Result<Vec<WriteReceipt>> {
        let requests: Result<_> = memories.iter().map(|memory| self.store_request(memory, String::new())).collect();
        let request = pb::BatchStoreMemoriesRequest {
            parent: self.caller.parent(),
            requests: requests?,
            request_id: String::new(),
        };
        let answer = self.caller.unary(request).await?;
        let receipts = answer.memories.into_iter().map(WriteReceipt::from);
        Ok(receipts.map(|receipt| receipt.at(answer.revision, answer.degraded.clone())).collect())
    }

    /// Reads one memory. Changes nothing unless `touch` or `focus` is set.
    pub async fn get(&self, id: &str, options: GetOptions) -> Result<Memory> {
        let GetOptions { view, touch, focus } = options;
        let name = self.caller.memory_name(id);
        let request = pb::GetMemoryRequest { name, view: view_code(view), touch, focus, min_revision: 0 };
        required(self.caller.unary(request).await?.memory, "memory")
    }

    /// Reads up to 1,000 memories in the order asked for.
    pub async fn batch_get<I: AsRef<str>>(&self, ids: &[I], view: Option<MemoryView>) -> Result<MemoryBatch> {
        let names = ids.iter().map(|id| self.caller.memory_name(id.as_ref())).collect();
        let parent = self.caller.parent();
        let request = pb::BatchGetMemoriesRequest { parent, names, view: view_code(view), min_revision: 0 };
        Ok(self.caller.unary(request).await?.into())
    }

    /// Changes what is given and keeps the former state. `Aborted` when `if_version` is not its version.
    pub async fn update(
        &self,
        id: &str,
        changes: impl Into<MemoryChanges>,
        if_version: Option<i64>,
    ) -> Result<WriteReceipt> {
        let (memory, paths) = changes.into().message(&self.caller.namespace)?;
        let request = pb::UpdateMemoryRequest {
            memory: Some(pb::Memory { name: self.caller.memory_name(id), ..memory }),
            update_mask: Some(prost_types::FieldMask { paths }),
            request_id: String::new(),
            if_version,
        };
        let answer = self.caller.unary(request).await?;
        let receipt: WriteReceipt = required(answer.memory, "receipt")?;
        Ok(receipt.at(answer.revision, Vec::new()))
    }

    /// Stores a memory that takes the place of another one, whose validity ends in the same transaction. Scope, type and
    /// source are those of the other one where nothing is said. `FailedPrecondition` when it is superseded already.
    pub async fn supersede(
        &self,
        id: &str,
        memory: impl Into<NewMemory>,
        if_version: Option<i64>,
    ) -> Result<SupersedeReceipt> {
        let memory = memory.into();
        let request = pb::SupersedeMemoryRequest {
            name: self.caller.memory_name(id),
            memory: Some(memory.message(&self.caller.namespace)?),
            memory_id: memory.id.unwrap_or_default(),
            if_version,
            request_id: String::new(),
        };
        let answer = self.caller.unary(request).await?;
        let stored: WriteReceipt = required(answer.memory, "receipt")?;
        let superseded: WriteReceipt = required(answer.superseded, "receipt")?;
        Ok(SupersedeReceipt {
            memory: stored.at(answer.revision, Vec::new()),
            superseded: superseded.at(answer.revision, Vec::new()),
        })
    }

    /// Sets how much a memory matters, 0 to 1. `Aborted` when `if_version` is not its version.
    pub async fn set_importance(&self, id: &str, importance: f64, if_version: Option<i64>) -> Result<WriteReceipt> {
        let name = self.caller.memory_name(id);
        let request = pb::SetMemoryImportanceRequest { name, importance, if_version, request_id: String::new() };
        let answer = self.caller.unary(request).await?;
        let receipt: WriteReceipt = required(answer.memory, "receipt")?;
        Ok(receipt.at(answer.revision, Vec::new()))
    }

    /// Erases one memory with its revisions, and gives the revision of it. `NotFound` when it is not there, unless
    /// `allow_missing`.
    pub async fn delete(&self, id: &str, if_version: Option<i64>, allow_missing: bool) -> Result<i64> {
        let name = self.caller.memory_name(id);
        let request = pb::DeleteMemoryRequest { name, if_version, allow_missing, request_id: String::new() };
        Ok(self.caller.unary(request).await?.revision)
    }

    /// Erases every memory that the filter admits. Cut off, it has erased some of them; repeat it for the rest.
    pub async fn forget(&self, query: ForgetRequest) -> Result<ForgetResult> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let ForgetRequest { all, dry_run, .. } = query;
        let parent = self.caller.parent();
        let request =
            pb::ForgetMemoriesRequest { parent, filter, filter_text, all, dry_run, request_id: String::new() };
        Ok(self.caller.unary(request).await?.into())
    }

    /// How many memories `list` would give, exactly.
    pub async fn count(&self, query: CountQuery) -> Result<MemoryCount> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        let request = pb::CountMemoriesRequest {
            parent: self.caller.parent(),
            filter,
            filter_text,
            include_invalid: query.include_invalid,
            as_of: query.as_of.map(stamp),
            min_revision: 0,
        };
        Ok(self.caller.unary(request).await?.into())
    }

    fn list_request(&self, query: &ListQuery, page_size: i32) -> Result<pb::ListMemoriesRequest> {
        let (filter, filter_text) = filter_fields(query.filter.as_ref())?;
        Ok(pb::ListMemoriesRequest {
            parent: self.caller.parent(),
            filter,
            filter_text,
            order: query.order.unwrap_or(MemoryOrder::CreateTimeDesc).code(),
            page_size: query.page_size.unwrap_or(page_size),
            page_token: String::new(),
            view: view_code(query.view),
            min_revision: 0,
            include_invalid: query.include_invalid,
            as_of: query.as_of.map(stamp),
        })
    }

    /// All memories of the query, page by page as they are asked for. Fails with `DataLoss` after all the others where some
    /// cannot be read.
    pub fn list(&self, query: &ListQuery) -> Items<Memory> {
        self.caller.pages("memories", self.list_request(query, PAGE_SIZE), |answer| {
            Ok(Page {
                items: all(answer.memories),
                damaged_ids: ids_of(&answer.damaged),
                next_page_token: answer.next_page_token,
            })
        })
    }

    /// One page, to be followed by the one of its `next_page_token` with the same query.
    pub async fn list_page(&self, query: &ListQuery) -> Result<ListPage> {
        let mut request = self.list_request(query, 0)?;
        // Page tokens of this client carry the revision that the first page asked for in front of the server's token.
        let token = query.page_token.clone().unwrap_or_default();
        let of_client = token.split_once(':').and_then(|(at, rest)| Some((at.parse::<i64>().ok()?, rest)));
        let of_client = of_client.filter(|(_, rest)| !rest.is_empty());
        let (min_revision, token) =
            of_client.unwrap_or_else(|| (self.caller.connection.min_revision(&self.caller.options), &token));
        request.page_token = token.into();
        let options = CallOptions { min_revision: Some(min_revision), ..(*self.caller.options).clone() };
        let answer = self.caller.unary_with(request, &options).await?;
        let next = answer.next_page_token;
        Ok(ListPage {
            memories: all(answer.memories),
            damaged_ids: ids_of(&answer.damaged),
            next_page_token: if next.is_empty() { next } else { format!("{min_revision}:{next}") },
            revision: answer.revision,
        })
    }

    /// States that a memory has had, newest first. Fails with `DataLoss` after the others where some cannot be read.
    pub fn list_revisions(&self, id: &str) -> Items<MemoryRevision> {
        let name = self.caller.memory_name(id);
        let id = id.to_owned();
        let request =
            pb::ListMemoryRevisionsRequest { name, page_size: REVISIONS_PAGE_SIZE, page_token: String::new() };
        self.caller.pages("former states", Ok(request), move |answer| {
            let items = answer.revisions.into_iter().map(|revision| {
                let memory = required(revision.memory, "memory")?;
                Ok(MemoryRevision { memory, change: ChangeKind::of(revision.change) })
            });
            Ok(Page {
                items: items.collect::<Result<_>>()?,
                damaged_ids: (0..answer.damaged_count).map(|_| id.clone()).collect(),
                next_page_token: answer.next_page_token,
            })
        })
    }
}
