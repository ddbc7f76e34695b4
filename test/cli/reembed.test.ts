import { status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { cleanUp } from '../client/support/clean-up.ts';
import { statusError, unary } from '../client/support/start-service.ts';
import { against } from './support/against.ts';

afterEach(cleanUp);

const PROGRESS = {
  namespace: 'namespaces/default',
  fromModel: 'old',
  toModel: 'new',
  doneCount: 0,
  totalCount: 7,
  startTime: { seconds: 1n, nanos: 0 },
};

async function serving(begun: readonly object[], looks: readonly object[]) {
  const parents: string[] = [];
  let at = 0;
  const run = await against({
    admin: {
      reembedMemories: unary<{ parent: string }, object>(({ parent }) => {
        parents.push(parent);
        return { namespaces: begun };
      }),
      getReembedProgress: unary(() => looks[at++] ?? { namespaces: [], failure: '' }),
    },
  });
  return { run, parents, looked: () => at };
}

describe('mneme reembed', () => {
  it('waits until it is done and tells what was', async () => {
    const { run, looked } = await serving([PROGRESS], [{ namespaces: [PROGRESS], failure: '' }]);
    const { code, stdout } = await run(['reembed']);
    expect([code, stdout]).toEqual([0, 'default: 7 memories are embedded with new (before: old)\n']);
    expect(looked()).toBe(2);
  });

  it('--all --no-wait --json › only begins', async () => {
    const { run, parents, looked } = await serving([PROGRESS], []);
    const { code, stdout } = await run(['reembed', '--all', '--no-wait', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ namespaces: [{ namespace: 'default', toModel: 'new', totalCount: 7 }] });
    expect([parents, looked()]).toEqual([[''], 0]);
  });

  it('nothing to do › says so', async () => {
    const { run } = await serving([], []);
    expect((await run(['reembed'])).stdout).toMatch(/^nothing to re-embed/);
  });

  it('embedder that fails › a failure with its reason', async () => {
    const { run } = await serving([PROGRESS], [{ namespaces: [PROGRESS], failure: 'it is asleep' }]);
    const { code, stderr } = await run(['reembed']);
    expect(code).not.toBe(0);
    expect(stderr).toBe('mneme: not done yet, the server goes on as soon as it can: it is asleep\n');
  });

  it.each([{}, { reason: 'DRAINING' }])(
    'server that goes away amid it, %j › says that nothing is lost',
    async (details) => {
      const run = await against({
        admin: {
          reembedMemories: unary(() => ({ namespaces: [PROGRESS] })),
          getReembedProgress: unary(() => {
            throw statusError(status.UNAVAILABLE, 'read ECONNRESET', details);
          }),
        },
      });
      const { code, stdout, stderr } = await run(['reembed']);
      expect([code, stdout]).toEqual([4, '']);
      expect(stderr).toBe(
        'mneme: the server went away; finished embeddings are kept, and re-embedding resumes when the server starts\n',
      );
    },
  );
});

describe('mneme recall', () => {
  async function recalling() {
    const requests: object[] = [];
    const recall = unary<object, object>((request) => {
      requests.push(request);
      const passages = [{ text: 'Ann: one\nBob: two', tokenCount: 6, names: [], score: 1 }];
      const rest = { revision: 1n, lanes: [], degraded: [], candidateCount: 0, lowRelevanceCount: 0 };
      return { hits: [], passages, tokenCount: 6, promoted: [], damaged: [], ...rest };
    });
    return { run: await against({ recall: { recall } }), requests };
  }

  it('--budget › prints passages', async () => {
    const { run, requests } = await recalling();
    const { code, stdout } = await run(['recall', 'tea', '--budget', '100']);
    expect([code, stdout]).toEqual([0, 'Ann: one\nBob: two\n\n']);
    expect(requests).toMatchObject([{ text: 'tea', tokenBudget: 100 }]);
  });

  it('when and where › arrive', async () => {
    const { run, requests } = await recalling();
    await run(['recall', '--near-geo', '48.5,-2', '--scale', '500', '--during', 'week', '--time-zone', 'Europe/Paris']);
    await run(['recall', '--near-point', '1,2,3', '--last', '2h']);
    await run(['recall', '--near-time', '2024-05-08T00:00:00Z', '--scale', '2d']);
    await run(['recall', '--near-step', '5', '--scale', '3']);
    await run(['recall', '--near-location', 'farm', '--near-room', 'kitchen']);
    expect(requests).toMatchObject([
      {
        nearPlace: { origin: { $case: 'geo', value: { latitudeDeg: 48.5, longitudeDeg: -2 } }, scale: 500 },
        timeWindow: { period: 2 },
        timeZone: 'Europe/Paris',
      },
      {
        nearPlace: { origin: { $case: 'point', value: { x: 1, y: 2, z: 3 } }, scale: 1 },
        timeWindow: { last: { seconds: 7200n } },
      },
      { nearTime: { origin: { $case: 'time' }, timeScale: { seconds: 172_800n } } },
      { nearTime: { origin: { $case: 'step', value: 5n }, stepScale: 3 } },
      { nearPlace: { origin: { $case: 'named', value: { location: 'farm', room: 'kitchen', region: '' } }, scale: 0 } },
    ]);
  });

  it('flags that exclude each other, numbers that are none › refused before anything is sent', async () => {
    const { run, requests } = await recalling();
    expect((await run(['recall', '--near-point', '1,2', '--near-geo', '1,2'])).code).not.toBe(0);
    expect((await run(['recall', '--near-point', '1,2', '--near-room', 'kitchen'])).code).not.toBe(0);
    expect((await run(['recall', '--last', '2h', '--during', 'day'])).code).not.toBe(0);
    expect((await run(['recall', '--near-point', '1'])).code).toBe(2);
    expect((await run(['recall', 'x', '--budget', '0'])).code).toBe(2);
    expect(requests).toEqual([]);
  });
});
