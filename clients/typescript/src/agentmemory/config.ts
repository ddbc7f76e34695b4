import type { ConnectOptions } from '../options.ts';
import { isText } from './checks.ts';
import { LOG_LEVELS, type Logger, type LogLevel, standardError } from './log.ts';
import { isRecord } from './models.ts';
import { Config, declareOptions, invalidOption, kind, number, type Option, oneOf, only, whole } from './options.ts';
import { shown } from './shown.ts';

const REDIS = 'Redis belongs to the server: start it with MNEME_REDIS_URL.';
const MODEL = 'Vectors come from the embedder of the server: start it with --embedder.';
const TTL_MAX_S = 520 * 7 * 86_400;
const WHITELIST_MAX = 64;

const seconds = (value: number) => `${Math.round(value * 1000)}ms`;

/** Options of a tier that the upstream library keeps in Redis. */
export interface RedisTierOptions {
  readonly host?: string;
  readonly port?: number;
  readonly db?: number;
  readonly namespace?: string;
  readonly password?: string | null;
  readonly useMock?: boolean;
  /** Most memories of the namespace in the tier; more move down. Default 10,000 short-term, 50,000 intermediate. */
  readonly memoryLimit?: number;
  /** Seconds after which a memory moves down. Default 3,600 short-term, 86,400 intermediate. */
  readonly ttl?: number;
  /** True: `retrieveStateById` counts no access and moves nothing up. Default false. */
  readonly testMode?: boolean;
}

function redisOptions(db: number, namespace: string): Record<string, Option> {
  return {
    host: only('localhost', REDIS),
    port: only(6379, REDIS),
    db: only(db, REDIS),
    namespace: only(namespace, 'Use namespace of MemoryConfig.'),
    password: only(null, REDIS),
    useMock: only(false, 'The server needs no Redis; startServer of @mneme/client/testing starts one for a test.'),
  };
}

/** Short-term memory. */
export class RedisSTMConfig extends Config {
  declare memoryLimit: number;
  declare ttl: number;
  declare testMode: boolean;

  constructor(options: RedisTierOptions = {}) {
    super(options);
  }
}

declareOptions(RedisSTMConfig, {
  ...redisOptions(0, 'agent-stm'),
  memoryLimit: { default: 10_000, check: whole(1), setting: 'short_term.memory_limit' },
  ttl: { default: 3_600, check: number(0.001, TTL_MAX_S), setting: 'short_term.ttl', text: seconds },
  testMode: { default: false, check: kind('boolean') },
});

/** Intermediate memory. */
export class RedisIMConfig extends Config {
  declare memoryLimit: number;
  declare ttl: number;
  declare testMode: boolean;

  constructor(options: RedisTierOptions = {}) {
    super(options);
  }
}

declareOptions(RedisIMConfig, {
  ...redisOptions(1, 'agent-im'),
  memoryLimit: { default: 50_000, check: whole(1), setting: 'intermediate.memory_limit' },
  ttl: { default: 86_400, check: number(0.001, TTL_MAX_S), setting: 'intermediate.ttl', text: seconds },
  testMode: { default: false, check: kind('boolean') },
});

export interface SQLiteLTMOptions {
  readonly dbPath?: string;
  readonly batchSize?: number;
  readonly tablePrefix?: string;
  readonly whitelistedFields?: readonly string[];
  /** Level of zstd of long-term contents, 0 to 19; it loses nothing. Default: that of the server, 9. */
  readonly compressionLevel?: number;
  /** False: any type may move to long-term memory. Default true. */
  readonly whitelistEnabled?: boolean;
  /** Types that may move to long-term memory, up to 64. Default `['*']`: all. */
  readonly whitelistedTypes?: readonly string[];
}

/** Long-term memory. */
export class SQLiteLTMConfig extends Config {
  declare compressionLevel: number;
  declare whitelistEnabled: boolean;
  declare whitelistedTypes: readonly string[];

  constructor(options: SQLiteLTMOptions = {}) {
    super(options);
  }

  /** Also the types, which two options determine together. */
  override settings(): Record<string, string> {
    const found = super.settings();
    if (this.isGiven('whitelistEnabled') || this.isGiven('whitelistedTypes')) {
      const isOpen = !this.whitelistEnabled || this.whitelistedTypes.includes('*');
      found['long_term.types'] = isOpen ? 'none' : this.whitelistedTypes.join(',');
    }
    return found;
  }
}

declareOptions(SQLiteLTMConfig, {
  dbPath: only('./ltm.db', 'The server keeps long-term memory in its data folder (--data).'),
  batchSize: only(100, 'The server moves batches of up to 500 memories.'),
  tablePrefix: only('ltm', 'Use namespace of MemoryConfig.'),
  whitelistedFields: only(['*'], 'The server can drop fields instead: its setting long_term.drop_keys.'),
  compressionLevel: { default: 9, check: whole(0, 19), setting: 'long_term.compression_level' },
  whitelistEnabled: { default: true, check: kind('boolean') },
  whitelistedTypes: { default: ['*'], check: typeNames },
});

function typeNames(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.every((each) => isText(each) && !each.includes(','));
  if (isList && value.length >= 1 && value.length <= WHITELIST_MAX) return undefined;
  return `must be a list of 1 to ${WHITELIST_MAX} names of types, or ['*'], got ${shown(value)}`;
}

export interface AutoencoderOptions {
  readonly inputDim?: number;
  /** Dimension of the whole vector, which is that of the server's embedder: another one is refused. */
  readonly stmDim?: number;
  /** Leading values that recall compares in intermediate memory (default: all); size of `compressed_vector`. */
  readonly imDim?: number;
  /** Leading values that recall compares in long-term memory (default: all); size of `abstract_vector`. */
  readonly ltmDim?: number;
  readonly useNeuralEmbeddings?: boolean;
  readonly modelPath?: string;
  readonly embeddingType?: string;
  readonly textModelName?: string;
}

/** Sizes of the vectors of the tiers. */
export class AutoencoderConfig extends Config {
  declare stmDim: number;
  declare imDim: number;
  declare ltmDim: number;

  constructor(options: AutoencoderOptions = {}) {
    super(options);
  }

  protected override checkTogether(): void {
    const names = (['stmDim', 'imDim', 'ltmDim'] as const).filter((name) => this.isGiven(name));
    names.forEach((narrow, place) => {
      const wide = names[place - 1];
      if (wide === undefined || this[wide] >= this[narrow]) return;
      throw invalidOption(narrow, `must not exceed ${wide}, got ${this[narrow]} and ${this[wide]}`);
    });
  }
}

declareOptions(AutoencoderConfig, {
  inputDim: only(64, MODEL),
  stmDim: { default: 768, check: whole(1, 4_096) },
  imDim: { default: 384, check: whole(1, 4_096), setting: 'intermediate.vector_dimension' },
  ltmDim: { default: 128, check: whole(1, 4_096), setting: 'long_term.vector_dimension' },
  useNeuralEmbeddings: only(false, MODEL),
  modelPath: only('./models/autoencoder.pt', MODEL),
  embeddingType: only('autoencoder', MODEL),
  textModelName: only('all-MiniLM-L6-v2', 'Use textModelName of MemoryConfig.'),
});

/** Model whose table the server's embedder `static` is made from. */
export const STATIC_MODEL = 'all-MiniLM-L6-v2';

export interface MemoryOptions {
  /** Stored memories of one agent after which its API runs maintenance of the namespace. Default 100. */
  readonly cleanupInterval?: number;
  /** What importance is multiplied by for every day of age, 0 to 1. Default 0.95. */
  readonly memoryPriorityDecay?: number;
  /** False: agents with hooks act as without. Default true. */
  readonly enableMemoryHooks?: boolean;
  /** Least severe message that is logged. Default `INFO`. */
  readonly loggingLevel?: LogLevel;
  /** Takes the messages. Default: lines on standard error. */
  readonly logger?: Logger;
  /** False: entries have no vectors, and retrieval by similarity throws. Default true. */
  readonly useEmbeddingEngine?: boolean;
  /** Model of the vectors, which is that of the server's embedder: another one is refused. */
  readonly textModelName?: string;
  readonly stmConfig?: RedisSTMConfig | RedisTierOptions;
  readonly imConfig?: RedisIMConfig | RedisTierOptions;
  readonly ltmConfig?: SQLiteLTMConfig | SQLiteLTMOptions;
  readonly autoencoderConfig?: AutoencoderConfig | AutoencoderOptions;
  /** `host:port` of the server. Default: the variable `MNEME_SERVER`, or 127.0.0.1:50051. */
  readonly address?: string;
  /** Namespace of the memories. Default: the variable `MNEME_NAMESPACE`, or `default`. */
  readonly namespace?: string;
  /** Bearer token. Default: the variable `MNEME_TOKEN`. */
  readonly token?: string;
  /** More options of `connect`, such as `{ timeoutMs: 2_000 }`. */
  readonly connect?: ConnectOptions;
  /** Most memories of hooks that wait to be stored. Default 10,000. */
  readonly queueLimit?: number;
  /** Most bytes of them. Default 67,108,864 (64 MiB). */
  readonly queueBytes?: number;
}

/** Changes of a configuration: by name, by dotted name such as `stmConfig.memoryLimit`, or an object for a part. */
export type MemoryConfigChanges = MemoryOptions & { readonly [dottedName: string]: unknown };

/**
 * Configuration of an `AgentMemoryAPI`.
 *
 * Limits, times to live, decay, compression and whitelisted types are settings of the namespace in the server; they are
 * sent before the first call of an `AgentMemoryAPI`. Only options that were set are sent: others keep the server's value.
 * An option without an equivalent accepts its default only.
 */
export class MemoryConfig extends Config {
  declare cleanupInterval: number;
  declare memoryPriorityDecay: number;
  declare enableMemoryHooks: boolean;
  declare loggingLevel: LogLevel;
  declare logger: Logger;
  declare useEmbeddingEngine: boolean;
  declare textModelName: string;
  declare stmConfig: RedisSTMConfig;
  declare imConfig: RedisIMConfig;
  declare ltmConfig: SQLiteLTMConfig;
  declare autoencoderConfig: AutoencoderConfig;
  declare address: string | undefined;
  declare namespace: string | undefined;
  declare token: string | undefined;
  declare connect: ConnectOptions;
  declare queueLimit: number;
  declare queueBytes: number;

  constructor(options: MemoryOptions = {}) {
    super(options);
  }

  /** A copy with changes. */
  changed(changes: MemoryConfigChanges): MemoryConfig {
    return new MemoryConfig(this.merged(changes));
  }
}

declareOptions(
  MemoryConfig,
  {
    cleanupInterval: { default: 100, check: whole(1) },
    memoryPriorityDecay: { default: 0.95, check: number(0, 1), setting: 'importance.decay_factor' },
    enableMemoryHooks: { default: true, check: kind('boolean') },
    loggingLevel: { default: 'INFO', check: oneOf(...LOG_LEVELS) },
    logger: { default: standardError, check: kind('function') },
    useEmbeddingEngine: { default: true, check: kind('boolean') },
    textModelName: { default: STATIC_MODEL, check: kind('string') },
    address: { default: undefined, check: kind('string') },
    namespace: { default: undefined, check: kind('string') },
    token: { default: undefined, check: kind('string') },
    connect: { default: {}, check: connectOptions },
    queueLimit: { default: 10_000, check: whole(1, 10_000_000) },
    queueBytes: { default: 64 * 2 ** 20, check: whole(1_024) },
  },
  {
    stmConfig: RedisSTMConfig,
    imConfig: RedisIMConfig,
    ltmConfig: SQLiteLTMConfig,
    autoencoderConfig: AutoencoderConfig,
  },
);

function connectOptions(value: unknown): string | undefined {
  return isRecord(value) ? undefined : `must be an object of options of connect, got ${shown(value)}`;
}
