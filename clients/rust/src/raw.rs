//! The methods of the API as they are on the wire.
use prost::Message;

/// A request of a method of the API: the type of the message says which method it is.
pub trait Method: Message + Default + Clone + Send + Sync + 'static {
    /// Type of the answer: one message, or each message of a stream.
    type Response: Message + Default + Send + Sync + 'static;
    /// Path of the method, such as `/mneme.v1.MemoryService/StoreMemory`.
    const PATH: &'static str;
}

/// A request with one answer. For fields that the client fills in see [`crate::Client::raw`].
pub trait Unary: Method {
    /// Idempotency key, of writes.
    fn request_id(&mut self) -> Option<&mut String> {
        None
    }
    /// Oldest revision to answer from, of reads.
    fn min_revision(&mut self) -> Option<&mut i64> {
        None
    }
    /// Resource name of what it is about; empty where it names nothing.
    #[allow(clippy::unnecessary_literal_bound)]
    fn resource(&self) -> &str {
        ""
    }
    /// Where to go on, of lists.
    fn page_token(&mut self) -> Option<&mut String> {
        None
    }
    /// Revision of the change log that an answer carries; 0 where it has none.
    fn revision(_answer: &Self::Response) -> i64 {
        0
    }
}
