import { isNamespaceMissing, isUnavailable } from '../../memory/errors.ts';
import type { ScopePolicy } from '../../memory/scope.ts';
import type { CommandEntry } from '../command-log.ts';
import type { DeleteOutcome } from '../memory-store.ts';
import type { SharedPosition } from '../shared-position.ts';
import { policiesByName } from '../sqlite/agents/policy-rows.ts';
import type { Commands, Verb } from '../sqlite/commands/command.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { SqliteMemoryStore } from '../sqlite/memory-store.ts';
import type { ScanRequest, ScanResult } from '../sqlite/scan.ts';
import { readSharedPosition } from '../sqlite/shared-position.ts';
import { decodeCommand, encodeCommand, isLocal } from './command-codec.ts';
import type { SharedLog } from './shared-log.ts';

export interface SharedParts {
  readonly log: Pick<SharedLog, 'submit' | 'current' | 'close'>;
  readonly retentionUs: number;
  /** Deletes data in other stores of a namespace that is about to be deleted. */
  readonly onDelete?: (namespace: string) => Promise<void>;
  /** Durability of writes, as text for people. */
  readonly describe: () => { role: string; technology: string; durability: string };
}

/**
 * The database of one of several servers that execute one command log. A write is a command in the log, and every read
 * waits for all writes that any server acknowledged before: the database is a disposable copy.
 */
export class SharedMemoryStore extends SqliteMemoryStore {
  override readonly isShared: boolean = true;
  private parts: SharedParts | undefined;

  /** To be called before any read or write. */
  join(parts: SharedParts): void {
    this.parts = parts;
  }

  private get shared(): SharedParts {
    if (!this.parts) throw new Error('the store has not joined the shared log');
    return this.parts;
  }

  override async write<V extends Verb>(verb: V, write: Commands[V]['write']): Promise<Commands[V]['outcome']> {
    if (isLocal(verb)) return this.writeNow(verb, write);
    const { log, retentionUs } = this.shared;
    return (await log.submit(encodeCommand({ verb, write, retentionUs }))) as Commands[V]['outcome'];
  }

  override async deleteNamespace(write: Commands['deleteNamespace']['write']): Promise<DeleteOutcome> {
    if (write.force || (await this.isEmpty(write.name, write.atUs))) await this.shared.onDelete?.(write.name);
    // Sessions are in Redis.
    return this.write('deleteNamespace', { ...write, ignoresSessions: true });
  }

  private async isEmpty(namespace: string, nowUs: number): Promise<boolean> {
    try {
      return (await this.count({ namespace, nowUs })).size === 0;
    } catch (error) {
      if (isNamespaceMissing(error)) return false;
      throw error;
    }
  }

  override async read<A>(query: (database: SqliteDatabase) => A): Promise<A> {
    await this.shared.log.current();
    return this.readNow(query);
  }

  override async scan<R extends ScanRequest>(request: R): Promise<ScanResult<R>> {
    await this.shared.log.current();
    return this.scanNow(request);
  }

  override async scopePolicies(namespace: string): Promise<readonly ScopePolicy[]> {
    try {
      await this.shared.log.current();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      // Streams read the local state without waiting.
      return this.policies.of(namespace, () => this.readNow((database) => policiesByName(database, namespace)));
    }
    return super.scopePolicies(namespace);
  }

  /** Executes an entry of the log. */
  async apply({ position, stamp, command }: CommandEntry, epoch: string): Promise<unknown> {
    const { verb, write, retentionUs } = decodeCommand(command);
    return this.writeNow(verb, write, { epoch, position, stamp, retentionUs });
  }

  /** Position of the database. */
  async position(): Promise<SharedPosition> {
    const position = await this.readNow(readSharedPosition);
    if (!position) throw new Error('the database has no place in the shared log');
    return position;
  }

  override describe(): { role: string; technology: string; durability: string }[] {
    const [view] = super.describe();
    const own = { role: 'copy', technology: view?.technology ?? '', durability: 'made anew from Redis' };
    return [this.shared.describe(), own];
  }

  override async close(): Promise<void> {
    await this.parts?.log.close();
    await super.close();
  }
}
