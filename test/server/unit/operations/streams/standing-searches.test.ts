import { expect, test } from '@jest/globals';
import { MnemeError, namespaceNotFound, toThrown } from '../../../../../src/memory/errors.ts';
import type { RecallEngine, RecallQuery, RecallResult } from '../../../../../src/search/recall/recall-engine.ts';
import type { Evaluated, Evaluation } from '../../../../../src/search/standing/standing-query.ts';
import { StandingSearches } from '../../../../../src/server/operations/streams/standing-searches.ts';

const { signal } = new AbortController();

const resultOf = (revision: number): RecallResult => ({
  hits: [],
  lanes: ['vector'],
  degraded: [],
  candidateCount: 0,
  revision,
});

const ENGINE: RecallEngine = {
  textModel: '',
  search: (query) => Promise.resolve(resultOf(-query.nowUs)),
  statistics: () => Promise.resolve([]),
  close: () => Promise.resolve(),
};

function queryAt(nowUs: number, more: Partial<RecallQuery> = {}): RecallQuery {
  return {
    namespace: 'n',
    revision: 0,
    text: '',
    embedding: { model: 'm', values: Float32Array.of(1, 0) },
    isLearned: false,
    limit: 10,
    weights: { keyword: 1, vector: 1, recency: 0, importance: 0, session: 1 },
    halfLifeUs: 1,
    nowUs,
    validity: 'current',
    explain: false,
    neighborCount: 0,
    exact: false,
    deadlineAtMs: 1,
    ...more,
  };
}

function searchesOver(evaluated: (evaluation: Evaluation) => Evaluated) {
  const asked: (readonly Evaluation[])[] = [];
  const searches = new StandingSearches({
    evaluate: (evaluations) => {
      asked.push(evaluations);
      return Promise.resolve(evaluations.map(evaluated));
    },
  });
  return { asked, engineOf: (id: number) => searches.engineOf(id, ENGINE) };
}

test('StandingSearches › send the queries of one turn in one message, without vectors and known parts', async () => {
  const { asked, engineOf } = searchesOver(({ id }) => ({ answer: resultOf(id) }));
  const engines = [engineOf(1), engineOf(2)];
  const ask = (nowUs: number, more: Partial<RecallQuery> = {}) =>
    Promise.all(engines.map((engine) => engine.search(queryAt(nowUs, more), signal)));
  expect((await ask(1)).map(({ revision }) => revision)).toEqual([1, 2]);
  await ask(2);
  await ask(3, { limit: 11 });
  expect(asked.map((evaluations) => evaluations.map(({ id, nowUs, query }) => [id, nowUs, query?.limit]))).toEqual([
    [
      [1, 1, 10],
      [2, 1, 10],
    ],
    [
      [1, 2, undefined],
      [2, 2, undefined],
    ],
    [
      [1, 3, 11],
      [2, 3, 11],
    ],
  ]);
  expect(JSON.stringify(asked)).not.toContain('embedding');
});

test('StandingSearches › ask the engine when the index lacks the query, and send it to the index again', async () => {
  const { asked, engineOf } = searchesOver(({ nowUs }) => (nowUs < 3 ? { isUnknown: true } : { answer: resultOf(7) }));
  const engine = engineOf(1);
  const revisions: number[] = [];
  for (const nowUs of [1, 2, 3, 4]) revisions.push((await engine.search(queryAt(nowUs), signal)).revision);
  expect(revisions).toEqual([-1, -2, 7, 7]);
  expect(asked.flat().map(({ query }) => query !== undefined)).toEqual([true, true, true, false]);
});

test('StandingSearches › one query that fails › fails alone, with its reason', async () => {
  const failure = toThrown(namespaceNotFound('n'));
  const { engineOf } = searchesOver(({ id }) => (id === 1 ? { thrown: failure } : { answer: resultOf(id) }));
  const [one, two] = await Promise.allSettled([1, 2].map((id) => engineOf(id).search(queryAt(1), signal)));
  expect(one?.status === 'rejected' && one.reason instanceof MnemeError && one.reason.reason).toBe(
    'NAMESPACE_NOT_FOUND',
  );
  expect(two).toMatchObject({ status: 'fulfilled', value: { revision: 2 } });
});
