import { namespaceNotFound } from '../../memory/errors.ts';
import { type Micros, TIERS, type Tier } from '../../memory/memory.ts';
import { isFull } from '../../memory/resolution/resolution.ts';
import { changed } from '../../memory/tier-settings.ts';
import { isBefore, memberOf as tierMemberOf } from '../in-memory/tiers.ts';
import type { MembersRead, MoveOutcome, MoveWrite, TierMember, TierStore, TierTotal } from '../tier-store.ts';
import type { RedisConnection, RedisReply } from './connection.ts';
import { tierIndex } from './entry-indexes.ts';
import type { RedisRooms } from './redis-rooms.ts';
import { entriesInOrder } from './room-listing.ts';

const SUMS_AT_ONCE = 500;

/** Tiers of memories in Redis: a sorted set of each, by when they came to it. */
export class RedisTiers implements TierStore {
  private readonly rooms: RedisRooms;

  constructor(rooms: RedisRooms) {
    this.rooms = rooms;
  }

  move({ namespace, ids, to, from, resolution, atUs }: MoveWrite): Promise<MoveOutcome> {
    return this.rooms.writer(namespace).submit({
      ids,
      atUs,
      // Its vector stays as it is.
      view: 'basic',
      onlyMoves: true,
      run: (draft) => {
        const moved: { id: string; from: Tier; to: Tier }[] = [];
        const damagedIds: string[] = [];
        for (const id of ids) {
          const entry = draft.find(id, atUs);
          const tier = entry?.memory.tier;
          if (!entry || !tier || tier === to || (from && !from.includes(tier))) continue;
          if (entry.isDamaged) {
            damagedIds.push(id);
            continue;
          }
          const { resolution: _, ...rest } = entry;
          const memory = { ...entry.memory, tier: to };
          draft.entries.set(id, { ...rest, tierSinceUs: atUs, memory, ...(!isFull(resolution) && { resolution }) });
          draft.revision++;
          moved.push({ id, from: tier, to });
        }
        return { revision: draft.revision, moved, damagedIds };
      },
    });
  }

  async members({ namespace, tier, agent, type, untilUs, after, limit }: MembersRead): Promise<TierMember[]> {
    const reader = this.rooms.reader(namespace);
    await reader.loadThere([], 'metadata');
    // Memories without an agent have no order of their own: they are found among all.
    const index = tierIndex(tier, { agent: agent === '' ? undefined : agent, type });
    const order = { indexes: [index.slice('o:'.length)], rising: true };
    const position = after && { value: after.tierSinceUs, tie: after.tie };
    const members: TierMember[] = [];
    for await (const entry of entriesInOrder(reader, order, 'basic', position)) {
      if (members.length === limit || entry.tierSinceUs > (untilUs ?? Number.POSITIVE_INFINITY)) break;
      if (agent !== '' || entry.memory.scope.agent === '') members.push(tierMemberOf(entry));
    }
    return members.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }

  async totals(namespace?: string): Promise<TierTotal[]> {
    if (namespace !== undefined) return this.totalsOf(namespace);
    const totals: TierTotal[] = [];
    for await (const name of this.rooms.allNames()) {
      if ((await this.rooms.reader(name).load([])).state.namespace) totals.push(...(await this.totalsOf(name)));
    }
    return totals;
  }

  async tierSettings(namespace: string): Promise<ReadonlyMap<string, string>> {
    if (namespace !== '') {
      const { state } = await this.rooms.reader(namespace).load([]);
      return new Map(Object.entries(state.namespace?.settings ?? {}));
    }
    const key = this.rooms.key('settings');
    return new Map(pairsOf(await this.rooms.connection.send(key, ['HGETALL', key])));
  }

  async setTierSettings({ namespace, settings }: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    if (namespace !== '') {
      await this.rooms.writer(namespace).submit({
        ids: [],
        atUs: 0,
        run: (draft) => {
          const before = new Map(Object.entries(draft.namespace.settings));
          draft.namespace = { ...draft.namespace, settings: Object.fromEntries(changed(before, settings)) };
        },
      });
      return;
    }
    const key = this.rooms.key('settings');
    const set = settings.flatMap(([name, value]) => (value === null ? [] : [name, value]));
    const unset = settings.flatMap(([name, value]) => (value === null ? [name] : []));
    if (set.length > 0) await this.rooms.connection.send(key, ['HSET', key, ...set]);
    if (unset.length > 0) await this.rooms.connection.send(key, ['HDEL', key, ...unset]);
  }

  async setMaintained({ namespace, atUs }: { namespace: string; atUs: Micros }): Promise<void> {
    await this.rooms.writer(namespace).submit({
      ids: [],
      atUs,
      run: (draft) => {
        draft.maintainedAtUs = atUs;
      },
    });
  }

  async maintainedAtUs(namespace: string): Promise<Micros | undefined> {
    const { state } = await this.rooms.reader(namespace).loadThere([], 'metadata');
    return state.maintainedAtUs;
  }

  private async totalsOf(namespace: string): Promise<TierTotal[]> {
    const sums = await this.sums(namespace);
    const totals = [...sums].flatMap(([name, value]): TierTotal[] => {
      if (!name.startsWith('count ') || value === 0) return [];
      const [tier, agent, type] = JSON.parse(name.slice('count '.length)) as [Tier, string, string];
      const contentBytes = sums.get(name.replace('count ', 'bytes ')) ?? 0;
      return [{ namespace, tier, agent, type, count: value, contentBytes }];
    });
    const keyOf = ({ tier, agent, type }: TierTotal) => JSON.stringify([TIERS.indexOf(tier), agent, type]);
    return totals.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }

  /** What is kept up with every write; fails with NAMESPACE_NOT_FOUND. */
  async sums(namespace: string): Promise<ReadonlyMap<string, number>> {
    const reader = this.rooms.reader(namespace);
    const { state } = await reader.load([]);
    if (!state.namespace) throw namespaceNotFound(namespace);
    const key = `${reader.room}:sums`;
    return sumsIn(this.rooms.connection, key);
  }
}

/** In steps: there is one of each scope. */
async function sumsIn(connection: RedisConnection, key: string): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>();
  for (let cursor = ''; cursor !== '0'; ) {
    const args = ['HSCAN', key, cursor === '' ? '0' : cursor, 'COUNT', `${SUMS_AT_ONCE}`];
    const [next = '0', found = []] = (await connection.send(key, args)) as readonly RedisReply[];
    for (const [name, value] of pairsOf(found)) sums.set(name, Number(value));
    cursor = String(next);
  }
  return sums;
}

function pairsOf(reply: RedisReply): [string, string][] {
  const flat = (reply as readonly RedisReply[]).map(String);
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? '', flat[2 * at + 1] ?? '']);
}
