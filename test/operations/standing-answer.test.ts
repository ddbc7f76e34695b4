import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { recallRequestOf } from '../../src/grpc/recall-messages.ts';
import { Limiter } from '../../src/operations/limiter.ts';
import { StandingAnswer, type StandingAnswerDeps } from '../../src/operations/standing-answer.ts';
import type { Standing } from '../../src/operations/standing-queries.ts';
import { StandingSearches } from '../../src/operations/standing-searches.ts';
import type { RecallEngine, RecallResult } from '../../src/recall/recall-engine.ts';
import { newMemory } from '../support/new-memory.ts';
import { call, type Opened, openDeps } from './support.ts';

let opened: Opened;
beforeEach(async () => {
  opened = await openDeps();
  await opened.store.createNamespace({ name: 'n', description: '', memoryLimit: 0, atUs: 1 });
});
afterEach(() => opened.close());

const lastHour = RecallRequest.fromPartial({ parent: 'namespaces/n', timeWindow: { last: { seconds: 3600n } } });
const standing: Standing = { id: 1, revision: 0, beginSearch: () => {}, setMembers: () => {}, end: () => {} };

it('a standing query of a window that ends now › is not told to reflect what is stored while it is searched for', async () => {
  const { store, deps, clock } = opened;
  const search = async (): Promise<RecallResult> => {
    // Behind the moment that the query asks for, so no hit, and yet part of the state that is searched.
    clock.us += 1000;
    const memory = newMemory({ id: `at-${clock.us}`, createdAtUs: clock.us, eventAtUs: clock.us });
    const write = { namespace: 'n', createNamespace: false, onConflict: 'fail', atUs: clock.us } as const;
    await store.store({ ...write, memories: [memory] });
    return { hits: [], lanes: ['filter'], degraded: [], candidateCount: 0, revision: store.revision };
  };
  const engine = { textModel: '', search } as unknown as RecallEngine;
  const searches = new StandingSearches({ evaluate: async () => [] });
  const answerDeps = { ...deps, engine, searches, evaluations: new Limiter(1) } as unknown as StandingAnswerDeps;
  const query = recallRequestOf(lastHour);
  const answer = new StandingAnswer(answerDeps, { query, heartbeatMs: 1000, batchMax: 10, batchBytesMax: 1000 }, call);

  const before = store.revision;
  const [batch] = await answer.evaluate(standing, true);
  expect([batch?.revision, answer.revision, store.revision]).toEqual([before, before, before + 1]);

  // What the index of standing queries has looked at was stored before this moment.
  const ahead = { ...standing, revision: store.revision + 5 };
  await answer.evaluate(ahead, false);
  expect(answer.revision).toBe(store.revision);
});
