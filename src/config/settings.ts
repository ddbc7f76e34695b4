import { address, choice, httpUrl, number, optional, redisUrls, settingOf, text, yesOrNo } from './setting.ts';

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const path = text('a path', '<path>');

/** Every setting of the server, in the order of `serve --help`. */
export const settings = {
  listen: settingOf(address(), '127.0.0.1:50051', 'Address to serve gRPC on; port 0 takes a free one'),
  data: settingOf(path, './data', 'Folder that holds the memories; made when missing'),
  logLevel: settingOf(
    choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least severe message to log; debug logs every call',
  ),
  logFormat: settingOf(
    choice('auto', 'json', 'text'),
    'auto',
    'Format of the log; auto is text on a terminal, otherwise json',
  ),

  embedder: settingOf(
    choice('none', 'static', 'hashing', 'http', 'transformers'),
    'static',
    'What computes vectors of texts',
  ),
  ranker: settingOf(choice('learned', 'fusion'), 'learned', 'What ranks the memories found by words'),
  embedderUrl: settingOf(optional(httpUrl()), '', 'OpenAI-compatible endpoint, such as http://host:11434/v1'),
  embedderModel: settingOf(optional(text('a name')), '', 'Name of the model at the endpoint or the hub'),
  embedderPath: settingOf(optional(path), '', 'Folder of a model for transformers; without it, it is downloaded'),
  embedderHub: settingOf(httpUrl(), 'https://huggingface.co', 'Hub to download the model from, or a mirror of it'),
  embedderHubToken: settingOf(optional(text('a token')), '', 'Token for models of the hub that are not public', {
    secret: true,
  }),
  embedderDimension: settingOf(number(0, 4096), '0', 'Dimension of the vectors; 0 is that of the embedder'),
  embedderTimeoutMs: settingOf(number(100, 600_000), '10000', 'Longest wait for an answer of the endpoint or hub'),
  embedderBatchSize: settingOf(number(1, 1000), '32', 'Most texts in one request to the endpoint'),
  embedderApiKey: settingOf(optional(text('a key')), '', 'Key for the endpoint', { secret: true }),

  tlsCert: settingOf(optional(path), '', 'PEM file of the certificate chain; switches TLS on'),
  tlsKey: settingOf(optional(path), '', 'PEM file of the private key'),
  tlsClientCa: settingOf(optional(path), '', 'PEM file of authorities; clients must show a certificate of one'),
  authTokensFile: settingOf(optional(path), '', 'File of bearer tokens, one a line; callers must send one of them'),
  authTokens: settingOf(optional(text('tokens')), '', 'Bearer tokens, separated by commas', { secret: true }),
  allowInsecure: settingOf(yesOrNo(), 'false', 'Allows listening beyond loopback without TLS and credentials'),

  metricsListen: settingOf(optional(address()), '', 'Address to serve /metrics and /healthz on over HTTP'),
  autoCreateNamespaces: settingOf(yesOrNo(), 'true', 'Makes a namespace when a memory is first stored in it'),

  maxRequestBytes: settingOf(number(65_536, 64 * MIB), `${4 * MIB}`, 'Largest request message'),
  maxResponseBytes: settingOf(number(65_536, 64 * MIB), `${16 * MIB}`, 'Largest answer message'),
  maxBatchSize: settingOf(number(1, 1000), '1000', 'Most memories in a batch'),
  maxPageSize: settingOf(number(1, 1000), '1000', 'Most results in a page; a request for more is refused'),
  maxPageBytes: settingOf(
    number(65_536, 16 * MIB),
    `${3 * MIB}`,
    'Bytes of texts and contents after which a page ends',
  ),
  defaultDeadlineMs: settingOf(number(100, HOUR_MS), '30000', 'Deadline of a call without one'),
  maxDeadlineMs: settingOf(number(100, HOUR_MS), '30000', 'Longest deadline of a call; streams have no limit'),
  maxCallsInFlight: settingOf(
    number(1, 100_000),
    '2048',
    'Most calls served at once, three quarters of them streams; more are refused as OVERLOADED',
  ),
  maxConcurrentStreams: settingOf(number(1, 100_000), '1000', 'Most calls at once on one connection; more wait'),
  http2WindowBytes: settingOf(number(65_535, 64 * MIB), `${4 * MIB}`, 'Flow-control window of connections and calls'),
  keepaliveTimeMs: settingOf(number(1000, 24 * HOUR_MS), '30000', 'Silence after which a connection is probed'),
  keepaliveTimeoutMs: settingOf(number(100, HOUR_MS), '10000', 'Longest wait for the answer to a probe'),
  shutdownGraceMs: settingOf(number(0, HOUR_MS), '10000', 'Longest wait for calls in flight when stopping'),

  maxWriteQueueCount: settingOf(number(1, 1_000_000), '4096', 'Most writes that wait; more are refused as QUEUE_FULL'),
  maxWriteQueueBytes: settingOf(number(MIB, 1024 * MIB), `${64 * MIB}`, 'Most bytes of writes that wait'),
  idempotencyRetentionMs: settingOf(number(60_000, 720 * HOUR_MS), `${24 * HOUR_MS}`, 'How long request ids are kept'),
  maxVectorMemoryBytes: settingOf(number(MIB, 1024 * 1024 * MIB), `${256 * MIB}`, 'Most memory for vector indexes'),
  maxExactVectors: settingOf(number(0, 10_000_000), '5000', 'Vectors up to which a search is exact'),
  vectorSnapshotIntervalMs: settingOf(number(1000, 24 * HOUR_MS), '60000', 'Time between snapshots of vector indexes'),
  workingMemoryTtlMs: settingOf(
    number(0, 36_500 * DAY_MS),
    '0',
    'Time to live of keys set without one; 0 is no expiry',
  ),
  sessionIdleTtlMs: settingOf(
    number(0, 36_500 * DAY_MS),
    '0',
    'Time without a write after which sessions end; 0: never',
  ),
  maxSessionKeys: settingOf(number(1, 1_000_000), '10000', 'Most keys of a session'),
  maxSessionBytes: settingOf(number(1024, 1024 * MIB), `${64 * MIB}`, 'Most bytes of keys and values of a session'),
  maxSessionNotes: settingOf(number(1, 10_000_000), '100000', 'Most notes of a scratchpad; the oldest are dropped'),
  maxSessionNoteBytes: settingOf(number(1024, 1024 * MIB), `${64 * MIB}`, 'Most bytes of the notes of a scratchpad'),
  maxSessionCheckpoints: settingOf(number(1, 100_000), '1000', 'Most checkpoints of a session'),
  maxCheckpointBytes: settingOf(number(1024, 1024 * MIB), `${256 * MIB}`, 'Most bytes of the checkpoints of a session'),
  maxSessionChanges: settingOf(
    number(1, 1_000_000),
    '10000',
    'Writes of a session whose changes are kept for watchers',
  ),
  checkpointRetentionMs: settingOf(
    number(1000, 36_500 * DAY_MS),
    `${7 * DAY_MS}`,
    'How long checkpoints of pauses are kept',
  ),
  sessionRetentionMs: settingOf(
    number(1000, 36_500 * DAY_MS),
    `${7 * DAY_MS}`,
    'How long terminated sessions are remembered',
  ),
  sessionLossHoldMs: settingOf(
    number(0, 36_500 * DAY_MS),
    `${HOUR_MS}`,
    'How long missing sessions are reported as lost after Redis lost sessions',
  ),
  eventRetentionMs: settingOf(number(1000, 36_500 * DAY_MS), `${7 * DAY_MS}`, 'How long events of sessions are kept'),
  maxHooks: settingOf(number(0, 10_000), '64', 'Most hooks that are registered at once'),
  maxStreamsPerCaller: settingOf(number(1, 100_000), '1000', 'Most streams that one caller has open'),
  maxStreamStallMs: settingOf(
    number(100, HOUR_MS),
    '30000',
    'Longest time a stream may go without its caller reading, or without its first message',
  ),
  maxLogCount: settingOf(number(1000, 1e12), '1000000', 'Entries of the change log up to which it is kept'),
  maxLogBytes: settingOf(number(MIB, 1e15), `${256 * MIB}`, 'Bytes of the change log up to which it is kept'),
  maxLogAgeMs: settingOf(number(1000, 1e14), `${30 * 24 * HOUR_MS}`, 'Age of changes up to which the log is kept'),
  logCompactionIntervalMs: settingOf(number(100, HOUR_MS), '60000', 'Time between removals of old changes'),
  expiryIntervalMs: settingOf(number(100, HOUR_MS), '30000', 'Time between erasures of expired memories'),
  maintenanceIntervalMs: settingOf(
    number(100, 24 * HOUR_MS),
    '30000',
    'Time between maintenance runs; at a day, limits are not checked in between either',
  ),
  tierLimitIntervalMs: settingOf(number(100, HOUR_MS), '1000', 'Time between checks for tiers well above a limit'),
  maxProcessBytes: settingOf(
    number(0, 1024 * 1024 * MIB),
    '0',
    'Resident memory of the process above which memories move down; 0 is no limit',
  ),
  memoryPressurePercent: settingOf(
    number(1, 100),
    '90',
    'Percentage of max-process-bytes, or of maxmemory of Redis, above which memories move down',
  ),
  memoryPressureIntervalMs: settingOf(number(100, HOUR_MS), '5000', 'Time between checks of memory use'),
  embeddingIntervalMs: settingOf(number(100, HOUR_MS), '5000', 'Time between checks for texts without a vector'),

  redisUrl: settingOf(
    optional(redisUrls()),
    '',
    'Redis, or nodes of a Redis cluster, such as redis://host:6379, for sessions and tiers shared by servers',
    { secret: true },
  ),
  redisKeyPrefix: settingOf(
    text('a name'),
    'mneme',
    'Prefix of all keys in Redis; servers with the same prefix share data',
  ),
  redisConnectTimeoutMs: settingOf(number(100, 60_000), '2000', 'Longest wait for a connection to Redis'),
  redisCommandTimeoutMs: settingOf(number(50, 60_000), '2000', 'Longest wait for an answer of Redis'),
  redisRetryMs: settingOf(number(50, 60_000), '1000', 'Pause after three failures of Redis'),
  sessionsWhenLost: settingOf(choice('fail', 'serve_local'), 'fail', 'Working memory while Redis does not answer'),
  backendProbeIntervalMs: settingOf(
    number(50, HOUR_MS),
    '1000',
    'Time between checks that Redis answers, which health reports',
  ),
  redisKeptDeletions: settingOf(
    number(1000, 100_000_000),
    '100000',
    'Deletions of a namespace that Redis keeps for servers that are away, about',
  ),
  redisKeptUpdates: settingOf(
    number(100, 10_000_000),
    '10000',
    'Updates of long-term memories of a namespace that Redis keeps for servers that are away',
  ),
  redisKeptDeletedNamespacesMs: settingOf(
    number(HOUR_MS, 36_500 * DAY_MS),
    `${30 * DAY_MS}`,
    'How long Redis keeps the deletion of a namespace for servers that are away',
  ),
  heartbeatIntervalMs: settingOf(number(50, HOUR_MS), '15000', 'Silence after which a stream sends a heartbeat'),
  maxPipelineOperations: settingOf(number(1, 4096), '256', 'Most operations of a pipeline without an answer'),
  maxPipelineBytesInFlight: settingOf(
    number(MIB, 1024 * MIB),
    `${32 * MIB}`,
    'Most bytes of operations and answers of a pipeline in flight',
  ),
  recallCacheCount: settingOf(number(0, 1_000_000), '0', 'Most answers of Recall that are cached; 0 is none'),
  recallCacheBytes: settingOf(number(65_536, 16_384 * MIB), `${32 * MIB}`, 'Most bytes of cached answers'),
  recallCacheTtlMs: settingOf(number(1, DAY_MS), '60000', 'Longest time an answer is cached'),
  maxIngestBytesInFlight: settingOf(
    number(MIB, 256 * MIB),
    `${8 * MIB}`,
    'Most bytes of an ingest that wait for the disk',
  ),
};
