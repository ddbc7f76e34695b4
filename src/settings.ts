import { address, choice, number, optional, settingOf, text, yesOrNo } from './setting.ts';

const MIB = 1_048_576;
const HOUR_MS = 3_600_000;

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
  logFormat: settingOf(choice('auto', 'json', 'text'), 'auto', 'Form of the log; auto: text on a terminal, else json'),

  embedder: settingOf(
    choice('none', 'static', 'hashing', 'http', 'transformers'),
    'static',
    'What turns texts into vectors',
  ),
  ranker: settingOf(choice('learned', 'fusion'), 'learned', 'What puts memories found by words in order'),
  embedderUrl: settingOf(
    optional(text('a URL', '<url>')),
    '',
    'OpenAI-compatible endpoint, such as http://host:11434/v1',
  ),
  embedderModel: settingOf(optional(text('a name')), '', 'Model to ask the endpoint for, or of the hub'),
  embedderPath: settingOf(optional(path), '', 'Folder of a model for transformers; empty: it is downloaded'),
  embedderDimension: settingOf(number(0, 4096), '0', 'Dimension of the vectors; 0: as the embedder gives them'),
  embedderTimeoutMs: settingOf(number(100, 600_000), '10000', 'Longest wait for one answer of the endpoint'),
  embedderBatchSize: settingOf(number(1, 1000), '32', 'Most texts in one request to the endpoint'),
  embedderApiKey: settingOf(optional(text('a key')), '', 'Key for the endpoint', { secret: true }),

  tlsCert: settingOf(optional(path), '', 'PEM file of the certificate chain; switches TLS on'),
  tlsKey: settingOf(optional(path), '', 'PEM file of the private key'),
  tlsClientCa: settingOf(optional(path), '', 'PEM file of the authorities that clients need a certificate of'),
  authTokensFile: settingOf(optional(path), '', 'File of bearer tokens, one a line; callers must bring one of them'),
  authTokens: settingOf(optional(text('tokens')), '', 'Bearer tokens, separated by commas', { secret: true }),
  allowInsecure: settingOf(yesOrNo(), 'false', 'Allows listening beyond loopback without TLS and credentials'),

  metricsListen: settingOf(optional(address()), '', 'Address to serve /metrics and /healthz on; empty: off'),
  autoCreateNamespaces: settingOf(yesOrNo(), 'true', 'Makes a namespace when a memory is first stored in it'),

  maxRequestBytes: settingOf(number(65_536, 64 * MIB), `${4 * MIB}`, 'Largest request message'),
  maxResponseBytes: settingOf(number(65_536, 64 * MIB), `${16 * MIB}`, 'Largest answer message'),
  maxBatchSize: settingOf(number(1, 1000), '1000', 'Most memories in a batch'),
  maxPageSize: settingOf(number(1, 1000), '1000', 'Most results in a page; larger requests get this many'),
  maxPageBytes: settingOf(
    number(65_536, 16 * MIB),
    `${3 * MIB}`,
    'Bytes of texts and contents after which a page ends',
  ),
  defaultDeadlineMs: settingOf(number(100, HOUR_MS), '30000', 'Deadline of a call that brings none'),
  maxDeadlineMs: settingOf(number(100, HOUR_MS), '30000', 'Longest deadline of a call; streams have no longest'),
  maxCallsInFlight: settingOf(number(1, 100_000), '2048', 'Most calls served at once; more are refused as OVERLOADED'),
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
  expiryIntervalMs: settingOf(number(100, HOUR_MS), '30000', 'Time between erasures of expired memories'),
  embeddingIntervalMs: settingOf(number(100, HOUR_MS), '5000', 'Time between looks for texts still to be embedded'),
};
