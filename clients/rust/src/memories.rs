//! The calls of MemoryService.
use crate::answer::{all, required};
use crate::client::{Items, Page};
use crate::filter::filter_fields;
use crate::memory::{Memory, MemoryChanges, NewMemory};
use crate::names::ids_of;
use crate::time::stamp;
use crate::words::{ChangeKind, MemoryOrder, MemoryView, view_code};
use crate::{CallOptions, Client, Error, Result, pb};

mod types;

pub use types::*;

const PAGE_SIZE: i32 = 200;
const REVISIONS_PAGE_SIZE: i32 = 100;

/// Memories, named by their id in the client's namespace or by their full resource name.
impl Client {
    /// Stores one memory, or a text as one, durably. `AlreadyExists` when it has the id of another.
    ///
    /// ```no_run
    /// # use mneme_client::{Client, NewMemory};
    /// # async fn example(client: Client) -> mneme_client::Result<()> {
    /// client.store("I play the cello.").await?;
    /// client.store(NewMemory::text("I play the cello.").speaker("Ann").session("monday").tags(["music"])).await?;
    /// # Ok(()) }
    /// ```
    pub async fn store(&self, memory: impl Into<NewMemory>) -> Result<WriteReceipt> {
        let request = self.store_request(&memory.into(), self.caller.parent())?;
        let answer = self.caller.unary(request).await?;
        let receipt: WriteReceipt = required(answer.memory, "receipt")?;
        Ok(receipt.at(answer.revision))
    }

    fn store_request(&self, memory: &NewMemory, parent: String) -> Result<pb::StoreMemoryRequest> {
        let message = memory.message(&self.caller.namespace)?;
        let memory_id = memory.id.clone().unwrap_or_default();
        Ok(pb::StoreMemoryRequest { parent, memory: Some(message), memory_id, request_id: String::new() })
    }

    /// Stores up to 1,000 memories, or texts as memories: all of them or none.
    pub async fn batch_store<M: Into<NewMemory>>(
        &self,
        memories: impl IntoIterator<Item = M>,
    ) -> Result<Vec<WriteReceipt>> {
        let requests = memories.into_iter().map(|memory| self.store_request(&memory.into(), String::new()));
        let requests: Vec<_> = requests.collect::<Result<_>>()?;
        let count = requests.len();
        let request =
            pb::BatchStoreMemoriesRequest { parent: self.caller.parent(), requests, request_id: String::new() };
        let answer = self.caller.unary(request).await?;
        if answer.memories.len() != count {
            return Err(Error::incomplete("receipt for some of the memories"));
        }
        let receipts = answer.memories.into_iter().map(WriteReceipt::from);
        Ok(receipts.map(|receipt| receipt.at(answer.revision)).collect())
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

    /// Changes the fields that are set and keeps the former state. `Aborted` when `if_version` is not its version.
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
        Ok(receipt.at(answer.revision))
    }

    /// Stores a memory that replaces another one, whose validity ends in the same transaction. Scope, type and source
    /// default to the fields of the replaced memory. `FailedPrecondition` when it is superseded already.
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
        Ok(SupersedeReceipt { memory: stored.at(answer.revision), superseded: superseded.at(answer.revision) })
    }

    /// Sets how much a memory matters, 0 to 1. `Aborted` when `if_version` is not its version.
    pub async fn set_importance(&self, id: &str, importance: f64, if_version: Option<i64>) -> Result<WriteReceipt> {
        let name = self.caller.memory_name(id);
        let request = pb::SetMemoryImportanceRequest { name, importance, if_version, request_id: String::new() };
        let answer = self.caller.unary(request).await?;
        let receipt: WriteReceipt = required(answer.memory, "receipt")?;
        Ok(receipt.at(answer.revision))
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
