import type { Codec } from './codec.ts';
import { camelCase } from './permissions.ts';

const CHECKPOINT = 'checkpoint.id checkpoint.create_time checkpoint.expire_time';
const SESSION = 'session.name session.state session.version session.create_time session.update_time';
const HOOKS = 'hook_reports.hook hook_reports.phase hook_reports.result hook_reports.duration';
const MEMORY = 'memory.name memory.version memory.create_time memory.embedding_pending';
const MOVES = 'moves.name moves.from_tier moves.to_tier moves.reason damaged revision';

/**
 * Fields of answers that a caller without `read` gets: names, versions, times and counts. All other fields of these
 * answers have, or tell, contents that were stored before. Unary methods that need another verb than `read` and are not
 * listed answer with receipts only; a test compares the table with the descriptors.
 *
 * `AssertFact` and `RecordProcedure` give the revision alone: a name, or an outcome, tells whether what the request says
 * was known.
 */
const FIELDS: Readonly<Record<string, string>> = {
  'MemoryService/UpdateMemory': `${MEMORY} revision`,
  'MemoryService/SetMemoryImportance': `${MEMORY} revision`,
  'MemoryService/SupersedeMemory': `${MEMORY} superseded.name superseded.version revision`,
  'MemoryService/DemoteMemories': MOVES,
  'MemoryService/PromoteMemories': MOVES,
  'ConversationService/Flush': 'complete pending_count degraded',
  'KnowledgeService/AssertFact': 'revision',
  'KnowledgeService/UndoSupersession': 'fact.name fact.version withdrawn revision',
  'KnowledgeService/RecordProcedure': 'revision',
  'KnowledgeService/RecordOutcome': 'procedure.name procedure.version revision',
  'ConsolidationService/Consolidate': 'report memories.kind memories.name skipped_count has_more revision',
  'WorkingMemoryService/SetValue': 'entry.key entry.version entry.update_time entry.expire_time revision',
  'WorkingMemoryService/TransactValues':
    'results.entry.key results.entry.version results.entry.update_time results.entry.expire_time results.deleted revision',
  'WorkingMemoryService/SetTaskState': 'task.version task.update_time revision',
  'WorkingMemoryService/UpdateTaskProgress': 'task.version task.update_time revision',
  'WorkingMemoryService/CreateCheckpoint': `${CHECKPOINT} revision`,
  'WorkingMemoryService/KeepCheckpoint': `${CHECKPOINT} revision`,
  'WorkingMemoryService/RestoreCheckpoint': `restored_count expired_count removed_count note_count ${CHECKPOINT} revision`,
  'LifecycleService/SpawnSession': `${SESSION} value_count ${HOOKS} revision duration`,
  'LifecycleService/PauseSession': `${SESSION} ${CHECKPOINT} ${HOOKS} revision duration`,
  'LifecycleService/ResumeSession': `${SESSION} ${CHECKPOINT} restored_count expired_count ${HOOKS} revision duration`,
  'LifecycleService/TerminateSession': `${SESSION} episode consolidated_count truncated cleared_count cleared_checkpoint_count ${HOOKS} revision memory_revision duration`,
  'LifecycleService/DeleteSession': `cleared_count cleared_note_count cleared_checkpoint_count ${HOOKS} duration`,
  'AgentService/CreateAgentSnapshot': 'snapshot.id snapshot.create_time snapshot.revision',
  'SubscriptionService/CreateSubscription': 'subscription.name subscription.create_time revision',
};

type Path = readonly string[];

/** Paths of the fields of a receipt, by `package.Service/Method`. */
export const RECEIPTS: ReadonlyMap<string, readonly Path[]> = new Map(
  Object.entries(FIELDS).map(([method, fields]) => [
    `mneme.v1.${method}`,
    fields.split(' ').map((path) => path.split('.').map(camelCase)),
  ]),
);

/** The answer with the fields of a receipt only; messages that it has remain, possibly empty. */
export function receiptOf<A>(receipt: readonly Path[], codec: Codec<A>, answer: A): A {
  if (!codec.fromPartial) throw new Error('the answer of a method with receipts has no conversion from its fields');
  return codec.fromPartial(cut(answer, receipt) as never);
}

function cut(value: unknown, paths: readonly Path[]): unknown {
  if (Array.isArray(value)) return value.map((each) => cut(each, paths));
  if (typeof value !== 'object' || value === null || paths.some((path) => path.length === 0)) return value;
  const names = new Set(paths.map(([name = '']) => name));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => names.has(name))
      .map(([name, field]) => [
        name,
        cut(
          field,
          paths.filter((path) => path[0] === name).map((path) => path.slice(1)),
        ),
      ]),
  );
}
