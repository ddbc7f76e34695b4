import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AffectedQueries, StandingQueryIndex } from '../../../../../src/search/standing/standing-query.ts';
import type { Standing } from '../../../../../src/server/operations/streams/answer-state.ts';
import { StandingQueries } from '../../../../../src/server/operations/streams/standing-queries.ts';

const NEITHER = { seesTouches: false, seesMoves: false };
const QUERY = { namespace: 'n', kind: 'admitted', text: '', minSimilarity: -1, ...NEITHER } as const;

/** A log and an index in which changes are only announced. */
class Changes implements StandingQueryIndex {
  revision = 0;
  private changed: AffectedQueries['changed'] = [];
  private commit: () => void = () => undefined;

  onCommit(listener: () => void): () => void {
    this.commit = listener;
    return () => undefined;
  }

  /** Resolves when it was notified. */
  async of(namespace: string, id: string): Promise<void> {
    this.revision++;
    this.changed = [{ namespace, id }];
    this.commit();
    await new Promise(setImmediate);
  }

  async put(): Promise<void> {}
  async remove(): Promise<void> {}
  async evaluate(): Promise<[]> {
    return [];
  }
  async affected(): Promise<AffectedQueries> {
    const nothing = { urgent: [], settling: [], settlingNamespaces: [], isEverything: false };
    const { changed } = this;
    this.changed = [];
    return { ...nothing, throughRevision: this.revision, changed };
  }
}

const atOnce = async (): Promise<void> => undefined;
let changes: Changes;
let standing: Standing;
let received: string[];
beforeEach(async () => {
  changes = new Changes();
  received = [];
  const fail = (error: unknown) => {
    throw error;
  };
  const queries = new StandingQueries(changes, changes, fail, undefined, atOnce);
  standing = await queries.add(QUERY, (urgency) => received.push(urgency));
});

describe('StandingQueries', () => {
  it('a memory of the answer changes › the query is asked again; another one changes › it is not', async () => {
    standing.beginSearch();
    standing.setMembers(['a']);
    await changes.of('n', 'b');
    await changes.of('other', 'a');
    expect(received).toEqual([]);
    await changes.of('n', 'a');
    expect(received).toEqual(['urgent']);
  });

  it('a new member of the answer changed during the search › the query is evaluated again', async () => {
    standing.beginSearch();
    await changes.of('n', 'a');
    expect(received).toEqual([]);
    standing.setMembers(['a', 'b']);
    expect(received).toEqual(['urgent']);
  });

  it('changes during the search that are not in the answer, or of former members › no further notification', async () => {
    standing.beginSearch();
    standing.setMembers(['a']);
    standing.beginSearch();
    await changes.of('n', 'a');
    await changes.of('n', 'b');
    await changes.of('other', 'c');
    expect(received).toEqual(['urgent']);
    standing.setMembers(['a', 'c']);
    expect(received).toEqual(['urgent']);
  });

  it('its reader leaves during the search › no notification', async () => {
    standing.beginSearch();
    standing.end();
    await changes.of('n', 'a');
    expect(received).toEqual([]);
  });

  it('a wait for committed changes › ends when they were processed, without later ones, and despite a failing index', async () => {
    const looks: PromiseWithResolvers<AffectedQueries>[] = [];
    const faults: unknown[] = [];
    const held = Object.assign(new Changes(), {
      affected: () => {
        const look = Promise.withResolvers<AffectedQueries>();
        looks.push(look);
        return look.promise;
      },
    });
    const queries = new StandingQueries(held, held, (error) => void faults.push(error), undefined, atOnce);
    await queries.caughtUp();
    await queries.add(QUERY, () => undefined);
    const found = (throughRevision: number): AffectedQueries => ({
      ...{ throughRevision, urgent: [], settling: [], settlingNamespaces: [], changed: [], isEverything: false },
    });
    await held.of('n', 'a');
    let isDone = false;
    const waiting = queries.caughtUp().then(() => {
      isDone = true;
    });
    await held.of('n', 'b');
    expect([looks.length, isDone]).toEqual([1, false]);
    looks[0]?.resolve(found(1));
    await waiting;
    expect(looks).toHaveLength(2);
    const failing = queries.caughtUp();
    looks[1]?.reject(new Error('gone'));
    await failing;
    expect(faults).toHaveLength(1);
  });

  it('more is committed before the index may look again › it looks once, at all of it', async () => {
    const pauses: { lookedMs: number; end(): void }[] = [];
    const looks: number[] = [];
    const counted = Object.assign(new Changes(), {
      affected: async ({ afterRevision }: Parameters<StandingQueryIndex['affected']>[0]): Promise<AffectedQueries> => {
        looks.push(afterRevision);
        const nothing = { urgent: [], settling: [], settlingNamespaces: [], isEverything: false };
        return { ...nothing, throughRevision: counted.revision, changed: [] };
      },
    });
    const pause = (lookedMs: number) => new Promise<void>((end) => pauses.push({ lookedMs, end }));
    const fail = (error: unknown) => {
      throw error;
    };
    const queries = new StandingQueries(counted, counted, fail, undefined, pause);
    await queries.add(QUERY, () => undefined);
    for (const id of ['a', 'b', 'c']) await counted.of('n', id);
    expect([looks, pauses.length]).toEqual([[], 1]);
    pauses[0]?.end();
    await queries.caughtUp();
    await counted.of('n', 'd');
    expect([looks, pauses.length]).toEqual([[0], 2]);
    expect(pauses[1]?.lookedMs).toBeGreaterThan(pauses[0]?.lookedMs ?? 0);
    const stopped = queries.stop();
    pauses[1]?.end();
    await stopped;
    expect(looks).toEqual([0]);
  });
});
