import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CommandEntry,
  type CommandLog,
  type CommandLogHead,
  FORMAT,
  type StoredSnapshot,
} from '../../src/storage/command-log.ts';

export interface CommandLogSubject {
  readonly name: string;
  /** A log that does not exist yet. */
  create(): Promise<{ log: CommandLog; close(): Promise<void> }>;
}

const EPOCH = 'epoch';
const START = { epoch: EPOCH, position: 0, stamp: '' };
const MINUTE_MS = 60_000;
const command = (text: string) => ({ stamp: `stamp of ${text}`, command: Buffer.from(text) });
const textsOf = (entries: readonly CommandEntry[]) => entries.map((entry) => entry.command.toString());

/** Contract of all `CommandLog`s. */
export function commandLogSuite({ name, create }: CommandLogSubject): void {
  describe(`command log (${name})`, () => {
    let log: CommandLog;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ log, close } = await create());
    });
    afterEach(() => close());

    async function snapshotAt(position: number, stamp: string, id = `at ${position}`): Promise<StoredSnapshot> {
      await log.putPart(id, 0, Buffer.from(`database ${id}`));
      return { id, position, stamp, parts: 1 };
    }
    async function begun(): Promise<CommandLogHead> {
      expect(await log.begin(EPOCH, await snapshotAt(0, ''), 0)).toBe(true);
      return head();
    }
    async function head(): Promise<CommandLogHead> {
      const found = await log.head();
      if (!found) throw new Error('there is no log');
      return found;
    }

    it('head, read, append › not begun › returns nothing, and appends nothing', async () => {
      expect(await log.head()).toBeUndefined();
      expect(await log.read(0, 10)).toEqual({ head: undefined, entries: [] });
      expect(await log.append(START, [command('a')])).toBeUndefined();
    });

    it('begin › a second time, or without the parts of the snapshot › refused', async () => {
      expect(await log.begin(EPOCH, { id: 'none', position: 0, stamp: '', parts: 1 }, 0)).toBe(false);
      await begun();
      expect(await log.begin('other', await snapshotAt(7, 'seven'), 9)).toBe(false);
      expect(await head()).toMatchObject({ ...START, writtenBytes: 0, snapshotBytes: 0 });
    });

    it('append › several at once, by servers that have followed it and that are behind › one order', async () => {
      await begun();
      expect(await log.append(START, [command('a'), command('b')])).toEqual({ position: 1, follows: '' });
      const followed = { epoch: EPOCH, position: 2, stamp: 'stamp of b' };
      expect(await log.append(followed, [command('c')])).toEqual({ position: 3, follows: 'stamp of b' });
      expect(await log.append(START, [command('d')])).toEqual({ position: 4, follows: 'stamp of c' });
      const { head: end, entries } = await log.read(0, 10);
      expect(end).toMatchObject({ epoch: EPOCH, position: 4, stamp: 'stamp of d', writtenBytes: 4 });
      expect(textsOf(entries)).toEqual(['a', 'b', 'c', 'd']);
      expect(entries.map(({ position, follows }) => [position, follows])).toEqual([
        [1, ''],
        [2, 'stamp of a'],
        [3, 'stamp of b'],
        [4, 'stamp of c'],
      ]);
      expect(textsOf((await log.read(1, 2)).entries)).toEqual(['b', 'c']);
    });

    it('append › bytes of any value › come back unchanged', async () => {
      await begun();
      const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
      await log.append(START, [{ stamp: 's', command: bytes }]);
      expect((await log.read(0, 1)).entries[0]?.command.equals(bytes)).toBe(true);
    });

    it.each([
      ['of another epoch', { ...START, epoch: 'other' }],
      ['behind its end', { epoch: EPOCH, position: 2, stamp: 'x' }],
      ['at its end, but of another history', { epoch: EPOCH, position: 1, stamp: 'x' }],
    ])('append › to a place %s › refused, and nothing is appended', async (_, place) => {
      await begun();
      await log.append(START, [command('a')]);
      expect(await log.append(place, [command('b')])).toBeUndefined();
      expect((await head()).position).toBe(1);
    });

    it('append › that must be the end › refused where it is not', async () => {
      await begun();
      await log.append(START, [command('a')], true);
      expect(await log.append(START, [command('b')], true)).toBeUndefined();
      expect(await log.append({ epoch: EPOCH, position: 1, stamp: 'stamp of a' }, [command('b')], true)).toBeDefined();
    });

    it('append › of a job whose lease another owner has taken › refused, with the takings that are lost; nothing is appended', async () => {
      await begun();
      const [job, ms] = ['job', MINUTE_MS];
      const fenceOf = (number: number | undefined, of = job) => ({
        job: of,
        number: number ?? 0,
        lost: () => undefined,
      });
      const first = fenceOf(await log.leases.take({ job, owner: 'a', ms: 0 }));
      const other = fenceOf(await log.leases.take({ job: 'other', owner: 'a', ms }), 'other');
      expect(await log.append(START, [command('a')], false, [first, other])).toMatchObject({ position: 1 });
      const second = fenceOf(await log.leases.take({ job, owner: 'b', ms }));
      const refused = log.append(START, [command('b')], false, [other, first, second]);
      await expect(refused).rejects.toMatchObject({ name: 'LeasesLost', fences: [first] });
      expect((await head()).position).toBe(1);
      expect(await log.append(START, [command('c')], false, [other, second])).toMatchObject({ position: 2 });
      const never = fenceOf(1, 'never taken');
      await expect(log.append(START, [command('d')], false, [never])).rejects.toMatchObject({ fences: [never] });
    });

    it('append › many at once from several callers › each has a position of its own, in one chain', async () => {
      await begun();
      const all = Array.from({ length: 60 }, (_, at) => command(`m${at}`));
      const firsts = await Promise.all(all.map((one) => log.append(START, [one])));
      expect(new Set(firsts.map((first) => first?.position)).size).toBe(60);
      const { entries } = await log.read(0, 100);
      let before = '';
      for (const { follows, stamp } of entries) {
        expect(follows).toBe(before);
        before = stamp;
      }
    });

    it('replaceSnapshot › once › keeps the entries since the previous one; where another has replaced it, refused', async () => {
      const first = await begun();
      await log.append(START, [command('a'), command('b')]);
      const second = await snapshotAt(1, 'stamp of a');
      expect(await log.replaceSnapshot(first, second, 1)).toBe(true);
      expect(textsOf((await log.read(0, 10)).entries)).toEqual(['a', 'b']);
      expect(await log.replaceSnapshot(first, await snapshotAt(2, 'stamp of b'), 2)).toBe(false);
      expect(await head()).toMatchObject({ snapshot: second, writtenBytes: 2, snapshotBytes: 1, position: 2 });
      expect(await log.replaceSnapshot(await head(), await snapshotAt(2, 'stamp of b'), 2)).toBe(true);
      expect(textsOf((await log.read(0, 10)).entries)).toEqual(['b']);
      expect((await log.part('at 2', 0))?.toString()).toBe('database at 2');
    });

    it('replaceSnapshot › parts missing › refused', async () => {
      const first = await begun();
      expect(await log.replaceSnapshot(first, { id: 'none', position: 0, stamp: '', parts: 2 }, 0)).toBe(false);
      expect((await head()).snapshot).toEqual(first.snapshot);
    });

    it('begin › with entries that lead to the snapshot › the log has them', async () => {
      const entries = [{ position: 6, stamp: 'six', follows: 'five', command: Buffer.from('f') }];
      expect(await log.begin(EPOCH, await snapshotAt(6, 'six'), 40, entries)).toBe(true);
      expect(await head()).toMatchObject({
        epoch: EPOCH,
        position: 6,
        stamp: 'six',
        writtenBytes: 40,
        snapshotBytes: 40,
      });
      expect((await log.read(5, 9)).entries).toEqual(entries);
      expect(await log.append({ epoch: EPOCH, position: 6, stamp: 'six' }, [command('g')])).toMatchObject({
        position: 7,
      });
    });

    it('raiseFormat › of this epoch, of another one, without a log › begun logs have the format, and nothing else changes', async () => {
      await log.raiseFormat(EPOCH);
      expect(await log.head()).toBeUndefined();
      const before = await begun();
      await log.raiseFormat(EPOCH);
      await log.raiseFormat('other');
      expect(await head()).toEqual({ ...before, format: FORMAT });
    });

    it('part › not stored › undefined', async () => {
      expect(await log.part('none', 0)).toBeUndefined();
    });

    it('takeTurn › one at a time; endTurn › the next', async () => {
      expect([await log.takeTurn(MINUTE_MS), await log.takeTurn(MINUTE_MS)]).toEqual([true, false]);
      await log.endTurn();
      expect(await log.takeTurn(MINUTE_MS)).toBe(true);
    });

    it('furthest › of the servers that have offered, of equals the last by name', async () => {
      expect(await log.furthest()).toBeUndefined();
      for (const [server, position] of [
        ['a', 5],
        ['b', 7],
        ['c', 7],
        ['d', 6],
      ] as const) {
        await log.offer(server, position, MINUTE_MS);
      }
      expect(await log.furthest()).toBe('c');
    });
  });
}
