import { AlreadyExistsError, MnemeError } from '../errors.ts';
import { connect, type Mneme } from '../index.ts';
import { systemTiming, type Timing } from '../streams/timing.ts';
import { Cache } from './cache.ts';
import { type MemoryConfig, STATIC_MODEL } from './config.ts';
import { VectorForms } from './entries.ts';
import { type ExceptionContext, exceptionOf, type Kind, MemoryConfigException, refused } from './errors.ts';
import { Log } from './log.ts';
import { shown } from './shown.ts';

const DEFAULT_ADDRESS = '127.0.0.1:50051';
/** Failures of a connection: the configuration is sent again by the next call. */
const AWAY = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'CANCELLED', 'RESOURCE_EXHAUSTED']);
const unreferenced: Timing = {
  ...systemTiming,
  setTimer(callback, afterMs) {
    const timer = setTimeout(callback, afterMs).unref();
    return () => clearTimeout(timer);
  },
};
const FORMS_AGE_MAX_MS = 60_000;

/** Maintenance of one agent by an API. */
export interface Upkeep {
  /** Memories stored since the last maintenance. */
  insertCount: number;
  /** Of the last maintenance, in seconds since 1970. */
  lastTime: number | null;
}

/** An `AgentMemoryAPI` behind its calls: the client, the settings of its namespace, counts of inserts, the cache. */
export class Engine {
  readonly cache = new Cache();
  readonly log = new Log();
  readonly timing: Timing;
  /** Its timers do not keep the process from ending. */
  readonly background: Timing;
  readonly #stopping = new AbortController();
  readonly #wallClock: () => number;
  readonly #givenClient: Mneme | undefined;
  #config: MemoryConfig;
  #client: Mneme | undefined;
  #configured: Promise<void> | undefined;
  readonly #upkeep = new Map<string, Upkeep>();
  #forms: { readonly readMs: number; readonly forms: VectorForms } | undefined;

  /** `wallClock`: milliseconds since 1970. */
  constructor(config: MemoryConfig, client: Mneme | undefined, timing: Timing, wallClock: () => number) {
    this.#config = config;
    this.#givenClient = client;
    this.#client = client;
    this.timing = timing;
    this.background = timing === systemTiming ? unreferenced : timing;
    this.#wallClock = wallClock;
    this.log.set(config.logger, config.loggingLevel);
  }

  get config(): MemoryConfig {
    return this.#config;
  }

  /** The time in seconds since 1970. */
  now(): number {
    return this.#wallClock() / 1000;
  }

  /** The client, which connects when it is first used. */
  get client(): Mneme {
    this.#client ??= this.#connected();
    return this.#client;
  }

  #connected(): Mneme {
    const config = this.#config;
    const address = config.address ?? (variable('MNEME_SERVER') || DEFAULT_ADDRESS);
    const namespace = config.namespace ?? (variable('MNEME_NAMESPACE') || 'default');
    const token = config.token ?? variable('MNEME_TOKEN');
    try {
      return connect(address, { namespace, ...(token && { token }), ...config.connect });
    } catch (error) {
      throw refused(MemoryConfigException, 'connect', error instanceof Error ? error.message : String(error));
    }
  }

  /** The client, after the configuration has reached the server. */
  async ready(Kind: Kind, operation: string, context: ExceptionContext = {}): Promise<Mneme> {
    const { client } = this;
    // Of several first calls one sends the configuration; after a failure the next call sends it again.
    this.#configured ??= this.#send(this.#config.settings(), this.#config);
    const sent = this.#configured;
    try {
      await sent;
    } catch (error) {
      if (this.#configured === sent) this.#configured = undefined;
      throw configurationFailure(error, Kind, operation, context);
    }
    return client;
  }

  /** Sends the settings that a change of the configuration has, and keeps it. */
  async changeConfig(config: MemoryConfig, changed: Readonly<Record<string, string>>): Promise<void> {
    const operation = 'configureMemorySystem';
    await this.ready(MemoryConfigException, operation);
    try {
      await this.#send(changed, config);
    } catch (error) {
      throw configurationFailure(error, MemoryConfigException, operation, {});
    }
    this.#config = config;
    this.log.set(config.logger, config.loggingLevel);
  }

  /** Makes the namespace where it is missing, and gives it the settings. */
  async #send(settings: Readonly<Record<string, string>>, config: MemoryConfig): Promise<void> {
    const { client, signal } = this;
    await this.#checkModel(config);
    try {
      await client.namespaces.create(client.namespace, { settings }, { signal });
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      if (Object.keys(settings).length > 0)
        await client.namespaces.update(client.namespace, { settings }, { allowDemotion: true, signal });
    }
    this.#forms = undefined;
  }

  /** Refuses a model or a dimension that is not that of the server's embedder. */
  async #checkModel(config: MemoryConfig): Promise<void> {
    const sizes = config.autoencoderConfig;
    if (!config.isGiven('textModelName') && !sizes.isGiven('stmDim')) return;
    const { embedder } = await this.client.admin.getServerInfo({ signal: this.signal });
    const name = config.textModelName;
    const isStatic = embedder.kind === 'static' && name === STATIC_MODEL;
    if (config.isGiven('textModelName') && !isStatic && lastPart(embedder.model) !== lastPart(name))
      throw refused(MemoryConfigException, 'textModelName', otherThan(embedder.model, name));
    if (sizes.isGiven('stmDim') && sizes.stmDim !== embedder.dimension)
      throw refused(MemoryConfigException, 'autoencoderConfig.stmDim', otherThan(embedder.dimension, sizes.stmDim));
  }

  /** Forms of vectors in the lower tiers, as the server had them a minute ago at most. */
  async forms(): Promise<VectorForms> {
    const known = this.#forms;
    const readMs = this.timing.nowMs();
    if (known !== undefined && readMs - known.readMs < FORMS_AGE_MAX_MS) return known.forms;
    const { client } = this;
    const [shared, own] = await Promise.all([client.admin.getConfig(), client.namespaces.get()]);
    const forms = new VectorForms({ ...shared, ...own.settings });
    this.#forms = { readMs, forms };
    return forms;
  }

  /** Maintenance of one agent by this API. */
  upkeep(agent: string): Upkeep {
    const found = this.#upkeep.get(agent) ?? { insertCount: 0, lastTime: null };
    this.#upkeep.set(agent, found);
    return found;
  }

  /** Removes kept results, which a write made old. */
  wrote(): void {
    this.cache.clear();
  }

  /**
   * Counts inserts of an agent; every `cleanupInterval` of them, maintenance runs. Its failure is logged: the memories are
   * stored.
   */
  async stored(agent: string, count = 1): Promise<void> {
    this.wrote();
    const upkeep = this.upkeep(agent);
    upkeep.insertCount += count;
    if (upkeep.insertCount < this.#config.cleanupInterval) return;
    upkeep.insertCount = 0;
    try {
      await this.maintain(undefined);
      upkeep.lastTime = this.now();
    } catch (error) {
      if (!(error instanceof MnemeError)) throw error;
      this.log.write('WARNING', `maintenance of ${this.client.namespace} after ${agent}: ${error.message}`);
    }
  }

  /** Runs maintenance of an agent, or of the namespace. */
  async maintain(agent: string | undefined): Promise<void> {
    const { client, signal } = this;
    const query = { namespace: client.namespace, ...(agent !== undefined && { agent }) };
    for await (const _step of client.admin.maintainTiers(query, { signal }));
    this.wrote();
  }

  /** Notes a maintenance that was asked for. */
  maintained(agent: string | undefined): void {
    for (const name of agent === undefined ? [...this.#upkeep.keys()] : [agent]) {
      const upkeep = this.upkeep(name);
      upkeep.insertCount = 0;
      upkeep.lastTime = this.now();
    }
  }

  /** Aborted when the API is closed. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Cancels calls of hooks, of maintenance and of the configuration. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Closes the client, unless the caller gave it. */
  async close(): Promise<void> {
    if (this.#client !== this.#givenClient) await this.#client?.close();
  }
}

/** Failures of the connection are of the kind of the operation, others are of the configuration. */
function configurationFailure(error: unknown, Kind: Kind, operation: string, context: ExceptionContext): unknown {
  if (!(error instanceof MnemeError)) return error;
  return exceptionOf(AWAY.has(error.code) ? Kind : MemoryConfigException, operation, context, error);
}

function otherThan(has: unknown, asked: unknown): string {
  return `the server's embedder has ${shown(has)}, got ${shown(asked)}: start it with --embedder, or leave the option out`;
}

function lastPart(model: string): string {
  return model.split('/').at(-1) ?? '';
}

function variable(name: string): string | undefined {
  // biome-ignore lint/style/noProcessEnv: these variables are documented options of MemoryConfig.
  return process.env[name];
}
