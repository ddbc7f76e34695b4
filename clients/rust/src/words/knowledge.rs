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

words! {
    /// Kind of a property of episodes.
    EpisodeFeatureKind = pb::EpisodeFeatureKind, else Other {
        /// The task.
        Task = Task,
        /// A word of the task.
        TaskWord = TaskWord,
        /// A tag.
        Tag = Tag,
        /// An action.
        Action = Action,
        /// Two actions in a row.
        ActionSequence = ActionSequence,
        /// More actions than the median.
        ManyActions = ManyActions,
        /// The project of the scope.
        Project = Project,
        /// The agent type of the scope.
        AgentType = AgentType,
        /// The agent of the scope.
        Agent = Agent,
        /// An entry of the metadata of a session.
        Metadata = Metadata,
        /// Six hours of the day in UTC.
        TimeOfDay = TimeOfDay,
        /// Saturday or Sunday, in UTC.
        Weekend = Weekend,
        /// Outcome of the episode before it in the same scope.
        PrecedingOutcome = PrecedingOutcome,
        /// A duration longer than the median of the same task.
        LongDuration = LongDuration,
        /// More tokens than the median of the same task.
        ManyTokens = ManyTokens,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// How episodes of a pattern go.
    EpisodePatternKind = pb::EpisodePatternKind, else Other {
        /// They mostly succeed.
        RecurringSuccess = RecurringSuccess,
        /// They mostly fail.
        RecurringFailure = RecurringFailure,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Measure of episodes.
    EpisodeMeasure = pb::EpisodeMeasure, else Other {
        /// Share of successes, 0 to 1.
        SuccessRate = SuccessRate,
        /// Share of failures, 0 to 1.
        FailureRate = FailureRate,
        /// Duration in seconds.
        Duration = Duration,
        /// Number of tokens.
        Tokens = Tokens,
        /// An action; it has no value.
        Action = Action,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Kind of an insight.
    InsightKind = pb::InsightKind, else Other {
        /// Something goes wrong, or is unusual.
        Warning = Warning,
        /// Something to do.
        Recommendation = Recommendation,
        /// Something that goes with success.
        Learning = Learning,
        /// Something that takes less time or fewer tokens.
        Optimization = Optimization,
        /// Something that changes.
        Trend = Trend,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}
