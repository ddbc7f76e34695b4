import { LINE_BYTES_MAX } from '../../src/cli/json-lines.ts';
import { MEMORY_LIMITS } from '../../src/memory/limits.ts';
import { PATTERN_CHARACTERS_MAX } from '../../src/memory/pattern.ts';
import { KEY_LIMITS } from '../../src/server/identity/api-keys.ts';
import { RULE_LIMITS } from '../../src/server/identity/limit-rules.ts';
import { POLICY_LIMITS } from '../../src/server/identity/policy.ts';
import { IDENTITIES_MAX } from '../../src/server/identity/quotas.ts';
import { AGENT_MEMORIES_MAX } from '../../src/storage/agent-snapshots.ts';
import { SCOPE_POLICIES_MAX } from '../../src/storage/scope-policies.ts';
import { SUBSCRIPTIONS_MAX } from '../../src/storage/subscription-store.ts';
import { declared } from './declared.ts';
import { DAY_MS, grpc, REFUSED, range, type Subject } from './limit.ts';
import { withUnit } from './units.ts';

/** Limits of namespaces, sessions, streams and of what a server holds. */
export const STATE_LIMITS: readonly Subject[] = [
  [
    'Namespaces and agents',
    [
      {
        what: 'Memories of a namespace',
        value: 'no limit, or `memory_limit` of the namespace',
        beyond: ['NAMESPACE_FULL'],
      },
      {
        what: 'Memories of a short-term or intermediate tier',
        value: 'see [settings](settings.md#settings-that-change-while-the-server-runs)',
        beyond: ['more move down'],
      },
      {
        what: 'Description',
        value: grpc('namespaces/namespace-messages', 'DESCRIPTION_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Settings in one change',
        value: declared('src/memory/tier-settings.ts', 'CHANGES_MAX'),
        beyond: REFUSED,
      },
      {
        what: 'Types with limits of their own',
        value: declared('src/memory/tier-settings.ts', 'TYPES_MAX'),
        beyond: REFUSED,
      },
      { what: 'Scope policies of a namespace', value: SCOPE_POLICIES_MAX, beyond: ['SCOPES_FULL'] },
      { what: 'Durable subscriptions of a namespace', value: SUBSCRIPTIONS_MAX, beyond: ['TOO_MANY_STREAMS'] },
      { what: 'Memories of an agent in a snapshot', value: AGENT_MEMORIES_MAX, beyond: ['AGENT_TOO_LARGE'] },
      {
        what: 'Names in each list of DiffAgentSnapshots',
        value: grpc('sessions/agent-service', 'NAMES_MAX'),
        beyond: ['the list ends; the counts are of all'],
      },
    ],
  ],
  [
    'Working memory',
    [
      { what: 'A value, a note', value: MEMORY_LIMITS.contentBytes, unit: 'bytes', beyond: REFUSED },
      { what: 'Keys of a session', by: 'maxSessionKeys', beyond: ['SESSION_FULL'] },
      { what: 'Keys and values of a session', by: 'maxSessionBytes', beyond: ['SESSION_FULL'] },
      { what: 'Notes of a session', by: 'maxSessionNotes', beyond: ['the oldest are dropped and counted'] },
      { what: 'Bytes of its notes', by: 'maxSessionNoteBytes', beyond: ['the oldest are dropped and counted'] },
      { what: 'Checkpoints of a session', by: 'maxSessionCheckpoints', beyond: ['SESSION_FULL'] },
      { what: 'Bytes of its checkpoints', by: 'maxCheckpointBytes', beyond: ['SESSION_FULL'] },
      {
        what: 'Writes of a session that WatchSession can go back',
        by: 'maxSessionChanges',
        beyond: ['REVISION_COMPACTED'],
      },
      {
        what: 'Operations of TransactValues',
        value: grpc('sessions/working-memory-messages', 'OPERATIONS_MAX'),
        beyond: REFUSED,
      },
      { what: 'Keys of BatchGetValues', value: grpc('sessions/working-memory-service', 'KEYS_MAX'), beyond: REFUSED },
      { what: 'Notes in one call', value: grpc('sessions/working-memory-service', 'NOTES_MAX'), beyond: REFUSED },
      {
        what: 'Time to live of a key',
        value: grpc('sessions/working-memory-messages', 'TTL_DAYS_MAX') * DAY_MS,
        unit: 'ms',
        beyond: REFUSED,
      },
      { what: 'Pattern of keys', value: PATTERN_CHARACTERS_MAX, unit: 'characters', beyond: REFUSED },
      {
        what: 'Id of a task',
        value: grpc('sessions/working-memory-service', 'ID_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Description of a task',
        value: grpc('sessions/working-memory-service', 'DESCRIPTION_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Detail of a task',
        value: grpc('sessions/working-memory-service', 'DETAIL_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Description of a checkpoint',
        value: grpc('sessions/checkpoint-methods', 'DESCRIPTION_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Keys that DiffCheckpoints lists',
        value: grpc('sessions/checkpoint-methods', 'DIFFS_MAX'),
        beyond: ['the list ends; `differing_count` is of all'],
      },
    ],
  ],
  [
    'Lifecycle',
    [
      {
        what: 'Initial values of SpawnSession',
        value: grpc('sessions/lifecycle-requests', 'VALUES_MAX'),
        beyond: REFUSED,
      },
      {
        what: 'Metadata of a session',
        value: declared('src/server/operations/sessions/lifecycle/transition-session.ts', 'NOTES_MAX'),
        unit: 'entries',
        more: `, ${withUnit(declared('src/server/operations/sessions/lifecycle/transition-session.ts', 'NOTES_BYTES_MAX'), 'bytes')} together`,
        beyond: REFUSED,
      },
      {
        what: 'Lessons of TerminateSession',
        value: grpc('sessions/lifecycle-requests', 'LESSONS_MAX'),
        more: `, each ${withUnit(grpc('sessions/lifecycle-requests', 'LESSON_BYTES'), 'bytes')}`,
        beyond: REFUSED,
      },
      {
        what: 'Actions',
        value: grpc('sessions/lifecycle-requests', 'ACTIONS_MAX'),
        more: `, each ${withUnit(grpc('sessions/lifecycle-requests', 'ACTION_BYTES'), 'bytes')}`,
        beyond: REFUSED,
      },
      {
        what: 'Task description',
        value: grpc('sessions/lifecycle-requests', 'TASK_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Patterns of `redact_keys`',
        value: grpc('sessions/lifecycle-requests', 'PATTERNS_MAX'),
        more: `, each ${withUnit(grpc('sessions/lifecycle-requests', 'PATTERN_BYTES'), 'bytes')}`,
        beyond: REFUSED,
      },
      {
        what: 'A value in an episode',
        value: declared('src/memory/episode.ts', 'VALUE_BYTES_MAX'),
        unit: 'bytes',
        beyond: ['its size stands in its place, with `truncated`'],
      },
      {
        what: 'All values in an episode',
        value: declared('src/memory/episode.ts', 'STATE_BYTES_MAX'),
        unit: 'bytes',
        beyond: ['the others are left out, with `truncated`'],
      },
      {
        what: 'Notes in an episode',
        value: declared('src/memory/episode.ts', 'NOTES_MAX'),
        beyond: ['the last ones are kept'],
      },
      { what: 'Hooks of a server', by: 'maxHooks', beyond: ['HOOKS_FULL'] },
      { what: 'Hooks of one caller', by: 'maxHooksPerCaller', beyond: ['HOOKS_FULL'] },
      {
        what: 'Time for the reply of a hook',
        value: range(1, grpc('sessions/lifecycle-requests', 'HOOK_TIMEOUT_MAX_MS'), 'ms'),
        beyond: [...REFUSED, 'a later reply is reported as `timed_out`'],
      },
      {
        what: 'Consumers of the events of a namespace',
        value: declared('src/server/operations/sessions/lifecycle/follow-events.ts', 'CONSUMERS_MAX'),
        beyond: ['HOOKS_FULL'],
      },
      { what: 'How long events are kept', by: 'eventRetentionMs', beyond: ['REVISION_COMPACTED'] },
      { what: 'How long an ended session is known', by: 'sessionRetentionMs', beyond: ['SESSION_NOT_FOUND'] },
    ],
  ],
  [
    'Identities',
    [
      { what: 'Identities of a policy', value: POLICY_LIMITS.identities, beyond: ['the former policy stays'] },
      { what: 'Grants of one entry', value: POLICY_LIMITS.grants, beyond: ['the former policy stays'] },
      { what: 'Names, verbs or scopes in a grant', value: POLICY_LIMITS.names, beyond: ['the former policy stays'] },
      { what: 'Policy file', value: POLICY_LIMITS.bytes, unit: 'bytes', beyond: ['the former policy stays'] },
      { what: 'Rules of limits in a policy', value: RULE_LIMITS.rules, beyond: ['the former policy stays'] },
      { what: 'Identities of a rule', value: RULE_LIMITS.identities, beyond: ['the former policy stays'] },
      {
        what: 'Calls, bytes, streams, memories and namespaces of an identity',
        value: 'as the policy has it, [by default](quotas.md) no limit',
        beyond: ['QUOTA_EXCEEDED'],
      },
      {
        what: 'Identities whose use of rates is known',
        value: IDENTITIES_MAX,
        beyond: ['the one without a call for longest starts anew'],
      },
      { what: 'API keys', value: KEY_LIMITS.keys, beyond: ['`mneme keys` fails'] },
      {
        what: 'Period in which refused calls of an identity and a method share a record of the audit log',
        value: declared('src/server/audit/refused-calls.ts', 'PERIOD_MS'),
        unit: 'ms',
        beyond: ['a new period begins'],
      },
      {
        what: 'Pairs of identity and method with records of their own in a period',
        value: declared('src/server/audit/refused-calls.ts', 'LINES_MAX'),
        beyond: ['others share a record'],
      },
      {
        what: 'Namespaces that a shared record of refused calls names',
        value: declared('src/server/audit/refused-calls.ts', 'NAMESPACES_MAX'),
        beyond: ['others are counted'],
      },
      {
        what: 'JWT',
        value: declared('src/server/identity/jwt.ts', 'LENGTH_MAX'),
        unit: 'bytes',
        beyond: ['CREDENTIALS_INVALID'],
      },
      {
        what: 'Namespaces that a JWT is limited to',
        value: declared('src/server/identity/jwt.ts', 'NAMESPACES_MAX'),
        beyond: ['CREDENTIALS_INVALID'],
      },
      {
        what: 'JWKS',
        value: declared('src/server/identity/jwks-source.ts', 'BYTES_MAX'),
        unit: 'bytes',
        beyond: ['the former keys stay'],
      },
      {
        what: 'Keys of a JWKS',
        value: declared('src/server/identity/jwks-source.ts', 'KEYS_MAX'),
        beyond: ['the former keys stay'],
      },
    ],
  ],
  [
    'Streams',
    [
      { what: 'Streams of one caller', by: 'maxStreamsPerCaller', beyond: ['TOO_MANY_STREAMS'] },
      { what: 'Time without reading from a stream', by: 'maxStreamStallMs', beyond: ['SLOW_CONSUMER'] },
      {
        what: '`heartbeat_interval`',
        value: range(
          grpc('edge/request-checks', 'HEARTBEAT_MS.min'),
          grpc('edge/request-checks', 'HEARTBEAT_MS.max'),
          'ms',
        ),
        beyond: REFUSED,
      },
      {
        what: '`heartbeat_interval` of WatchSession',
        value: range(1000, grpc('sessions/working-memory-service', 'HEARTBEAT_MAX_S') * 1000, 'ms'),
        beyond: REFUSED,
      },
      { what: 'Changes or events in one message', value: grpc('edge/request-checks', 'BATCH.max'), beyond: REFUSED },
      {
        what: '`max_batch_bytes`',
        value: range(
          grpc('edge/request-checks', 'BATCH_BYTES.min'),
          grpc('edge/request-checks', 'BATCH_BYTES.max'),
          'bytes',
        ),
        beyond: REFUSED,
      },
      {
        what: 'Changes that a consumer has not acknowledged',
        value: grpc('streams/subscription-service', 'OUTSTANDING.max'),
        more: `, ${withUnit(declared('src/server/operations/streams/consume.ts', 'OUTSTANDING_BYTES_MAX'), 'bytes')}`,
        beyond: [...REFUSED, 'no more are sent until some are acknowledged'],
      },
      {
        what: 'Revisions in one acknowledgement',
        value: grpc('streams/subscription-service', 'REVISIONS_MAX'),
        beyond: REFUSED,
      },
      {
        what: '`ack_deadline`',
        value: range(
          grpc('streams/subscription-messages', 'ACK_DEADLINE_MS.min'),
          grpc('streams/subscription-messages', 'ACK_DEADLINE_MS.max'),
          'ms',
        ),
        beyond: REFUSED,
      },
      {
        what: '`consumer_ttl`',
        value: range(
          grpc('streams/subscription-messages', 'CONSUMER_TTL_MS.min'),
          grpc('streams/subscription-messages', 'CONSUMER_TTL_MS.max'),
          'ms',
        ),
        beyond: REFUSED,
      },
      {
        what: 'URL of a webhook',
        value: grpc('streams/webhook-messages', 'URL_LENGTH'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Further headers of a webhook',
        value: grpc('streams/webhook-messages', 'HEADERS.max'),
        more: `, each of ${grpc('streams/webhook-messages', 'HEADERS.length')} characters`,
        beyond: REFUSED,
      },
      {
        what: 'Changes in a request to a webhook',
        value: declared('src/server/operations/streams/webhook-delivery.ts', 'BATCH_MAX'),
        more: `, ${withUnit(declared('src/server/operations/streams/watch.ts', 'STEP.bytesMax'), 'bytes')}`,
        beyond: ['the others follow in the next request'],
      },
      {
        what: 'Time for an answer of a webhook',
        value: declared('src/server/webhooks/http-webhooks.ts', 'TIME_MS'),
        unit: 'ms',
        beyond: ['the request is tried again'],
      },
      {
        what: 'Failures of a webhook in a row',
        value: declared('src/server/operations/streams/webhook-delivery.ts', 'FAILURES_MAX'),
        beyond: ['it is parked'],
      },
      {
        what: '`overlap` of RotateWebhookSecret',
        value: range(
          grpc('streams/subscription-service', 'OVERLAP_MS.min'),
          grpc('streams/subscription-service', 'OVERLAP_MS.max'),
          'ms',
        ),
        beyond: REFUSED,
      },
      {
        what: 'Items in a batch of IngestMemories',
        value: grpc('streams/ingest-service', 'INGEST_BATCH_MAX'),
        beyond: REFUSED,
      },
      {
        what: 'Bytes of an ingest that are not on disk',
        by: 'maxIngestBytesInFlight',
        beyond: ['the server reads no further until some are'],
      },
      {
        what: 'Memories in a message of ImportMemories',
        value: grpc('memories/memory-service', 'IMPORT_BATCH_MAX'),
        beyond: REFUSED,
      },
      {
        what: 'Entries of the change log',
        by: 'maxLogCount',
        beyond: ['the oldest are removed', 'REVISION_COMPACTED'],
      },
      { what: 'Bytes of the change log', by: 'maxLogBytes', beyond: ['the oldest are removed', 'REVISION_COMPACTED'] },
      { what: 'Age of the change log', by: 'maxLogAgeMs', beyond: ['the oldest are removed', 'REVISION_COMPACTED'] },
    ],
  ],
  [
    'Writes, memory and disk',
    [
      { what: 'Writes that wait', by: 'maxWriteQueueCount', beyond: ['QUEUE_FULL'] },
      { what: 'Bytes of writes that wait', by: 'maxWriteQueueBytes', beyond: ['QUEUE_FULL'] },
      {
        what: 'Commands that wait for Redis',
        value: declared('src/storage/redis/wire.ts', 'COMMANDS_WAITING_MAX'),
        beyond: ['QUEUE_FULL'],
      },
      { what: 'Disk, memory of Redis', value: 'what is there', beyond: ['STORAGE_FULL'] },
      {
        what: 'Memory for vectors, texts, columns and graphs of namespaces',
        by: 'maxVectorMemoryBytes',
        beyond: ['the namespace not asked for longest is let go of, and read again when it is asked'],
      },
      {
        what: 'Line of a file of `mneme import`, `ingest`',
        value: LINE_BYTES_MAX,
        unit: 'bytes',
        beyond: ['the line is reported and passed over'],
      },
    ],
  ],
];
