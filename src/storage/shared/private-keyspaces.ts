import type { Clock } from '../../memory/clock.ts';
import { isNamespaceMissing } from '../../memory/errors.ts';
import type { ThreadSource } from '../../thread-source.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { RedisMemoryStore } from '../redis/memory-store.ts';
import { openSqliteStore } from '../sqlite/memory-store.ts';
import { TieredMemoryStore } from '../tiered/memory-store.ts';

export interface PrivateKeyspacesOptions {
  readonly connection: RedisConnection;
  readonly prefix: string;
  readonly clock: Clock;
  readonly idempotencyRetentionMs: number;
  readonly writerThreads?: ThreadSource;
}

/** Special characters in a pattern of SCAN. */
const SPECIAL = /[\\*?[\]^]/g;
/** After `<prefix>:{`: hash tags of namespaces have no colon. */
const STATE = /^([^:}]*)\}:room$/;
const MEMORIES = /^[^:}]*\}:(?:room$|ids$|log$|below$|states$|[ebuhr]:)/;

/** Keys of a deleted namespace stay for a while. */
async function isThere(store: TieredMemoryStore, name: string): Promise<boolean> {
  try {
    await store.getNamespace(name);
    return true;
  } catch (error) {
    if (!isNamespaceMissing(error)) throw error;
    return false;
  }
}

/** Private data of a server in Redis: the memories of its upper tiers, by namespace. */
export class PrivateKeyspaces {
  private readonly options: PrivateKeyspacesOptions;

  constructor(options: PrivateKeyspacesOptions) {
    this.options = options;
  }

  /** Imports all data of private keyspaces in Redis into the database of a folder. */
  async completeCopies(folder: string): Promise<void> {
    const { connection, prefix, clock, idempotencyRetentionMs, writerThreads } = this.options;
    const cold = await openSqliteStore({ folder, clock, idempotencyRetentionMs, writerThreads });
    try {
      const hot = new RedisMemoryStore({
        connection,
        prefix,
        idempotencyRetentionMs,
        revisionFloor: () => cold.revision,
        isRecovered: true,
      });
      const store = new TieredMemoryStore({ hot, cold, clock, onLoss: () => undefined, onFailure: () => undefined });
      for (const name of await this.names()) {
        if (await isThere(store, name)) await store.follower.catchUp(name);
      }
      await store.follower.settled();
    } finally {
      await cold.close();
    }
  }

  async erase(): Promise<void> {
    const { connection } = this.options;
    for await (const keys of this.scanned()) {
      const gone = keys.filter(([, rest]) => MEMORIES.test(rest));
      await Promise.all(gone.map(([key]) => connection.send(key, ['UNLINK', key])));
    }
  }

  private async names(): Promise<readonly string[]> {
    const names = new Set<string>();
    for await (const keys of this.scanned()) {
      for (const [, rest] of keys) {
        const name = STATE.exec(rest)?.[1];
        if (name) names.add(name);
      }
    }
    return [...names];
  }

  /** Keys, without the prefix and the brace. */
  private async *scanned(): AsyncGenerator<readonly (readonly [key: string, rest: string])[]> {
    const start = `${this.options.prefix}:{`;
    for await (const keys of this.options.connection.scan(`${start.replace(SPECIAL, '\\$&')}*`)) {
      yield keys.map((key) => [key, key.slice(start.length)] as const);
    }
  }
}
