import { Pool, type PoolClient } from 'pg';

/** Tables as Mneme fills them for a new memory, without what Mneme checks and decides. */
const TABLES = `
CREATE SCHEMA bare;
CREATE TABLE bare.head(name text PRIMARY KEY, revision bigint NOT NULL);
CREATE TABLE bare.memory(key bigint, id text COLLATE "C", sequence bigint, revision bigint, tier smallint,
  checksum text, fields text, PRIMARY KEY(key, id));
CREATE UNIQUE INDEX ON bare.memory(key, sequence);
CREATE TABLE bare.body(key bigint, sequence bigint, text text, media_type text, content bytea, PRIMARY KEY(key, sequence));
CREATE TABLE bare.log(key bigint, revision bigint, kind smallint, id text, at_us bigint, PRIMARY KEY(key, revision));
INSERT INTO bare.head VALUES ('bench', 0);`;

export interface BareMemory {
  readonly text: string;
  readonly content: Buffer;
  /** The other fields, as many bytes as Mneme stores of them. */
  readonly fields: string;
}

/** Channel of the notifications. */
export const BARE_CHANNEL = 'bare_changes';

const BATCH_MAX = 512;

/** The driver alone: all writes that wait are one transaction, whose statements go out together, as in Mneme. */
export class BarePostgres {
  private readonly pool: Pool;
  private readonly client: PoolClient;
  private readonly memory: BareMemory;
  private readonly notifies: boolean;
  private waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  private working: Promise<void> | undefined;
  private written = 0;

  private constructor(pool: Pool, client: PoolClient, memory: BareMemory, notifies: boolean) {
    this.pool = pool;
    this.client = client;
    this.memory = memory;
    this.notifies = notifies;
  }

  /** `notifies`: each transaction wakes the listeners of `BARE_CHANNEL`. */
  static async connected(url: string, memory: BareMemory, notifies = false): Promise<BarePostgres> {
    const pipelined = { pipeline: true };
    const pool = new Pool({ connectionString: url, max: 1, ...pipelined });
    const client = await pool.connect();
    await client.query(TABLES);
    return new BarePostgres(pool, client, memory, notifies);
  }

  /** Writes have the numbers 1, 2, 3 … as ids and revisions, in the order of the calls. */
  write(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.working ??= this.work();
    });
  }

  async close(): Promise<void> {
    await this.working;
    this.client.release();
    await this.pool.end();
  }

  private async work(): Promise<void> {
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_MAX);
      try {
        await this.store(batch.length);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.working = undefined;
  }

  private async store(count: number): Promise<void> {
    const { client, memory } = this;
    const numbers = Array.from({ length: count }, () => ++this.written);
    const ids = numbers.map((number) => `m${number}`);
    const each = <T>(value: T): T[] => numbers.map(() => value);
    await client.query('BEGIN');
    await client.query(`SELECT revision FROM bare.head WHERE name = 'bench' FOR UPDATE`);
    await client.query('SELECT id FROM bare.memory WHERE key = 1 AND id = ANY($1)', [ids]);
    await Promise.all([
      client.query('UPDATE bare.head SET revision = $1', [numbers.at(-1)]),
      client.query(
        `INSERT INTO bare.memory SELECT 1, i, n, n, 0, $3, f FROM unnest($1::text[], $2::bigint[], $4::text[]) AS r(i, n, f)`,
        [ids, numbers, 'c'.repeat(64), each(memory.fields)],
      ),
      client.query(
        `INSERT INTO bare.body SELECT 1, n, t, 'application/json', c FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS r(n, t, c)`,
        [numbers, each(memory.text), each(memory.content)],
      ),
      client.query('INSERT INTO bare.log SELECT 1, n, 0, i, $3 FROM unnest($1::text[], $2::bigint[]) AS r(i, n)', [
        ids,
        numbers,
        1,
      ]),
      ...(this.notifies ? [client.query('SELECT pg_notify($1, $2)', [BARE_CHANNEL, 'bench'])] : []),
    ]);
    await client.query('COMMIT');
  }
}
