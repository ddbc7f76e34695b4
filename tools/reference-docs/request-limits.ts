import { FILTER_LIMITS } from '../../src/memory/filter.ts';
import { MEMORY_LIMITS } from '../../src/memory/limits.ts';
import { PASSAGE_LIMITS } from '../../src/memory/passages.ts';
import { PATTERN_CHARACTERS_MAX } from '../../src/memory/pattern.ts';
import { declared } from './declared.ts';
import { DAY_MS, grpc, idLength, REFUSED, type Subject } from './limit.ts';
import { withUnit } from './units.ts';

/** Limits of calls, names, memories, filters and recall. */
export const REQUEST_LIMITS: readonly Subject[] = [
  [
    'Messages, calls and pages',
    [
      { what: 'Request message', by: 'maxRequestBytes', beyond: ['MESSAGE_TOO_LARGE'] },
      { what: 'Answer message', by: 'maxResponseBytes', beyond: ['MESSAGE_TOO_LARGE'] },
      { what: 'Memories in a batch (BatchStoreMemories, BatchGetMemories)', by: 'maxBatchSize', beyond: REFUSED },
      { what: 'Results in a page (`page_size`)', by: 'maxPageSize', beyond: REFUSED },
      {
        what: 'Texts and contents in a page',
        by: 'maxPageBytes',
        beyond: ['the page ends before it; the next one goes on'],
      },
      { what: 'Former states in a page', value: grpc('memories/memory-service', 'REVISIONS_MAX'), beyond: REFUSED },
      { what: 'Deadline of a call without one', by: 'defaultDeadlineMs', beyond: ['DEADLINE_EXCEEDED'] },
      {
        what: 'Deadline of a call; streams have none',
        by: 'maxDeadlineMs',
        beyond: ['a later deadline counts as this one', 'DEADLINE_EXCEEDED'],
      },
      { what: 'Calls served at once', by: 'maxCallsInFlight', beyond: ['OVERLOADED'] },
      {
        what: 'Streams among them',
        value: grpc('edge/edge', 'STREAMS_SHARE') * 100,
        unit: '%',
        beyond: ['OVERLOADED'],
      },
      {
        what: 'Wait of calls for their turn, above which more are refused',
        by: 'maxEventLoopLagMs',
        beyond: ['OVERLOADED'],
      },
      { what: 'Calls at once on one connection', by: 'maxConcurrentStreams', beyond: ['more wait in the client'] },
      { what: 'Connections at once', by: 'connectionsMax', beyond: ['more are closed'] },
      { what: 'Connections at once from one address', by: 'connectionsPerAddressMax', beyond: ['more are closed'] },
      { what: 'Time to the first settings of HTTP/2', by: 'maxHandshakeMs', beyond: ['the connection is closed'] },
      {
        what: 'Age of a connection, give or take a tenth',
        by: 'maxConnectionAgeMs',
        beyond: ['it takes no more calls, and is closed when those on it are done'],
      },
      {
        what: 'Calls of a connection that has reached its age',
        by: 'maxConnectionAgeGraceMs',
        beyond: ['DRAINING'],
      },
      {
        what: 'Time between pings of a caller that nothing is sent to; two may come earlier',
        by: 'keepaliveMinMs',
        beyond: ['the connection is closed with ENHANCE_YOUR_CALM, `too_many_pings`'],
      },
      { what: 'Time from the headers of a call to its request', by: 'maxRequestWaitMs', beyond: ['DEADLINE_EXCEEDED'] },
      {
        what: 'Faults of one request that an error names',
        value: grpc('edge/status', 'VIOLATIONS'),
        beyond: ['the others are left out'],
      },
    ],
  ],
  [
    'Names and ids',
    [
      {
        what: 'Id of a namespace: `[a-z0-9]`, then `[a-z0-9._-]`',
        value: idLength('streams/subscription-messages', 'SUBSCRIPTION_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Id of a memory: `[A-Za-z0-9._~:-]`',
        value: idLength('edge/request-checks', 'MEMORY_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Id of a session, project, agent type or agent: no control characters',
        value: MEMORY_LIMITS.namePartBytes,
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Id of a checkpoint or a snapshot of an agent: `[A-Za-z0-9._~:-]`',
        value: idLength('sessions/working-memory-messages', 'CHECKPOINT_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Id of a subscription, name of its consumer: as that of a namespace',
        value: idLength('streams/subscription-messages', 'SUBSCRIPTION_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Name of a hook, of a consumer of events: `[A-Za-z0-9._~:-]`',
        value: idLength('sessions/lifecycle-requests', 'NAME'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'Id of an ingest: `[A-Za-z0-9._~:-]`',
        value: idLength('streams/ingest-service', 'STREAM_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: '`request_id`: printable ASCII',
        value: idLength('edge/handler', 'REQUEST_ID'),
        unit: 'characters',
        beyond: REFUSED,
      },
      {
        what: 'How long a `request_id` is known',
        by: 'idempotencyRetentionMs',
        beyond: ['the call takes effect again'],
      },
      {
        what: 'Key of working memory',
        value: grpc('sessions/working-memory-messages', 'KEY_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
    ],
  ],
  [
    'A memory',
    [
      { what: 'Text', value: MEMORY_LIMITS.textBytes, unit: 'bytes', beyond: REFUSED },
      { what: 'Content', value: MEMORY_LIMITS.contentBytes, unit: 'bytes', beyond: REFUSED },
      { what: 'Levels of JSON content', value: MEMORY_LIMITS.jsonDepth, beyond: REFUSED },
      {
        what: 'Text made of JSON content that came without a text',
        value: MEMORY_LIMITS.jsonTextBytes,
        unit: 'bytes',
        beyond: ['the text ends there; the content is kept whole'],
      },
      {
        what: 'Text that recall reads as one passage',
        value: PASSAGE_LIMITS.wholeMax,
        unit: 'UTF-16 code units',
        beyond: [`a longer text is also read in passages of at most ${withUnit(PASSAGE_LIMITS.lengthMax, '')}`],
      },
      { what: 'Media type', value: MEMORY_LIMITS.mediaTypeBytes, unit: 'characters', beyond: REFUSED },
      {
        what: 'Type: `[A-Za-z0-9_]`',
        value: idLength('memories/memory-fields', 'TYPE'),
        unit: 'characters',
        beyond: REFUSED,
      },
      { what: 'Times, everywhere', value: 'years 1 to 9999', beyond: REFUSED },
      {
        what: 'Precision of times before 1684-07-28 and after 2255-06-05; between them 1 µs',
        value: '1 ms',
        beyond: ['finer parts are cut off, except those of 9999-12-31T23:59:59.999999Z'],
      },
      { what: '`expire_time`', value: 'after now', beyond: REFUSED },
      { what: 'Tags', value: MEMORY_LIMITS.tags, beyond: REFUSED },
      { what: 'A tag', value: MEMORY_LIMITS.tagBytes, unit: 'bytes', beyond: REFUSED },
      { what: 'Dimension of a vector', value: MEMORY_LIMITS.dimension, beyond: REFUSED },
      { what: 'Name of the model of a vector', value: MEMORY_LIMITS.modelBytes, unit: 'bytes', beyond: REFUSED },
      {
        what: 'Location, room, region, speaker, origin, each',
        value: MEMORY_LIMITS.namePartBytes,
        unit: 'bytes',
        beyond: REFUSED,
      },
      { what: 'URI of the source', value: MEMORY_LIMITS.uriBytes, unit: 'bytes', beyond: REFUSED },
      {
        what: 'Paths of an `update_mask`',
        value: grpc('memories/memory-requests', 'MASK_LENGTH_MAX'),
        beyond: REFUSED,
      },
    ],
  ],
  [
    'Filters',
    [
      { what: 'Levels', value: FILTER_LIMITS.depth, beyond: ['FILTER_INVALID'] },
      { what: 'Nodes', value: FILTER_LIMITS.nodes, beyond: ['FILTER_INVALID'] },
      { what: 'Values in all', value: FILTER_LIMITS.values, beyond: ['FILTER_INVALID'] },
      { what: 'Filters in one list', value: FILTER_LIMITS.listLength, beyond: ['FILTER_INVALID'] },
      {
        what: 'Path into a content',
        value: FILTER_LIMITS.pathBytes,
        unit: 'bytes',
        more: `, ${FILTER_LIMITS.pathParts} parts`,
        beyond: ['FILTER_INVALID'],
      },
      { what: 'A value', value: FILTER_LIMITS.valueBytes, unit: 'bytes', beyond: ['FILTER_INVALID'] },
      {
        what: 'An array or object as a value',
        value: FILTER_LIMITS.jsonLeaves,
        unit: 'values',
        more: `, ${FILTER_LIMITS.jsonDepth} levels`,
        beyond: ['FILTER_INVALID'],
      },
      { what: 'Regular expression', value: PATTERN_CHARACTERS_MAX, unit: 'characters', beyond: ['FILTER_INVALID'] },
      { what: 'Filter as text', value: FILTER_LIMITS.textBytes, unit: 'bytes', beyond: ['FILTER_INVALID'] },
    ],
  ],
  [
    'Recall and history',
    [
      {
        what: 'Text of a question',
        value: grpc('recall/recall-messages', 'TEXT_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Part of a question that is searched for',
        value: declared('src/server/operations/recall/recall-request.ts', 'QUESTION_BYTES'),
        unit: 'bytes',
        beyond: ['beginning and end count; `degraded` names `text`'],
      },
      {
        what: 'Words of a question that are looked up',
        value: declared('src/search/recall/keyword-index.ts', 'WORDS_MAX'),
        beyond: ['the first and the last ones count'],
      },
      { what: 'Hits (`limit`)', value: grpc('recall/recall-messages', 'LIMIT_MAX'), beyond: REFUSED },
      {
        what: 'Neighbours on each side of a hit',
        value: grpc('recall/recall-messages', 'NEIGHBORS_MAX'),
        beyond: REFUSED,
      },
      {
        what: '`token_budget`',
        value: grpc('recall/recall-messages', 'TOKEN_BUDGET_MAX'),
        unit: 'tokens',
        beyond: REFUSED,
      },
      {
        what: '`recency_half_life`, `near_time.time_scale`',
        value: grpc('recall/recall-messages', 'HALF_LIFE_DAYS_MAX') * DAY_MS,
        unit: 'ms',
        beyond: REFUSED,
      },
      {
        what: 'Parameters of a preset',
        value: grpc('recall/preset-messages', 'PARAMETERS_BYTES'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: '`token_budget` of BuildContext, and the budget that a `window` gives',
        value: grpc('context/context-messages', 'BUDGET_MAX'),
        unit: 'tokens',
        beyond: REFUSED,
      },
      {
        what: '`query` of BuildContext',
        value: grpc('context/context-messages', 'QUERY_BYTES_MAX'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: '`messages` of BuildContext',
        value: grpc('context/context-messages', 'MESSAGES_MAX'),
        beyond: REFUSED,
      },
      {
        what: 'Texts of the `messages` of BuildContext, in total',
        value: grpc('context/context-messages', 'MESSAGES_BYTES_MAX'),
        unit: 'bytes',
        beyond: REFUSED,
      },
      {
        what: 'Cached answers',
        by: 'recallCacheCount',
        more: ' (off)',
        beyond: ['the one not used for longest is dropped'],
      },
      { what: 'Bytes of cached answers', by: 'recallCacheBytes', beyond: ['the one not used for longest is dropped'] },
      {
        what: 'Changes of GetAttributeHistory',
        value: grpc('memories/history-methods', 'CHANGES_MAX'),
        beyond: [...REFUSED, 'an answer that has more says `truncated`'],
      },
      { what: 'Steps of GetStatesAtSteps', value: grpc('memories/history-methods', 'STEPS_MAX'), beyond: REFUSED },
      {
        what: 'Memories before and after, GetMemorySequence',
        value: grpc('memories/history-methods', 'AROUND_MAX'),
        unit: 'each',
        beyond: REFUSED,
      },
      {
        what: 'Names of DemoteMemories, PromoteMemories',
        value: grpc('tiers/tier-messages', 'NAMES_MAX'),
        beyond: REFUSED,
      },
    ],
  ],
];
