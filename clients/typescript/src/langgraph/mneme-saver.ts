import { isDeepStrictEqual } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { guardedClient } from '../breaker.ts';
import { checkOptions } from '../check-options.ts';
import { connect, type Mneme } from '../index.ts';
import type { Memory } from '../memory.ts';
import type { CallOptions, ConnectOptions } from '../options.ts';
import {
  type CheckpointHeader,
  type CheckpointKey,
  channelRecord,
  checkName,
  checkpointRecord,
  partId,
  recordOf,
  type Typed,
  type WriteHeader,
  writeRecord,
} from './checkpoint-records.ts';
import { CheckpointStore, checkpointIdOf, compare } from './checkpoint-store.ts';
import { ownValue } from './index-texts.ts';

/** Where checkpoints are. */
export interface MnemeSaverConfig {
  /** Address of the server. Default `127.0.0.1:50051`. */
  readonly address?: string;
  /** Options of the client, such as `namespace` and `token`. */
  readonly connect?: ConnectOptions;
  /** A client to use in place of `address` and `connect`. */
  readonly client?: Mneme;
  /** Namespace of the checkpoints. Default: that of the client, followed by `.checkpoints`. */
  readonly namespace?: string;
  /** Serializer of values. Default: that of LangGraph. */
  readonly serde?: SerializerProtocol;
  /** Random numbers from 0 to 1, for the versions of channels. Default: `Math.random`. */
  readonly random?: () => number;
}

/**
 * Checkpoints of LangGraph in a namespace of their own, where no recall of the client's namespace finds them. A put has
 * resolved when the checkpoint with the values of its channels is on disk; a value that has not changed is stored once.
 */
export class MnemeSaver extends BaseCheckpointSaver {
  readonly #client: Mneme;
  readonly #ownsClient: boolean;
  readonly #store: CheckpointStore;

  constructor(config: MnemeSaverConfig = {}) {
    checkOptions('langgraph.MnemeSaverConfig', config, 'MnemeSaver');
    super(config.serde);
    this.#client = guardedClient(config.client ?? connect(config.address, config.connect));
    this.#ownsClient = config.client === undefined;
    const namespace = config.namespace ?? `${this.#client.namespace}.checkpoints`;
    this.#store = new CheckpointStore(this.#client.withNamespace(namespace));
    const { random = Math.random } = config;
    // A property, since LangGraph calls it without `this`. A version is a whole number and a random fraction: two forks of
    // a thread have no version of a channel in common unless it has the same value in both.
    this.getNextVersion = (current) => Math.floor(current ?? 0) + 1 + random();
  }

  /** Ends the connection, unless it is that of a client of the config. */
  async close(): Promise<void> {
    if (this.#ownsClient) await this.#client.close();
  }

  /** The checkpoint of the config, or the newest one of the thread; `undefined` when there is none. */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_ns = '' } = config.configurable ?? {};
    if (thread_id === undefined) return undefined;
    const thread = checkName('thread_id', thread_id);
    const namespace = checkName('checkpoint_ns', checkpoint_ns, { allowEmpty: true });
    const options = optionsOf(config);
    const asked = getCheckpointId(config);
    const [newest] = asked ? [] : await this.#store.list({ thread, namespace }, options);
    const id = asked ? checkName('checkpoint_id', asked) : newest && checkpointIdOf(newest);
    if (id === undefined) return undefined;
    return this.#tuple(partId('checkpoint', [thread, namespace, id]), {}, options);
  }

  /** Checkpoints, the greatest id first. */
  override async *list(
    config: RunnableConfig,
    { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const options = optionsOf(config);
    const { thread_id, checkpoint_ns } = config.configurable ?? {};
    const selection = {
      thread: thread_id === undefined ? undefined : checkName('thread_id', thread_id),
      namespace:
        checkpoint_ns === undefined ? undefined : checkName('checkpoint_ns', checkpoint_ns, { allowEmpty: true }),
      id: getCheckpointId(config),
      before: before && getCheckpointId(before),
    };
    let left = limit;
    if (left <= 0) return;
    for (const { id } of await this.#store.list(selection, options)) {
      const tuple = await this.#tuple(id, filter, options);
      if (tuple === undefined) continue;
      yield tuple;
      left -= 1;
      if (left <= 0) return;
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, namespace } = placeOf(config);
    const id = checkName('checkpoint_id', checkpoint.id);
    const parent = getCheckpointId(config);
    const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
    const changed = Object.entries(newVersions).filter(([channel]) => ownValue(values, channel) !== undefined);
    const records = await Promise.all(
      changed.map((each) => channelRecord(this.serde, { thread, namespace, id }, each, ownValue(values, each[0]))),
    );
    const header: CheckpointHeader = { thread, namespace, id, ...(parent && { parent }) };
    const record = await checkpointRecord(this.serde, header, rest, metadata);
    await this.#store.write([...records, record], optionsOf(config));
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id } };
  }

  /** Writes of a task that are stored already stay as they are, except its errors, interrupts and resumes. */
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread, namespace } = placeOf(config);
    const id = checkName('checkpoint_id', config.configurable?.['checkpoint_id']);
    const indexed = new Map<number, PendingWrite>();
    for (const [position, write] of writes.entries()) indexed.set(WRITES_IDX_MAP[write[0]] ?? position, write);
    const task = checkName('task_id', taskId);
    const records = await Promise.all(
      [...indexed].map(([index, write]) => writeRecord(this.serde, { thread, namespace, id }, { task, index }, write)),
    );
    await this.#store.write(records, optionsOf(config));
  }

  /** Erases the checkpoints of a thread. */
  override async deleteThread(threadId: string): Promise<void> {
    await this.#store.deleteThread(checkName('thread_id', threadId));
  }

  /** Of the memory of its first part; `undefined` when it is not there, or its metadata do not match. */
  async #tuple(memoryId: string, filter: object, options: CallOptions): Promise<CheckpointTuple | undefined> {
    const memories = (await this.#store.read([memoryId], options)).get(memoryId);
    if (memories === undefined) return undefined;
    const { header, sections } = recordOf<CheckpointHeader>(memories);
    const [checkpoint, metadata] = (await Promise.all(sections.map((section) => this.#load(section)))) as [
      Checkpoint,
      CheckpointMetadata,
    ];
    if (!Object.entries(filter).every(([key, wanted]) => isDeepStrictEqual(ownValue(metadata, key), wanted))) {
      return undefined;
    }
    const [values, pendingWrites] = await Promise.all([
      this.#channelValues(header, checkpoint.channel_versions, options),
      this.#pendingWrites(header, options),
    ]);
    checkpoint.channel_values = values;
    const { thread: thread_id, namespace: checkpoint_ns, parent } = header;
    if (parent !== undefined && checkpoint.v < 4) await this.#addSends(checkpoint, { ...header, id: parent }, options);
    const place = { thread_id, checkpoint_ns };
    return {
      config: { configurable: { ...place, checkpoint_id: header.id } },
      checkpoint,
      metadata,
      pendingWrites,
      ...(parent !== undefined && { parentConfig: { configurable: { ...place, checkpoint_id: parent } } }),
    };
  }

  async #channelValues(
    { thread, namespace }: CheckpointKey,
    versions: ChannelVersions,
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    const ids = new Map(
      Object.entries(versions).map(([channel, version]) => [
        partId('channel', [thread, namespace, channel, version]),
        channel,
      ]),
    );
    const found = await this.#store.read([...ids.keys()], options);
    const entries = [...ids].map(async ([id, channel]): Promise<[string, unknown][]> => {
      const memories = found.get(id);
      return memories === undefined ? [] : [[channel, await this.#valueOf(memories)]];
    });
    return Object.fromEntries((await Promise.all(entries)).flat());
  }

  /** In the order of tasks, and of the writes of each. */
  async #pendingWrites(checkpoint: CheckpointKey, options: CallOptions): Promise<CheckpointPendingWrite[]> {
    const records = await this.#store.complete(await this.#store.writesOf(checkpoint, options), options);
    const writes = [...records.values()].map((memories) => ({ memories, ...recordOf<WriteHeader>(memories).header }));
    writes.sort((one, other) => compare(one.task, other.task) || one.index - other.index);
    return Promise.all(
      writes.map(
        async ({ memories, task, channel }): Promise<CheckpointPendingWrite> => [
          task,
          channel,
          await this.#valueOf(memories),
        ],
      ),
    );
  }

  /** Checkpoints of formats before 4 have their sends in the writes of their parents. */
  async #addSends(checkpoint: Checkpoint, parent: CheckpointKey, options: CallOptions): Promise<void> {
    const writes = await this.#pendingWrites(parent, options);
    checkpoint.channel_values[TASKS] = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    const version = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
    checkpoint.channel_versions = { ...checkpoint.channel_versions, [TASKS]: version };
  }

  #valueOf(memories: readonly Memory[]): Promise<unknown> {
    const [value] = recordOf(memories).sections;
    return value === undefined ? Promise.resolve(undefined) : this.#load(value);
  }

  #load([type, data]: Typed): Promise<unknown> {
    return this.serde.loadsTyped(type, data);
  }
}

function placeOf({ configurable = {} }: RunnableConfig): { thread: string; namespace: string } {
  const thread = checkName('thread_id', configurable['thread_id']);
  return { thread, namespace: checkName('checkpoint_ns', configurable['checkpoint_ns'] ?? '', { allowEmpty: true }) };
}

function optionsOf({ signal, timeout }: RunnableConfig): CallOptions {
  return { ...(signal && { signal }), ...(timeout !== undefined && { timeoutMs: timeout }) };
}
