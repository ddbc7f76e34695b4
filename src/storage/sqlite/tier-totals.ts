import { sql } from '#kysely';
import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';
import type { MemoryTable } from './schema.ts';

/** What decides to which total a memory belongs, and what it adds to it. */
export type TierShare = Pick<MemoryTable, 'namespace_key' | 'tier' | 'agent' | 'type' | 'content_bytes'>;

interface Change {
  readonly share: TierShare;
  readonly sign: 1 | -1;
}

const shareOfRow = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .select(['namespace_key', 'tier', 'agent', 'type', 'content_bytes'])
    .where('pk', '=', p.pk),
);
const addTo = prepared(
  (p: TierShare & { count: number }) => sql`
    INSERT INTO tier_total VALUES (${p.namespace_key}, ${p.tier}, ${p.agent}, ${p.type}, ${p.count}, ${p.content_bytes})
    ON CONFLICT DO UPDATE SET count = count + excluded.count, content_bytes = content_bytes + excluded.content_bytes`,
);
const dropEmpty = prepared(
  (p: Omit<TierShare, 'content_bytes'>) => sql`
    DELETE FROM tier_total WHERE namespace_key = ${p.namespace_key} AND tier = ${p.tier} AND agent = ${p.agent}
      AND type = ${p.type} AND count = 0`,
);

/**
 * Changes of what the tiers hold, which wait for the end of the transaction: a trigger that added each memory to its total
 * took a fifth of the time of storing it.
 */
export class TierTotals {
  private readonly database: SqliteDatabase;
  private readonly changes: Change[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  add(share: TierShare): void {
    this.changes.push({ share, sign: 1 });
  }

  /** To be called while the memory is there still. */
  remove(pk: number): void {
    const share = shareOfRow(this.database).get({ pk });
    if (share) this.changes.push({ share, sign: -1 });
  }

  replace(before: TierShare, after: TierShare): void {
    if (totalOf(before) === totalOf(after) && before.content_bytes === after.content_bytes) return;
    this.changes.push({ share: before, sign: -1 }, { share: after, sign: 1 });
  }

  get count(): number {
    return this.changes.length;
  }

  /** Takes back all but the first changes. */
  keepFirst(count: number): void {
    this.changes.length = count;
  }

  write(): void {
    const sums = new Map<string, TierShare & { count: number }>();
    for (const { share, sign } of this.changes) {
      const total = totalOf(share);
      const sum = sums.get(total) ?? { ...share, content_bytes: 0, count: 0 };
      const content_bytes = sum.content_bytes + sign * share.content_bytes;
      sums.set(total, { ...sum, content_bytes, count: sum.count + sign });
    }
    this.changes.length = 0;
    for (const sum of sums.values()) {
      if (sum.count !== 0 || sum.content_bytes !== 0) addTo(this.database).run(sum);
      if (sum.count <= 0) dropEmpty(this.database).run(sum);
    }
  }
}

function totalOf({ namespace_key, tier, agent, type }: TierShare): string {
  return `${namespace_key} ${tier} ${type} ${agent}`;
}
