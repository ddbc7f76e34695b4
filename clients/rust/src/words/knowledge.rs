//! Words of conversations, facts and contexts.
use crate::pb;
use serde::{Deserialize, Serialize};

words! {
    /// Author of a message.
    MessageRole = pb::MessageRole, else User {
        /// Instructions of the application.
        System = System,
        /// The user.
        User = User,
        /// The agent, or the model that speaks for it.
        Assistant = Assistant,
        /// A tool that answers a call of the agent.
        Tool = Tool,
    }
}

words! {
    /// State of the extraction of a conversation.
    ExtractionState = pb::ExtractionState, else Other {
        /// Everything is extracted.
        Idle = Idle,
        /// Messages wait for a trigger or for their turn.
        Pending = Pending,
        /// Messages are being extracted.
        Extracting = Extracting,
        /// The last attempt failed; another one follows.
        Retrying = Retrying,
        /// Extraction has failed for good.
        Failed = Failed,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Effect of an assertion.
    AssertOutcome = pb::AssertOutcome, else Other {
        /// A new fact was stored.
        Created = Created,
        /// A fact that was known was repeated.
        Reinforced = Reinforced,
        /// A fact was ended.
        Retracted = Retracted,
        /// Nothing changed.
        Ignored = Ignored,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// How a task went.
    TaskOutcome = pb::TaskOutcome, else Success {
        /// It succeeded.
        Success = Success,
        /// It failed.
        Failure = Failure,
        /// It succeeded in part.
        Partial = Partial,
    }
}

words! {
    /// Kind of a memory that consolidation made.
    ConsolidatedKind = pb::ConsolidatedKind, else Other {
        /// Several notes that say the same.
        Merge = Merge,
        /// An episode of a conversation.
        Episode = Episode,
        /// A kind that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Trust in the source of a memory, from the least to the most.
    TrustLevel = pb::TrustLevel, else Untrusted {
        /// The source is not known.
        Untrusted = Untrusted,
        /// Output of a tool.
        Tool = Tool,
        /// A turn of the assistant.
        Assistant = Assistant,
        /// A turn of the user.
        User = User,
        /// Asserted through the API.
        Explicit = Explicit,
    }
}

words! {
    /// Kind of an entry of a context.
    ContextKind = pb::ContextKind, else Other {
        /// Working memory of the session.
        Working = Working,
        /// Memories of the type `fact`.
        Fact = Fact,
        /// Memories of the type `procedure`.
        Procedure = Procedure,
        /// Memories of the type `episode`.
        Episode = Episode,
        /// Messages and interactions, word for word.
        Message = Message,
        /// Memories of any other type.
        Other = Other,
    }
}

words! {
    /// Format of a context.
    ContextFormat = pb::ContextFormat, else Xml {
        /// `<memory source="mneme">` with one `<entry>` for each memory.
        Xml = Xml,
        /// A heading, and a list item with a block quote for each memory.
        Markdown = Markdown,
        /// JSON array of one chat message; its content has one JSON object a line for each memory.
        JsonMessages = JsonMessages,
    }
}

words! {
    /// Why a memory did not go into a context.
    ContextOmissionReason = pb::ContextOmissionReason, else Other {
        /// It did not fit into the budget.
        Budget = Budget,
        /// Its kind had reached its limit.
        KindLimit = KindLimit,
        /// It repeats another entry.
        Duplicate = Duplicate,
        /// It is one of the messages of the query.
        InConversation = InConversation,
        /// Its key names a secret.
        Secret = Secret,
        /// It has no text.
        NoText = NoText,
        /// Its relevance is below the lowest that the query allows.
        LowRelevance = LowRelevance,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}
