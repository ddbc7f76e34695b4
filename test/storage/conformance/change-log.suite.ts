import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { checksumOf } from '../../../src/memory/checksum.ts';
import type { Tier } from '../../../src/memory/memory.ts';
import { FULL_RESOLUTION } from '../../../src/memory/resolution/resolution.ts';
import type { ChangeLog } from '../../../src/storage/change-log/change-log.ts';
import { newMemory } from '../../support/new-memory.ts';
import type { WholeStore } from '../../support/whole-store.ts';
import { because, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

export interface ChangeLogSubject {
  readonly name: string;
  create(): Promise<{
    readonly store: WholeStore;
    readonly log: ChangeLog;
    /** Resolves when the log has all writes, where that takes time. */
    readonly settled?: (namespace: string) => Promise<void>;
    close(): Promise<void>;
  }>;
}

/** Contract of all change logs. */
export function changeLogSuite({ name, create }: ChangeLogSubject): void {
  describe(`change log (${name})`, () => {
    let store: WholeStore;
    let log: ChangeLog;
    let settled: (namespace: string) => Promise<void>;
    let close: () => Promise<void>;
    beforeEach(async () => {
      const made = await create();
      ({ store, log } = made);
      settled = made.settled ?? (async () => undefined);
      close = () => made.close();
    });
    afterEach(() => close());

    const pageAfter = async (afterRevision: number, limit = 100, bytesMax = 1_000_000) => {
      await settled(SPACE);
      return log.readChanges({ namespace: await log.watchedNamespace(SPACE), afterRevision, limit, bytesMax });
    };
    const entriesAfter = async (afterRevision: number, limit = 100) =>
      (await pageAfter(afterRevision, limit)).changes
        .filter(({ kind }) => kind !== 'touched')
        .map(({ kind, id, memory }) => [kind, id, memory?.text].filter((part) => part !== undefined).join(' '));
    const update = (id: string, text: string) =>
      store.write({
        kind: 'update',
        namespace: SPACE,
        id,
        changes: { text, checksum: checksumOf(text) },
        atUs: NOW_US,
      });
    const move = (id: string, to: Tier) =>
      store.write({ kind: 'move', namespace: SPACE, ids: [id], to, resolution: FULL_RESOLUTION, atUs: NOW_US });
    const moves = async (afterRevision: number) =>
      (await pageAfter(afterRevision)).changes
        .filter(({ kind }) => kind === 'moved')
        .map(({ id, formerTier, memory }) => [id, formerTier, memory?.tier, memory?.text]);
    const erase = (ids: readonly string[], cause: 'deleted' | 'expired' = 'deleted', atUs = NOW_US) =>
      store.write({ kind: 'delete', namespace: SPACE, ids, cause, mustExist: false, atUs });

    it('stored, changed, deleted › logged in order, each with the resulting state, with rising revisions', async () => {
      await put(store, [newMemory({ id: 'a', text: 'one' }), newMemory({ id: 'b', text: 'other' })]);
      const begin = log.revision;
      await settled(SPACE);
      await update('a', 'two');
      await update('a', 'three');
      await erase(['b']);
      expect(await entriesAfter(0)).toEqual([
        ...((await entriesAfter(0))[0]?.startsWith('namespace') ? [`namespace_created ${SPACE}`] : []),
        'stored a one',
        'stored b',
        'updated a two',
        'updated a three',
        'deleted b',
      ]);
      const { changes, throughRevision } = await pageAfter(0);
      const revisions = changes.map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((one, two) => one - two));
      expect(throughRevision).toBeGreaterThanOrEqual(revisions.at(-1) ?? 0);
      expect(begin).toBeLessThanOrEqual(log.revision);
      expect(changes.find(({ kind }) => kind === 'updated')?.former?.text).toBe('one');
    });

    it('an expired memory is erased › logged as expired', async () => {
      await put(store, [newMemory({ id: 'a', text: 'x', expiresAtUs: NOW_US + 1 })]);
      await erase(['a'], 'expired', NOW_US + 2);
      expect((await entriesAfter(0)).at(-1)).toBe('expired a');
    });

    it('moved down, further down and up again › each move is logged with both tiers, whatever has happened to the memory since', async () => {
      await put(store, [newMemory({ id: 'a', text: 'one' }), newMemory({ id: 'b', text: 'other' })]);
      await move('a', 'intermediate');
      await move('a', 'long_term');
      await move('a', 'long_term');
      await move('a', 'short_term');
      await update('a', 'two');
      await move('a', 'intermediate');
      expect(await moves(0)).toEqual([
        ['a', 'short_term', 'intermediate', 'one'],
        ['a', 'intermediate', 'long_term', 'one'],
        ['a', 'long_term', 'short_term', 'one'],
        ['a', 'short_term', 'intermediate', 'two'],
      ]);
    });

    it('moved, and changed or erased before the read › the move is logged all the same', async () => {
      await put(store, [newMemory({ id: 'a', text: 'one' }), newMemory({ id: 'b', text: 'other' })]);
      await settled(SPACE);
      const before = log.revision;
      await Promise.all([move('a', 'intermediate'), move('b', 'intermediate')]);
      await Promise.all([update('a', 'two'), erase(['b'])]);
      expect((await moves(before)).toSorted()).toEqual([
        ['a', 'short_term', 'intermediate', 'one'],
        ['b', 'short_term', undefined, undefined],
      ]);
    });

    it('read page by page › equals one read of all, without entries of other namespaces', async () => {
      await put(store, [newMemory({ id: 'a', text: 'x' })]);
      for (const id of ['b', 'c', 'd']) {
        await put(store, [newMemory({ id, text: id })]);
        await put(store, [newMemory({ id, text: 'elsewhere' })], { namespace: 'other' });
      }
      await settled('other');
      const { changes } = await pageAfter(0);
      const pages: number[] = [];
      for (let at = 0; ; ) {
        const page = await pageAfter(at, 2);
        pages.push(...page.changes.map(({ revision }) => revision));
        expect(page.throughRevision).toBeGreaterThanOrEqual(page.changes.at(-1)?.revision ?? at);
        if (page.changes.length < 2) break;
        at = page.throughRevision;
      }
      expect(pages).toEqual(changes.map(({ revision }) => revision));
      expect(changes.some(({ memory }) => memory?.text === 'elsewhere')).toBe(false);
      const both = await log.readTail({
        namespaces: new Map([
          [(await log.watchedNamespace(SPACE)).key, SPACE],
          [(await log.watchedNamespace('other')).key, 'other'],
        ]),
        afterRevision: 0,
        limit: 100,
        bytesMax: 1_000_000,
      });
      expect([...both.changes.values()].map((some) => some.filter(({ kind }) => kind === 'stored').length)).toEqual(
        expect.arrayContaining([4, 3]),
      );
    });

    it('large changes › a page ends with the one that reaches its size, and the next page starts after it', async () => {
      const text = 'x'.repeat(50_000);
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const id of ids) await put(store, [newMemory({ id, text })]);
      await settled(SPACE);
      const pages: string[][] = [];
      for (let at = 0; at < log.revision; ) {
        const { changes, throughRevision } = await pageAfter(at, 100, 90_000);
        pages.push(changes.filter(({ kind }) => kind === 'stored').map(({ id }) => id));
        at = throughRevision;
      }
      expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
      const namespaces = new Map([[(await log.watchedNamespace(SPACE)).key, SPACE]]);
      const listedIds: string[] = [];
      for (let at = 0; at < log.revision; ) {
        const page = await log.readTail({ namespaces, afterRevision: at, limit: 100, bytesMax: 1 });
        const changes = [...page.changes.values()].flat();
        expect(changes.length).toBeLessThanOrEqual(1);
        listedIds.push(...changes.filter(({ kind }) => kind === 'stored').map(({ id }) => id));
        at = page.throughRevision;
      }
      expect(listedIds).toEqual(ids);
    });

    it('compacted up to a revision › REVISION_COMPACTED before it, later entries are returned', async () => {
      for (let at = 0; at < 10; at++) await put(store, [newMemory({ id: `m${at}`, text: 'x' })]);
      await settled(SPACE);
      const all = (await pageAfter(0)).changes;
      const middle = all[5]?.revision ?? 0;
      expect(await log.measure({ afterRevision: 0, limit: 4 })).toMatchObject({ count: 4 });
      expect(await log.measure({ afterRevision: 0, limit: 1000 })).toBeUndefined();
      while (!(await log.compact({ throughRevision: middle, limit: 2 })));
      expect(await log.compactedRevision()).toBe(middle);
      await expect(pageAfter(middle - 1)).rejects.toMatchObject(because('REVISION_COMPACTED'));
      expect((await pageAfter(middle)).changes.map(({ revision }) => revision)).toEqual(
        all.slice(6).map(({ revision }) => revision),
      );
    });

    it('a place › gives its revision; a place of an unknown log gives REVISION_COMPACTED', async () => {
      await put(store, [newMemory({ id: 'a', text: 'x' })]);
      await settled(SPACE);
      const namespace = await log.watchedNamespace(SPACE);
      const place = await log.place(namespace, log.revision);
      expect(await log.revisionAt(namespace, place)).toBe(log.revision);
      const elsewhere = { ...place, log: 'elsewhere', epoch: 'unknown' };
      await expect(log.revisionAt(namespace, elsewhere)).rejects.toMatchObject(because('REVISION_COMPACTED'));
    });

    it('a place among lost entries › REVISION_COMPACTED with this reason; a place from before terms existed is accepted', async () => {
      await put(store, [newMemory({ id: 'a', text: 'x' })]);
      await settled(SPACE);
      const namespace = await log.watchedNamespace(SPACE);
      const place = await log.place(namespace, log.revision);
      expect(place.term).not.toBe('');
      expect(await log.termAt(log.revision)).toBe(place.term);
      const newest = String(log.revision);
      const refusal = {
        ...because('REVISION_COMPACTED'),
        metadata: { newest_revision: newest, compact_revision: '0' },
      };
      // In a term of another log, and after the end of a term of this log.
      for (const lost of [
        { ...place, term: 'lost' },
        { ...place, revision: place.revision + 1 },
      ]) {
        const failure = log.revisionAt(namespace, lost);
        await expect(failure).rejects.toMatchObject(refusal);
        await expect(failure).rejects.toThrow(/restored to an older state/);
      }
      expect(await log.revisionAt(namespace, { ...place, term: '' })).toBe(place.revision);
      expect((await log.place(namespace, 0)).term).toBe('');
    });

    it('compacted up to a place › the place is still valid; an earlier one is compacted, not lost', async () => {
      await put(store, [newMemory({ id: 'a', text: 'x' })]);
      await put(store, [newMemory({ id: 'b', text: 'x' })]);
      await settled(SPACE);
      const namespace = await log.watchedNamespace(SPACE);
      const [before, behind] = await Promise.all([1, log.revision].map((revision) => log.place(namespace, revision)));
      if (!before || !behind) throw new Error('no places');
      await log.compact({ throughRevision: log.revision, limit: 1000 });
      expect(await log.revisionAt(namespace, behind)).toBe(behind.revision);
      expect(await log.revisionAt(namespace, before)).toBe(before.revision);
    });

    it('a commit › listeners are called until they are removed; a missing namespace is not watched', async () => {
      let calls = 0;
      const end = log.onCommit(() => calls++);
      await put(store, [newMemory({ id: 'a', text: 'x' })]);
      await settled(SPACE);
      expect(calls).toBeGreaterThan(0);
      end();
      const before = calls;
      await put(store, [newMemory({ id: 'b', text: 'x' })]);
      await settled(SPACE);
      expect(calls).toBe(before);
      await expect(log.watchedNamespace('nobody')).rejects.toMatchObject(because('NAMESPACE_NOT_FOUND'));
    });
  });
}
