import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { MnemeError } from '../../../../src/memory/errors.ts';
import type { RecallEngine, RecallResult } from '../../../../src/search/recall/recall-engine.ts';
import { recallRequestOf } from '../../../../src/server/grpc/recall/recall-messages.ts';
import type { Standing } from '../../../../src/server/operations/streams/answer-state.ts';
import { StandingAnswer, type StandingAnswerDeps } from '../../../../src/server/operations/streams/standing-answer.ts';
import { Limiter, StandingSearches } from '../../../../src/server/operations/streams/standing-searches.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call, type Opened, openDeps } from '../support.ts';

let opened: Opened;
beforeEach(async () => {
  opened = await openDeps();
  await opened.store.write({ kind: 'createNamespace', name: 'n', description: '', memoryLimit: 0, atUs: 1 });
});
afterEach(() => opened.close());

const lastHour = RecallRequest.fromPartial({ parent: 'namespaces/n', timeWindow: { last: { seconds: 3600n } } });
const standing: Standing = {
  id: 1,
  query: { namespace: 'n', kind: 'admitted', text: '', minSimilarity: -1, seesTouches: false, seesMoves: false },
  isOutdated: false,
  revision: 0,
  beginSearch: () => {},
  renew: async () => {},
  setMembers: () => {},
  end: () => {},
};

function answerOf(deps: Opened['deps'], search: () => Promise<RecallResult>): StandingAnswer {
  const engine = { textModel: '', search } as unknown as RecallEngine;
  const searches = new StandingSearches({ evaluate: async () => [] });
  const answerDeps = { ...deps, engine, searches, evaluations: new Limiter(1) } as unknown as StandingAnswerDeps;
  const query = recallRequestOf(lastHour);
  return new StandingAnswer(answerDeps, { query, heartbeatMs: 1000, batchMax: 10, batchBytesMax: 1000 }, call);
}

it('a standing query of a window that ends now › does not claim to reflect memories stored during the search', async () => {
  const { store, deps, clock } = opened;
  const search = async (): Promise<RecallResult> => {
    // Behind the moment that the query asks for, so no hit, and yet part of the state that is searched.
    clock.us += 1000;
    const memory = newMemory({ id: `at-${clock.us}`, createdAtUs: clock.us, eventAtUs: clock.us });
    const write = { namespace: 'n', createNamespace: false, onConflict: 'fail', atUs: clock.us } as const;
    await store.write({ kind: 'store', ...write, memories: [memory] });
    return { hits: [], lanes: ['filter'], degraded: [], candidateCount: 0, revision: store.revision };
  };
  const answer = answerOf(deps, search);

  const before = store.revision;
  const [batch] = await answer.evaluate(standing, true);
  expect([batch?.revision, answer.revision, store.revision]).toEqual([before, before, before + 1]);

  // Entries that the index of standing queries has processed were stored before this moment.
  const ahead = { ...standing, revision: store.revision + 5 };
  await answer.evaluate(ahead, false);
  expect(answer.revision).toBe(store.revision);
});

it('a standing query whose store is away for a moment › ends only where there was no answer yet; else it is asked again', async () => {
  const { store, deps, clock } = opened;
  let failure: MnemeError | undefined;
  const search = async (): Promise<RecallResult> => {
    if (failure) throw failure;
    return { hits: [], lanes: ['filter'], degraded: [], candidateCount: 0, revision: store.revision };
  };
  const away = new MnemeError('STORAGE_UNAVAILABLE', 'no answer', { metadata: { backend: 'redis', fault: 'timeout' } });
  failure = away;
  await expect(answerOf(deps, search).evaluate(standing, true)).rejects.toBe(away);

  const answer = answerOf(deps, search);
  failure = undefined;
  await answer.evaluate(standing, true);
  const { revision } = answer;
  failure = away;
  const failedAtMs = performance.now();
  expect(await answer.evaluate({ ...standing, revision: revision + 5 }, false)).toEqual([]);
  // The answer is not reported as current, and the store is not asked for a while.
  expect([answer.revision, answer.schedule.isDirty]).toEqual([revision, true]);
  const dueInMs = answer.schedule.dueInMs(clock.nowUs());
  expect(dueInMs).toBeGreaterThanOrEqual(1000 - (performance.now() - failedAtMs));
  expect(dueInMs).toBeLessThanOrEqual(1000);

  // A thread that has ended loses its state of the query.
  failure = new MnemeError('STORAGE_UNAVAILABLE', 'the search thread has ended', { metadata: { backend: 'search' } });
  await expect(answer.evaluate(standing, false)).rejects.toBe(failure);
  failure = undefined;
  await answer.evaluate(standing, false);
  expect(answer.schedule.isDirty).toBe(false);
});

it('a standing query › reads only changed hits, and all where a hit is unreadable: later ones move up', async () => {
  const { store, deps } = opened;
  const ids = ['a', 'b', 'c'];
  const write = { namespace: 'n', createNamespace: false, onConflict: 'fail', atUs: 1 } as const;
  await store.write({ kind: 'store', ...write, memories: ids.map((id) => newMemory({ id })) });
  const stored = await store.get({ namespace: 'n', ids, view: 'basic', nowUs: 1 });
  const none = {
    equalCount: 0,
    components: [],
    features: [],
    matchedTerms: [],
    isRestored: false,
    before: [],
    after: [],
  };
  let order = ids;
  const search = async (): Promise<RecallResult> => ({
    hits: order.map((id, at) => {
      const revision = stored.find((memory) => memory?.id === id)?.revision ?? 0;
      return { id, revision, score: 1 - at / 10, relevance: 1, ...none };
    }),
    ...({ lanes: ['vector'], degraded: [], candidateCount: 0 } as const),
    revision: store.revision,
  });
  const reads: (readonly string[])[] = [];
  const watched = Object.create(store, {
    get: {
      value: (read: Parameters<typeof store.get>[0]) => {
        reads.push(read.ids);
        return store.get(read);
      },
    },
  }) as typeof store;
  const answer = answerOf({ ...deps, store: watched }, search);
  const received = async () =>
    (await answer.evaluate(standing, reads.length === 0)).flatMap((message) =>
      message.kind === 'batch' ? message.events.map(({ kind, id }) => `${kind} ${id}`) : [],
    );
  expect(await received()).toEqual(['enter a', 'enter b', 'enter c']);
  expect(await received()).toEqual([]);
  order = ['a', 'c', 'b'];
  expect(await received()).toEqual(['update c', 'update b']);
  expect(reads.slice(1)).toEqual([['c', 'b']]);

  // Deleted since the search: later hits are sent with other positions.
  order = ['gone', 'c', 'b'];
  reads.length = 1;
  expect(await received()).toEqual(['leave a', 'update c', 'update b']);
  expect(reads.slice(1)).toEqual([['gone'], ['gone', 'c', 'b']]);
});
