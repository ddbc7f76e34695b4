import { afterEach, describe, expect, it } from '@jest/globals';
import type { GetReembedProgressRequest, ReembedMemoriesRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { CalendarPeriod, type RecallRequest } from '../../gen/ts/mneme/v1/recall_service.ts';
import { cleanUp, serve } from './support/clean-up.ts';
import { unary } from './support/start-service.ts';

afterEach(cleanUp);

const PASSAGE = { text: 'Ann: tea', tokenCount: 3, names: ['namespaces/n/memories/a'], score: 0.5 };
const EMPTY = {
  hits: [],
  revision: 1n,
  lanes: [4, 5],
  degraded: [],
  candidateCount: 0,
  lowRelevanceCount: 0,
  promoted: [],
  damaged: [],
};

async function recalling() {
  const requests: RecallRequest[] = [];
  const recall = unary<RecallRequest, object>((request) => {
    requests.push(request);
    return { ...EMPTY, passages: [PASSAGE], tokenCount: 3 };
  });
  const { mneme } = await serve({ recall: { recall } });
  return { mneme, requests };
}

describe('recall', () => {
  it('time, place, window and budget › arrive, and passages come back', async () => {
    const { mneme, requests } = await recalling();
    const time = new Date('2024-05-08T00:00:00Z');

    const recalled = await mneme.recall({
      nearTime: { time, timeScaleMs: 1500 },
      nearPlace: { geo: { latitudeDeg: 1, longitudeDeg: 2 }, scaleM: 30 },
      timeWindow: { period: 'week', periodsAgo: 1, timeZone: 'Europe/Paris' },
      tokenBudget: 400,
      weights: { time: 2, place: 3 },
    });
    await mneme.recall({ nearTime: { step: 7, stepScale: 2 }, nearPlace: { point: { x: 1, y: 2 }, scale: 3 } });
    await mneme.recall({ nearPlace: { named: { room: 'kitchen' } } });
    await mneme.recall({ timeWindow: { lastMs: 90_000 } });
    await mneme.recall({ timeWindow: { startTime: time } });

    expect(recalled).toMatchObject({
      lanes: ['time', 'place'],
      passages: [{ text: 'Ann: tea', tokenCount: 3, ids: ['a'], score: 0.5 }],
      tokenCount: 3,
    });
    const seconds = BigInt(time.getTime() / 1000);
    expect(requests).toMatchObject([
      {
        nearTime: { origin: { $case: 'time', value: { seconds } }, timeScale: { seconds: 1n, nanos: 500_000_000 } },
        nearPlace: { origin: { $case: 'geo', value: { latitudeDeg: 1, longitudeDeg: 2 } }, scale: 30 },
        timeWindow: { period: CalendarPeriod.CALENDAR_PERIOD_WEEK, periodsAgo: 1, timeZone: 'Europe/Paris' },
        tokenBudget: 400,
        weights: { time: 2, place: 3 },
      },
      {
        nearTime: { origin: { $case: 'step', value: 7n }, stepScale: 2 },
        nearPlace: { origin: { $case: 'point', value: { x: 1, y: 2 } }, scale: 3 },
      },
      { nearPlace: { origin: { $case: 'named', value: { location: '', room: 'kitchen', region: '' } }, scale: 0 } },
      { timeWindow: { last: { seconds: 90n, nanos: 0 } } },
      { timeWindow: { startTime: { seconds } } },
    ]);
  });
});

describe('reembed', () => {
  it('one namespace and all › progress comes back', async () => {
    const parents: string[] = [];
    const progress = {
      namespace: 'namespaces/n',
      fromModel: 'old',
      toModel: 'new',
      doneCount: 1,
      totalCount: 2,
      startTime: { seconds: 1n, nanos: 0 },
    };
    const { mneme } = await serve({
      admin: {
        reembedMemories: unary<ReembedMemoriesRequest, object>(({ parent }) => {
          parents.push(parent);
          return { namespaces: [progress] };
        }),
        getReembedProgress: unary<GetReembedProgressRequest, object>(({ parent }) => {
          parents.push(parent);
          return { namespaces: [], failure: 'asleep' };
        }),
      },
    });

    const [begun] = await mneme.admin.reembed('n');
    const later = await mneme.admin.getReembedProgress();

    expect(begun).toMatchObject({ namespace: 'n', fromModel: 'old', toModel: 'new', doneCount: 1, totalCount: 2 });
    expect(begun?.startTime.getTime()).toBe(1000);
    expect(later).toEqual({ namespaces: [], failure: 'asleep' });
    expect(parents).toEqual(['namespaces/n', '']);
  });
});
