import { Client } from 'pg';
import { BARE_CHANNEL } from './postgres-bare.ts';

const PAGE = 500;
const NEW_ROWS = `
SELECT l.revision, m.id, m.tier, m.checksum, m.fields, b.text, b.media_type, b.content
FROM bare.log l JOIN bare.memory m ON m.key = l.key AND m.id = l.id
JOIN bare.body b ON b.key = m.key AND b.sequence = m.sequence
WHERE l.key = 1 AND l.revision > $1 ORDER BY l.revision LIMIT ${PAGE}`;

/** The driver alone as a follower of `BarePostgres`: each notification makes it read the rows that are new. */
export class BareFollower {
  readonly name = 'LISTEN';
  /** Instant at which the row of each write, by its number, arrived. */
  readonly arrivedMs = new Map<string, number>();
  /** Rows that did not come in the order of their numbers, each one after the one before. */
  outOfOrder = 0;
  private readonly client: Client;
  private newest = 0;
  private reading: Promise<void> | undefined;
  private isStale = false;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connected(url: string): Promise<BareFollower> {
    const client = new Client({ connectionString: url });
    await client.connect();
    const follower = new BareFollower(client);
    client.on('notification', () => follower.wake());
    await client.query(`LISTEN ${BARE_CHANNEL}`);
    return follower;
  }

  /** Fails where a read has failed. */
  async close(): Promise<void> {
    await this.reading;
    await this.client.end();
  }

  private wake(): void {
    this.isStale = true;
    this.reading ??= this.read();
  }

  private async read(): Promise<void> {
    while (this.isStale) {
      this.isStale = false;
      const { rows } = await this.client.query<{ revision: string }>(NEW_ROWS, [this.newest]);
      const nowMs = performance.now();
      if (rows.length === PAGE) this.isStale = true;
      for (const { revision } of rows) {
        if (Number(revision) !== this.newest + 1) this.outOfOrder++;
        this.newest = Number(revision);
        this.arrivedMs.set(revision, nowMs);
      }
    }
    this.reading = undefined;
  }
}
