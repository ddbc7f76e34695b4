import { DataLossError } from '../errors.ts';
import { allOf, type Filter, where } from '../filter.ts';
import type { Mneme } from '../index.ts';
import type { Memory } from '../memory.ts';
import type { CallOptions } from '../options.ts';
import {
  type CheckpointKey,
  laterParts,
  memoriesOfRecord,
  type RecordSource,
  scopeName,
  writesTag,
} from './checkpoint-records.ts';
import { groupsOf, isMissingNamespace, storeAll, withoutMissingNamespace } from './writes.ts';

const PAGE_SIZE = 1000;
/** Memories of one read: with parts of the largest size they fit into one answer. */
const READ_COUNT = 15;

/** Which checkpoints are listed. */
export interface CheckpointSelection {
  readonly thread?: string | undefined;
  readonly namespace?: string | undefined;
  readonly id?: string | undefined;
  /** Only ids before this one. */
  readonly before?: string | undefined;
}

/** Records of checkpoints in the namespace of a client. */
export class CheckpointStore {
  readonly #client: Mneme;

  constructor(client: Mneme) {
    this.#client = client;
  }

  /** Stores the records in their order: where they fit into one message, all of them or none. */
  async write(records: readonly RecordSource[], options: CallOptions): Promise<void> {
    // Later parts first: a record is there when its first part is.
    const made = records.map((record) => ({ record, memories: memoriesOfRecord(record).reverse() }));
    const replaced = made.filter(({ record }) => record.replaces).flatMap(({ memories }) => memories);
    await storeAll(
      this.#client,
      made.flatMap(({ memories }) => memories),
      new Set(replaced),
      options,
    );
  }

  /** The memories of each record, its first part first, by the id of the first part. */
  async read(ids: readonly string[], options: CallOptions): Promise<Map<string, Memory[]>> {
    return this.complete([...(await this.#byId(ids, options)).values()], options);
  }

  /** Reads the later parts of records. */
  async complete(firsts: readonly Memory[], options: CallOptions): Promise<Map<string, Memory[]>> {
    const later = await this.#byId(firsts.flatMap(laterParts), options);
    return new Map(
      firsts.map((first) => [first.id, [first, ...laterParts(first).map((id) => later.get(id) ?? lostPart(id))]]),
    );
  }

  /** Memories of the first parts of checkpoints, without their contents, the greatest id first. */
  async list({ thread, namespace, id, before }: CheckpointSelection, options: CallOptions): Promise<Memory[]> {
    const conditions: Filter[] = [where.type.equals('checkpoint')];
    if (thread !== undefined) conditions.push(where.session.equals(scopeName(thread)));
    if (namespace !== undefined) conditions.push(where.agent.equals(scopeName(namespace)));
    if (id) conditions.push(where.sourceUri.equals(id));
    if (before) conditions.push(where.sourceUri.less(before));
    const found = await this.#listed(allOf(...conditions), 'metadata', options);
    return found.sort((one, other) => compare(checkpointIdOf(other), checkpointIdOf(one)));
  }

  /** First parts of the pending writes of a checkpoint. */
  async writesOf(checkpoint: CheckpointKey, options: CallOptions): Promise<Memory[]> {
    return this.#listed(where.tag.equals(writesTag(checkpoint)), 'basic', options);
  }

  async deleteThread(thread: string): Promise<void> {
    try {
      await this.#client.forget({ filter: where.session.equals(scopeName(thread)) });
    } catch (error) {
      // The namespace is made by the first put.
      if (!isMissingNamespace(error)) throw error;
    }
  }

  async #listed(filter: Filter, view: 'metadata' | 'basic', options: CallOptions): Promise<Memory[]> {
    const pages = this.#client.list({ filter, view, pageSize: PAGE_SIZE, order: 'create_time_asc' }, options);
    const found: Memory[] = [];
    for await (const memory of withoutMissingNamespace(pages)) found.push(memory);
    return found;
  }

  async #byId(ids: readonly string[], options: CallOptions): Promise<Map<string, Memory>> {
    const groups = groupsOf(ids, READ_COUNT).map((group) => this.#read(group, options));
    return new Map((await Promise.all(groups)).flat().map((memory) => [memory.id, memory]));
  }

  async #read(ids: readonly string[], options: CallOptions): Promise<readonly Memory[]> {
    try {
      const { memories, damagedIds } = await this.#client.batchGet(ids, options);
      if (damagedIds[0] !== undefined) lostPart(damagedIds[0]);
      return memories;
    } catch (error) {
      if (isMissingNamespace(error)) return [];
      throw error;
    }
  }
}

/** The id of a checkpoint, by the memory of its first part. */
export function checkpointIdOf({ source }: Memory): string {
  return source.uri ?? '';
}

/** Order of ids of checkpoints and of tasks. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function lostPart(id: string): never {
  throw new DataLossError('DATA_LOSS', `memory '${id}' of a record of LangGraph is missing or damaged`);
}
