import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { StoreMemoryRequest } from '../../gen/ts/mneme/v1/memory_service.ts';
import { ask, type Refusal, refusal } from '../server/grpc/support/ask.ts';
import type { Clients } from '../server/grpc/support/test-server.ts';
import { OwnDisk } from '../support/own-disk.ts';
import { type PartOfData, PostgresServer, type PostgresVersion } from '../support/postgres-server.ts';
import { leaveFree } from '../support/small-disk.ts';
import { Replica } from './replicas.ts';

const SCHEMA = 'full';
const DISK_MIB = { tables: 64, wal: 32 } as const;
/** PostgreSQL keeps each file of the log, also after a restart: an archive that takes none is what fills most disks of logs. */
const PARAMETERS = { archive_mode: 'on', archive_command: 'false', fsync: 'off' };

/** A PostgreSQL on a small disk, which can be filled. */
export class FullablePostgres {
  readonly postgres: PostgresServer;
  readonly schema = SCHEMA;
  private readonly disk: OwnDisk;
  private ballast: string | undefined;

  private constructor(postgres: PostgresServer, disk: OwnDisk) {
    this.postgres = postgres;
    this.disk = disk;
  }

  /** Runs the work with a new one. */
  static async with(
    version: PostgresVersion,
    holds: PartOfData,
    work: (full: FullablePostgres) => Promise<void>,
  ): Promise<void> {
    const disk = await OwnDisk.mounted(DISK_MIB[holds]);
    try {
      const postgres = new PostgresServer({ version, parameters: PARAMETERS, disk: { on: disk, holds } });
      try {
        await postgres.start();
        await work(new FullablePostgres(postgres, disk));
      } finally {
        await postgres.stop('immediate');
        postgres.remove();
      }
    } finally {
      await disk.remove();
    }
  }

  /** Runs the work with a new one that a server of Mneme uses. */
  static async serving(
    version: PostgresVersion,
    holds: PartOfData,
    work: (full: FullablePostgres, replica: Replica) => Promise<void>,
  ): Promise<void> {
    await FullablePostgres.with(version, holds, async (full) => {
      const env = { ...full.postgres.envOf(SCHEMA), MNEME_BACKEND_PROBE_INTERVAL_MS: '100' };
      const replica = await Replica.startWith(env);
      try {
        await work(full, replica);
      } finally {
        await replica.stop();
      }
    });
  }

  fill(): void {
    this.ballast = leaveFree(this.disk.contents, 0);
  }

  free(): void {
    if (this.ballast !== undefined) rmSync(this.ballast);
    this.ballast = undefined;
  }
}

const CONTENT_BYTES = 100_000;

/** Bytes that cannot be compressed, made from the name. */
export const bulk = (name: string) => ({
  mediaType: 'image/png',
  body: {
    $case: 'data' as const,
    value: createHash('shake256', { outputLength: CONTENT_BYTES }).update(name).digest(),
  },
});

/** Requests that store one memory each, with an id and a request id: all of them can be repeated. */
export class Stores {
  readonly acknowledged: string[] = [];
  readonly refused = new Map<string, Refusal>();
  readonly clients: Clients;
  readonly parent: string;

  constructor(clients: Clients, parent: string) {
    this.clients = clients;
    this.parent = parent;
  }

  request(id: string): StoreMemoryRequest {
    const memory = { text: id, content: bulk(id) };
    return StoreMemoryRequest.fromPartial({ parent: this.parent, memory, memoryId: id, requestId: `store-${id}` });
  }

  /** Stores one, or repeats it. */
  async send(id: string): Promise<void> {
    const { memories } = this.clients;
    await ask(memories, memories.storeMemory, this.request(id));
    this.acknowledged.push(id);
    this.refused.delete(id);
  }

  /** Stores all of them at once; they may be refused. */
  async try(ids: readonly string[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        try {
          await this.send(id);
        } catch (error) {
          this.refused.set(id, await refusal(Promise.reject(error)));
        }
      }),
    );
  }
}
