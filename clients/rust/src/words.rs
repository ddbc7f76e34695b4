//! Closed lists of words, and their codes on the wire.
use crate::pb;
use serde::{Deserialize, Serialize};

/// An enumeration of the face for one of the wire. Codes that are not known become the one behind `else`.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident = $code:path, else $other:ident {
        $($(#[$doc:meta])* $variant:ident = $wire:ident,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            #[allow(dead_code)]
            pub(crate) fn code(self) -> i32 {
                use $code as Code;
                match self { $(Self::$variant => Code::$wire as i32,)* }
            }

            #[allow(dead_code)]
            pub(crate) fn of(code: i32) -> Self {
                use $code as Code;
                match Code::try_from(code) {
                    $(Ok(Code::$wire) => Self::$variant,)*
                    #[allow(unreachable_patterns)]
                    _ => Self::$other,
                }
            }
        }
    };
}

mod knowledge;

pub use knowledge::*;

words! {
    /// Durability of a memory, and the resolution at which it is searched.
    Tier = pb::Tier, else ShortTerm {
        /// New memories.
        ShortTerm = ShortTerm,
        /// Compressed.
        Intermediate = Intermediate,
        /// Compressed most, and searched at the lowest resolution.
        LongTerm = LongTerm,
    }
}

words! {
    /// How much of a memory an answer carries.
    MemoryView = pb::MemoryView, else Basic {
        /// all fields except the vector.
        Basic = Basic,
        /// The vector too.
        Full = Full,
        /// Names, scope, times and numbers only.
        Metadata = Metadata,
    }
}

words! {
    /// State of the delivery to a URL.
    WebhookState = pb::WebhookState, else Active {
        /// The last request succeeded.
        Active = Active,
        /// The last request failed and is tried again.
        Failing = Failing,
        /// Nothing is delivered until it is resumed.
        Parked = Parked,
    }
}

words! {
    /// Order of a list. Memories of the same value are ordered by when they were stored.
    MemoryOrder = pb::MemoryOrder, else CreateTimeDesc {
        /// Newest stored first.
        CreateTimeDesc = CreateTimeDesc,
        /// Oldest stored first.
        CreateTimeAsc = CreateTimeAsc,
        /// Newest event first.
        EventTimeDesc = EventTimeDesc,
        /// Oldest event first.
        EventTimeAsc = EventTimeAsc,
        /// Most important first.
        ImportanceDesc = ImportanceDesc,
        /// Lowest step first.
        StepAsc = StepAsc,
        /// Highest step first.
        StepDesc = StepDesc,
    }
}

words! {
    /// Change of a memory, or of its namespace.
    ChangeKind = pb::ChangeKind, else Other {
        /// It is new.
        Stored = Stored,
        /// It was changed.
        Updated = Updated,
        /// It was erased.
        Deleted = Deleted,
        /// Its time was over.
        Expired = Expired,
        /// Its vector was computed.
        Embedded = Embedded,
        /// It was read with `touch`.
        Touched = Touched,
        /// It came to another tier.
        Moved = Moved,
        /// The namespace is new.
        NamespaceCreated = NamespaceCreated,
        /// The namespace was changed.
        NamespaceUpdated = NamespaceUpdated,
        /// The namespace was deleted.
        NamespaceDeleted = NamespaceDeleted,
        /// The vectors of the namespace were made anew.
        VectorsReplaced = VectorsReplaced,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// A way of finding candidates.
    RecallLane = pb::RecallLane, else Other {
        /// By words.
        Keyword = Keyword,
        /// By vectors.
        Vector = Vector,
        /// By nearness in time.
        Time = Time,
        /// By nearness in place.
        Place = Place,
        /// By the filter alone.
        Filter = Filter,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Handling of a memory whose id exists.
    ConflictPolicy = pb::ConflictPolicy, else Keep {
        /// It stays as it is.
        Keep = Keep,
        /// The new one takes its place.
        Replace = Replace,
        /// The call fails.
        Fail = Fail,
    }
}

words! {
    /// How a value changed from one state to the next.
    AttributeChangeKind = pb::AttributeChangeKind, else Changed {
        /// It was not there before.
        Appeared = Appeared,
        /// It was another one before.
        Changed = Changed,
        /// It is not there any more.
        Disappeared = Disappeared,
    }
}

words! {
    /// Reason for a move.
    MoveReason = pb::MoveReason, else Other {
        /// It was in its tier for too long.
        Ttl = Ttl,
        /// The tier held too many memories.
        MemoryLimit = MemoryLimit,
        /// The tier held too many bytes.
        BytesLimit = BytesLimit,
        /// It was in its tier for too long for its type.
        TypeTtl = TypeTtl,
        /// The tier held too many memories of its type.
        TypeMemoryLimit = TypeMemoryLimit,
        /// Everything was moved down.
        Flush = Flush,
        /// Redis had too little memory left.
        RedisMemory = RedisMemory,
        /// The server had too little memory left.
        ProcessMemory = ProcessMemory,
        /// A caller asked for it.
        Requested = Requested,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

words! {
    /// Whose memories a recall for a scope sees.
    ScopeView = pb::ScopeView, else Inherited {
        /// Also memories of the scope's ancestors.
        Inherited = Inherited,
        /// Only memories within the scope.
        Own = Own,
    }
}

words! {
    /// Order of keyword candidates.
    Ranking = pb::RankingMode, else Learned {
        /// As was learned.
        Learned = Learned,
        /// By the lanes' own scores.
        Fusion = Fusion,
    }
}

words! {
    /// Memories of which only the best is a hit.
    Grouping = pb::RecallGrouping, else Session {
        /// Those of a session.
        Session = Session,
    }
}

words! {
    /// A unit of the calendar.
    CalendarPeriod = pb::CalendarPeriod, else Day {
        /// From midnight.
        Day = Day,
        /// From Monday.
        Week = Week,
        /// From the first.
        Month = Month,
        /// From the first of January.
        Year = Year,
    }
}

words! {
    /// The consumers that get a change.
    DeliveryMode = pb::DeliveryMode, else Broadcast {
        /// Every consumer gets every change.
        Broadcast = Broadcast,
        /// Each change goes to one of the consumers.
        WorkQueue = WorkQueue,
    }
}

words! {
    /// Where in its life a session is.
    SessionState = pb::SessionState, else Terminated {
        /// At work.
        Active = Active,
        /// At rest, with a checkpoint.
        Paused = Paused,
        /// Ended.
        Terminated = Terminated,
    }
}

words! {
    /// Outcome of a session.
    SessionOutcome = pb::SessionOutcome, else Success {
        /// It completed its task.
        Success = Success,
        /// It did not.
        Failure = Failure,
        /// It did a part of it.
        Partial = Partial,
        /// Nothing was written to it for too long; only the server sets it.
        Expired = Expired,
    }
}

words! {
    /// A step in the life of a session.
    LifecycleTransition = pb::LifecycleTransition, else Spawn {
        /// It is made.
        Spawn = Spawn,
        /// It is laid to rest.
        Pause = Pause,
        /// It is woken.
        Resume = Resume,
        /// It ends.
        Terminate = Terminate,
        /// It is deleted with all that it holds.
        Delete = Delete,
    }
}

words! {
    /// Point of a transition at which an event is sent or a hook is called.
    LifecyclePhase = pb::LifecyclePhase, else After {
        /// Before it.
        Before = Before,
        /// After it.
        After = After,
        /// When it was refused.
        Refused = Refused,
    }
}

words! {
    /// Result of calling a hook.
    HookResult = pb::HookResult, else Failed {
        /// It allowed the transition.
        Ok = Ok,
        /// It refused it.
        Vetoed = Vetoed,
        /// It failed.
        Failed = Failed,
        /// It did not answer in time.
        TimedOut = TimedOut,
    }
}

words! {
    /// The creator of a checkpoint.
    CheckpointKind = pb::CheckpointKind, else Manual {
        /// A caller.
        Manual = Manual,
        /// A pause.
        Lifecycle = Lifecycle,
    }
}

words! {
    /// Handling of keys that a checkpoint does not hold.
    RestoreMode = pb::RestoreMode, else Replace {
        /// They go.
        Replace = Replace,
        /// They stay.
        Merge = Merge,
    }
}

words! {
    /// Status of a task.
    TaskStatus = pb::TaskStatus, else Pending {
        /// Not begun.
        Pending = Pending,
        /// Under way.
        InProgress = InProgress,
        /// Held up.
        Blocked = Blocked,
        /// Done.
        Completed = Completed,
        /// Given up after an error.
        Failed = Failed,
        /// Called off.
        Cancelled = Cancelled,
    }
}

words! {
    /// Order of notes.
    ScratchpadOrder = pb::ScratchpadOrder, else Oldest {
        /// Oldest first.
        Oldest = OldestFirst,
        /// Newest first.
        Newest = NewestFirst,
    }
}

words! {
    /// How a key differs between two checkpoints.
    KeyDifference = pb::KeyDifference, else Changed {
        /// Only the later one has it.
        Added = Added,
        /// Only the earlier one has it.
        Removed = Removed,
        /// Both have it, with different values.
        Changed = Changed,
    }
}

words! {
    /// A change of a session.
    SessionEventKind = pb::SessionEventKind, else Other {
        /// A key was set.
        Set = Set,
        /// A key was deleted.
        Deleted = Deleted,
        /// A key has expired.
        Expired = Expired,
        /// The expiry of a key was changed.
        Touched = Touched,
        /// Everything was cleared.
        Cleared = Cleared,
        /// A checkpoint was brought back.
        Restored = Restored,
        /// The task state was changed.
        TaskState = TaskState,
        /// Notes were appended.
        ScratchpadAppended = ScratchpadAppended,
        /// The notes were cleared.
        ScratchpadCleared = ScratchpadCleared,
        /// A checkpoint was made.
        CheckpointCreated = CheckpointCreated,
        /// A checkpoint was deleted.
        CheckpointDeleted = CheckpointDeleted,
        /// A transition took place.
        Lifecycle = Lifecycle,
        /// A value that this version of the client does not know.
        Other = Unspecified,
    }
}

/// The code of a view; all fields except the vector where none is said.
pub(crate) fn view_code(view: Option<MemoryView>) -> i32 {
    view.unwrap_or(MemoryView::Basic).code()
}
