import * as z from '#zod';
import {
  address,
  bytes,
  choice,
  count,
  httpUrl,
  ms,
  optionalPath,
  optionalText,
  origins,
  path,
  percent,
  postgresUrl,
  redisUrls,
  schemaName,
  text,
  yesOrNo,
} from './setting.ts';

const MIB = 1_048_576;
const GIB = 1024 * MIB;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CENTURY_MS = 36_500 * DAY_MS;

const first = {
  listen: address('127.0.0.1:50051', 'Address to serve on, gRPC and HTTP; port 0 takes a free one'),
  data: path('./data', 'Folder that holds the memories; made when missing'),
  embedder: choice(['none', 'static', 'hashing', 'http', 'transformers'], 'static', 'Embedder of texts'),
  redisUrl: redisUrls('Redis, or nodes of a Redis cluster, such as redis://host:6379, for sessions'),
  tlsCert: optionalPath('PEM file of the certificate chain; switches TLS on'),
  tlsKey: optionalPath('PEM file of the private key'),
  authTokensFile: optionalPath('File of bearer tokens, one a line; callers must send one of them'),
  http: choice(['on', 'off'], 'on', 'Connect, gRPC-Web and probes over HTTP/1.1, on the address of gRPC'),
  allowInsecure: yesOrNo(false, 'Allows listening beyond loopback without TLS and credentials'),
  metricsListen: address('', 'Address to serve /metrics, /healthz and /readyz on over HTTP'),
  logLevel: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'Least severe message to log; debug logs every call',
  ),
};

const access = {
  tlsClientCa: optionalPath('PEM file of authorities; clients must show a certificate of one'),
  tlsClientIdentities: yesOrNo(false, 'Identifies callers without a bearer token by their client certificates'),
  authTokens: optionalText('Bearer tokens, separated by commas', { expected: 'tokens', isSecret: true }),
  tlsIntervalMs: ms(100, DAY_MS, 10_000, 'Time between checks of the files of certificates for changes'),
  authTokensIntervalMs: ms(100, HOUR_MS, 1000, 'Time between checks of tokens, API keys and the policy for changes'),
  apiKeysFile: optionalPath('File of API keys, which "mneme keys" makes; callers may send one'),
  policyFile: optionalPath(
    'JSON file of the namespaces, scopes and verbs that identities may use, and of their limits',
  ),
  jwtKeys: optionalText('JWKS of the issuer of JWT: a path, or an https address', {
    expected: 'a path or an https address',
    placeholder: '<path|url>',
  }),
  jwtIssuer: optionalText('Issuer (iss) that JWT must have'),
  jwtAudience: optionalText('Audience (aud) that JWT must have'),
  jwtAlgorithms: text(
    'RS256,PS256,ES256,EdDSA',
    'Algorithms of signatures that JWT may have, separated by commas; never none or HS*',
  ),
  jwtIdentityClaim: text('sub', 'Claim of a JWT with the identity'),
  jwtNamespacesClaim: optionalText('Claim of a JWT with the namespaces that it is limited to'),
  jwtClockSkewMs: ms(0, 300_000, 30_000, 'Difference of the clocks of issuer and server that is accepted'),
  jwtKeysTtlMs: ms(1000, DAY_MS, 600_000, 'Time after which the JWKS is read again'),
  jwtTimeoutMs: ms(100, 60_000, 5000, 'Longest wait for the JWKS'),
  httpOrigins: origins('Origins of web pages that may call, such as https://app.example.com, separated by commas'),
  inspector: choice(
    ['on', 'off'],
    'on',
    'Pages that show and change what is stored, for browsers: on loopback, elsewhere where calls need credentials',
  ),
  allowInsecureMetrics: yesOrNo(false, 'Allows metrics beyond loopback without TLS or without a token'),
  autoCreateNamespaces: yesOrNo(true, 'Makes a namespace when a memory is first stored in it'),
};

const log = {
  auditFolder: optionalPath(
    'Folder of the audit log of administrative and destructive operations, of one server; without it, none is kept',
  ),
  auditFileBytes: bytes(4096, GIB, 16 * MIB, 'Bytes at which a file of the audit log is full'),
  auditTotalBytes: bytes(
    MIB,
    1024 * GIB,
    GIB,
    'Bytes of each kind of files of the audit log beyond which the oldest are deleted',
  ),
  logFormat: choice(['auto', 'json', 'text'], 'auto', 'Format of the log; auto is text on a terminal, otherwise json'),
};

const observability = {
  metricsTlsCert: optionalPath('PEM file of the certificate chain for the metrics listener; switches its TLS on'),
  metricsTlsKey: optionalPath('PEM file of its private key'),
  metricsTokenFile: optionalPath('File of bearer tokens, one a line; readers of /metrics must send one of them'),
  metricsNamespaceCount: count(
    0,
    1000,
    0,
    'Largest namespaces that metrics of tiers have a label for; 0: metrics name no namespace',
  ),
  otlpUrl: httpUrl(
    '',
    'Collector of traces, by OTLP over HTTP, such as http://localhost:4318; without it, none are made',
  ),
  otlpHeaders: optionalText('Headers for the collector, such as authorization=Bearer%20x, separated by commas', {
    expected: 'name=value',
    isSecret: true,
  }),
  otlpTimeoutMs: ms(100, 60_000, 5000, 'Longest wait for the collector'),
  traceSamplePercent: percent(0, 100, 100, 'Percentage of traces that are recorded, unless the caller has decided'),
  traceQueueCount: count(512, 100_000, 4096, 'Most spans that wait for the collector; more are dropped and counted'),
};

const vectors = {
  ranker: choice(['learned', 'fusion'], 'learned', 'Ranker of the memories found by words'),
  embedderUrl: httpUrl('', 'OpenAI-compatible endpoint, such as http://host:11434/v1'),
  embedderModel: optionalText('Name of the model at the endpoint or the hub'),
  embedderPath: optionalPath('Folder of a model for transformers; without it, it is downloaded'),
  embedderHub: httpUrl('https://huggingface.co', 'Hub to download the model from, or a mirror of it'),
  embedderHubToken: optionalText('Token for models of the hub that are not public', {
    expected: 'a token',
    isSecret: true,
  }),
  embedderApiKey: optionalText('Key for the endpoint', { expected: 'a key', isSecret: true }),
  embedderDimension: count(0, 4096, 0, 'Dimension of the vectors; 0 is that of the embedder'),
  embedderTimeoutMs: ms(100, 600_000, 10_000, 'Longest wait for an answer of the endpoint or hub'),
  embedderBatchSize: count(1, 1000, 32, 'Most texts in one request to the endpoint'),
  embeddingIntervalMs: ms(100, HOUR_MS, 5000, 'Time between checks for texts without a vector'),
  searchThreads: count(0, 64, 0, 'Threads of recalls, each for some namespaces; 0 is half of the cores, 4 at most'),
  maxVectorMemoryBytes: bytes(
    MIB,
    1024 * GIB,
    256 * MIB,
    'Most memory for vectors, texts, columns and graphs of namespaces, divided among the search threads',
  ),
  maxExactVectors: count(0, 10_000_000, 5000, 'Vectors up to which a search is exact'),
  vectorSnapshotIntervalMs: ms(1000, DAY_MS, 60_000, 'Time between snapshots of vector indexes'),
};

const cache = {
  recallCacheCount: count(0, 1_000_000, 0, 'Most answers of Recall that are cached; 0 is none'),
  recallCacheBytes: bytes(65_536, 16 * GIB, 32 * MIB, 'Most bytes of cached answers'),
  recallCacheTtlMs: ms(1, DAY_MS, 60_000, 'Longest time an answer is cached'),
};

const extraction = {
  extractor: choice(['rules', 'verbatim', 'model', 'client'], 'rules', 'Extractor of facts from conversations'),
  extractorUrl: httpUrl('', 'OpenAI-compatible chat endpoint of the extractor model, such as http://host:11434/v1'),
  extractorModel: optionalText('Name of the model at the endpoint of the extractor'),
  extractorApiKey: optionalText('Key for the endpoint of the extractor', { expected: 'a key', isSecret: true }),
  extractorTimeoutMs: ms(100, 600_000, 60_000, 'Longest wait for an answer of the extractor model'),
  extractorInputTokens: count(256, 1_000_000, 4000, 'Tokens of messages in one request to the model, about'),
  extractorOutputTokens: count(64, 1_000_000, 4000, 'Most tokens that the model may write in one answer'),
  extractionConcurrency: count(1, 256, 8, 'Most extractions that run at once'),
  extractionTimeoutMs: ms(100, HOUR_MS, 120_000, 'Longest time of one extraction'),
  extractionAttempts: count(1, 100, 5, 'Attempts to extract from a message before it is given up'),
  maxExtractorClients: count(1, 10_000, 256, 'Most clients that serve extraction at once'),
  extractionSweepIntervalMs: ms(100, DAY_MS, 60_000, 'Time between searches for messages that are not extracted'),
};

const calls = {
  maxRequestBytes: bytes(65_536, 64 * MIB, 4 * MIB, 'Largest request message'),
  maxResponseBytes: bytes(65_536, 64 * MIB, 16 * MIB, 'Largest answer message'),
  maxBatchSize: count(1, 1000, 1000, 'Most memories in a batch'),
  maxPageSize: count(1, 1000, 1000, 'Most results in a page; a request for more is refused'),
  maxPageBytes: bytes(65_536, 16 * MIB, 3 * MIB, 'Bytes of texts and contents after which a page ends'),
  defaultDeadlineMs: ms(100, HOUR_MS, 30_000, 'Deadline of a call without one'),
  maxDeadlineMs: ms(100, HOUR_MS, 30_000, 'Longest deadline of a call; streams have no limit'),
  maxCallsInFlight: count(
    1,
    100_000,
    2048,
    'Most calls served at once, three quarters of them streams; more are refused as OVERLOADED',
  ),
  maxEventLoopLagMs: ms(
    0,
    60_000,
    2000,
    'Longest wait of calls for their turn, above which more are refused as OVERLOADED; 0 is no limit',
  ),
  maxRequestWaitMs: ms(100, HOUR_MS, 30_000, 'Longest wait for the request of a call after its headers'),
  connectionsMax: count(1, 100_000, 4096, 'Most connections at once; more are closed'),
  connectionsPerAddressMax: count(1, 100_000, 1024, 'Most connections at once from one address; more are closed'),
  maxHandshakeMs: ms(
    100,
    HOUR_MS,
    10_000,
    'Longest time from a connection to its first HTTP/2 settings or request of HTTP/1.1, TLS included',
  ),
  maxConcurrentStreams: count(1, 100_000, 1000, 'Most calls at once on one connection; more wait'),
  http2WindowBytes: bytes(65_535, 64 * MIB, 4 * MIB, 'Flow-control window of connections and calls'),
  keepaliveTimeMs: ms(1000, DAY_MS, 30_000, 'Silence after which a connection is probed'),
  keepaliveTimeoutMs: ms(100, HOUR_MS, 10_000, 'Longest wait for the answer to a probe'),
  keepaliveMinMs: ms(
    0,
    HOUR_MS,
    5000,
    'Shortest time between probes of an idle caller; after three early ones its connection is closed; 0 is no limit',
  ),
  maxConnectionAgeMs: ms(
    0,
    30 * DAY_MS,
    0,
    'Age, give or take a tenth, at which a connection takes no more calls, so that load is balanced anew; 0 is no limit',
  ),
  maxConnectionAgeGraceMs: ms(0, HOUR_MS, 30_000, 'Longest wait for the calls of a connection that takes no more'),
  drainWaitMs: ms(
    0,
    HOUR_MS,
    0,
    'Time between NOT_SERVING and the end of service when stopping; behind a proxy longer than its health checks take',
  ),
  shutdownGraceMs: ms(0, HOUR_MS, 10_000, 'Longest wait for calls in flight when stopping'),
};

const writes = {
  maxWriteQueueCount: count(1, 1_000_000, 4096, 'Most writes that wait; more are refused as QUEUE_FULL'),
  maxWriteQueueBytes: bytes(MIB, GIB, 64 * MIB, 'Most bytes of writes that wait'),
  maxIngestBytesInFlight: bytes(MIB, 256 * MIB, 8 * MIB, 'Most bytes of an ingest that wait for the disk'),
  idempotencyRetentionMs: ms(60_000, 30 * DAY_MS, DAY_MS, 'How long request ids are kept'),
};

const sessions = {
  workingMemoryTtlMs: ms(0, CENTURY_MS, 0, 'Time to live of keys set without one; 0 is no expiry'),
  sessionIdleTtlMs: ms(0, CENTURY_MS, 0, 'Time without a write after which sessions end; 0: never'),
  maxSessionKeys: count(1, 1_000_000, 10_000, 'Most keys of a session'),
  maxSessionBytes: bytes(1024, GIB, 64 * MIB, 'Most bytes of keys and values of a session'),
  maxSessionNotes: count(1, 10_000_000, 100_000, 'Most notes of a scratchpad; the oldest are dropped'),
  maxSessionNoteBytes: bytes(1024, GIB, 64 * MIB, 'Most bytes of the notes of a scratchpad'),
  maxSessionCheckpoints: count(1, 100_000, 1000, 'Most checkpoints of a session'),
  maxCheckpointBytes: bytes(1024, GIB, 256 * MIB, 'Most bytes of the checkpoints of a session'),
  maxSessionChanges: count(1, 1_000_000, 10_000, 'Writes of a session whose changes are kept for watchers'),
  checkpointRetentionMs: ms(1000, CENTURY_MS, 7 * DAY_MS, 'How long checkpoints of pauses are kept'),
  sessionRetentionMs: ms(1000, CENTURY_MS, 7 * DAY_MS, 'How long terminated sessions are remembered'),
  sessionLossHoldMs: ms(
    0,
    CENTURY_MS,
    HOUR_MS,
    'How long missing sessions are reported as lost after Redis lost sessions',
  ),
  eventRetentionMs: ms(1000, CENTURY_MS, 7 * DAY_MS, 'How long events of sessions are kept'),
  maxHooks: count(0, 10_000, 64, 'Most hooks that are registered at once'),
  maxHooksPerCaller: count(1, 10_000, 16, 'Most hooks that one caller has registered'),
  requiredHookTokensFile: optionalPath(
    'File of tokens, one a line, whose callers may register required hooks; without it, all callers may',
  ),
};

const streams = {
  maxStreamsPerCaller: count(1, 100_000, 1000, 'Most streams that one caller has open'),
  maxStreamStallMs: ms(
    100,
    HOUR_MS,
    30_000,
    'Longest time a stream may go without its caller reading, or without its first message',
  ),
  heartbeatIntervalMs: ms(50, HOUR_MS, 15_000, 'Silence after which a stream sends a heartbeat'),
  maxLogCount: count(1000, 1e12, 1_000_000, 'Entries of the change log up to which it is kept'),
  maxLogBytes: bytes(MIB, 1e15, 256 * MIB, 'Bytes of the change log up to which it is kept'),
  maxLogAgeMs: ms(1000, 1e14, 30 * DAY_MS, 'Age of changes up to which the log is kept'),
  logCompactionIntervalMs: ms(100, HOUR_MS, 60_000, 'Time between removals of old changes'),
};

const tiers = {
  expiryIntervalMs: ms(100, HOUR_MS, 30_000, 'Time between erasures of expired memories'),
  maintenanceIntervalMs: ms(
    100,
    DAY_MS,
    30_000,
    'Time between maintenance runs; at a day, limits are not checked in between either',
  ),
  tierLimitIntervalMs: ms(100, HOUR_MS, 1000, 'Time between checks for tiers well above a limit'),
  maxProcessBytes: bytes(
    0,
    1024 * GIB,
    0,
    'Resident memory of the process above which memories move down; 0 is no limit',
  ),
  memoryPressurePercent: percent(
    1,
    100,
    90,
    'Percentage of max-process-bytes, or of maxmemory of Redis, above which memories move down',
  ),
  memoryPressureIntervalMs: ms(100, HOUR_MS, 5000, 'Time between checks of memory use'),
};

const redis = {
  redisKeyPrefix: text('mneme', 'Prefix of all keys in Redis; of one server, or of the servers of one PostgreSQL'),
  redisConnectTimeoutMs: ms(100, 60_000, 2000, 'Longest wait for a connection to Redis'),
  redisCommandTimeoutMs: ms(50, 60_000, 2000, 'Longest wait for an answer of Redis'),
  redisRetryMs: ms(50, 60_000, 1000, 'Pause after three failures of Redis'),
  sessionsWhenLost: choice(['fail', 'serve_local'], 'fail', 'Working memory while Redis does not answer'),
  backendProbeIntervalMs: ms(
    50,
    HOUR_MS,
    1000,
    'Time between checks that Redis answers and the data folder is in its place, which health reports',
  ),
};

const postgres = {
  postgresUrl: postgresUrl(
    'PostgreSQL that any number of servers share, such as postgresql://user@host:5432/database; sessions may be in Redis',
  ),
  upperTiers: choice(
    ['postgres', 'redis'],
    'postgres',
    'Store of texts and contents in the upper tiers, where PostgreSQL and Redis are set; the same at all servers',
  ),
  postgresSchema: schemaName('mneme', 'Schema of the tables; all servers that share them use the same'),
  postgresTlsCa: optionalPath('PEM file of authorities that the certificate of PostgreSQL is checked with'),
  postgresConnectionsMax: count(2, 1000, 10, 'Most connections for calls; half of them write, and two more listen'),
  postgresConnectTimeoutMs: ms(100, 60_000, 5000, 'Longest wait for a connection to PostgreSQL'),
  postgresStatementTimeoutMs: ms(100, 600_000, 10_000, 'Longest time of one statement, and of waiting for a lock'),
  viewDiskMaxBytes: bytes(
    0,
    1e15,
    0,
    'Disk space of the view above which the least recently used namespaces are evicted; 0 is no limit',
  ),
  viewBuildWaitMs: ms(10, 600_000, 5000, 'Longest wait of a call for a namespace that is built into the view'),
};

/** In the order of `serve --help`: common settings first. */
export const subjects = {
  'Settings to start with': first,
  Access: access,
  Log: log,
  'Metrics and traces': observability,
  'Vectors and ranking': vectors,
  'Cache of recall answers': cache,
  'Extraction from conversations': extraction,
  'Limits of calls and connections': calls,
  Writes: writes,
  'Working memory and sessions': sessions,
  'Streams and the change log': streams,
  'Tiers, expiry and memory use': tiers,
  Redis: redis,
  PostgreSQL: postgres,
};

/** Every setting of the server. */
export const settings = z.object({
  ...first,
  ...access,
  ...log,
  ...observability,
  ...vectors,
  ...cache,
  ...extraction,
  ...calls,
  ...writes,
  ...sessions,
  ...streams,
  ...tiers,
  ...redis,
  ...postgres,
});
