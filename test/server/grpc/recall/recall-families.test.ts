import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MemoryView } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  GetMemoryRequest,
  StoreMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { CalendarPeriod, RecallLane, RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

/** Wednesday, 8 May 2024, 12:00 in UTC. */
const NOW_MS = Date.parse('2024-05-08T12:00:00Z');

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({}, { clock: { nowUs: () => NOW_MS * 1000 } });
});
afterAll(() => mneme.stop());

const fresh = () => `namespaces/t-${randomUUID()}`;
const at = (iso: string) => ({ seconds: BigInt(Date.parse(iso) / 1000), nanos: 0 });
type Fields = NonNullable<Parameters<typeof StoreMemoryRequest.fromPartial>[0]['memory']>;
type Query = Parameters<typeof RecallRequest.fromPartial>[0];

async function storeAll(parent: string, memories: Readonly<Record<string, Fields>>) {
  for (const [memoryId, memory] of Object.entries(memories)) {
    await ask(mneme.memories, mneme.memories.storeMemory, StoreMemoryRequest.fromPartial({ parent, memory, memoryId }));
  }
}

const recall = (query: Query) =>
  ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial({ minRelevance: 0, ...query }));
const refused = (query: Query) => refusal(recall({ parent: fresh(), ...query }));

async function idsOf(query: Query): Promise<string[]> {
  const { hits } = await recall(query);
  return hits.map(({ memory }) => memory?.name.split('/').at(-1) ?? '');
}

describe('near_place', () => {
  const parent = fresh();
  beforeAll(() =>
    storeAll(parent, {
      far: { text: 'the red crate', place: { point: { x: 90, y: 0 } } },
      near: { text: 'the blue crate', place: { point: { x: 1, y: 1 } } },
      middle: { text: 'a lamp', content: json({ position: { x: 10, y: 0 } }) },
      nowhere: { text: 'the green crate' },
      paris: { text: 'a bakery', content: json({ lat: 48.8566, lon: 2.3522 }) },
      lyon: { text: 'a theatre', place: { geo: { latitudeDeg: 45.76, longitudeDeg: 4.8357 } } },
    }),
  );

  it('alone › the nearest memories, nearest first, and no others', async () => {
    const near = { origin: { $case: 'point', value: { x: 0, y: 0 } }, scale: 5 } as const;
    const { hits, lanes } = await recall({ parent, nearPlace: near, explain: true });
    expect(hits.map(({ memory }) => memory?.text)).toEqual(['the blue crate', 'a lamp', 'the red crate']);
    expect(lanes).toEqual([RecallLane.RECALL_LANE_PLACE]);
    const place = hits[1]?.components.find(({ name }) => name === 'place');
    expect(place).toMatchObject({ value: 1 / 3, contribution: 1 / 6, rank: 2 });
  });

  it('on Earth › by great circle, from coordinates in content too', async () => {
    const geo = { latitudeDeg: 48.85, longitudeDeg: 2.35 };
    const near = { origin: { $case: 'geo', value: geo }, scale: 1000 } as const;
    expect(await idsOf({ parent, nearPlace: near })).toEqual(['paris', 'lyon']);
  });

  it('with a text › near answers come before distant ones', async () => {
    const near = { origin: { $case: 'point', value: { x: 90, y: 1 } }, scale: 5 } as const;
    const { hits, lanes } = await recall({ parent, text: 'crate', nearPlace: near, explain: true });
    expect(hits[0]?.memory?.text).toBe('the red crate');
    expect(lanes).toContain(RecallLane.RECALL_LANE_KEYWORD);
    const names = hits[0]?.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['place', 'recency', 'importance']));
    const total = hits[0]?.components.reduce((sum, { contribution }) => sum + contribution, 0);
    expect(total).toBeCloseTo(hits[0]?.score ?? 0, 9);
  });

  it('with a filter › the nearest of the admitted memories', async () => {
    const near = { origin: { $case: 'point', value: { x: 0, y: 0 } }, scale: 5 } as const;
    const filter = { node: { $case: 'comparison', value: textContains('crate') } } as const;
    expect(await idsOf({ parent, nearPlace: near, filter })).toEqual(['near', 'far']);
  });

  it('bad input › names the field', async () => {
    const none = { origin: undefined, scale: 1 };
    expect((await refused({ nearPlace: none })).fields).toEqual(['near_place']);
    const origin = { $case: 'point', value: { x: 0, y: 0 } } as const;
    for (const scale of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect((await refused({ nearPlace: { origin, scale } })).fields).toEqual(['near_place.scale']);
    }
    const geo = { $case: 'geo', value: { latitudeDeg: 91, longitudeDeg: 0 } } as const;
    expect((await refused({ nearPlace: { origin: geo, scale: 1 } })).fields).toEqual(['near_place.geo.latitude_deg']);
    const weights = { keyword: 0, vector: 0, recency: 0, importance: 0, session: 0, place: 0 };
    expect((await refused({ nearPlace: { origin, scale: 1 }, weights })).fields).toEqual(['weights']);
  });
});

describe('near_place by names', () => {
  const parent = fresh();
  const kitchen = { location: 'farm', room: 'kitchen', region: 'north' };
  beforeAll(() =>
    storeAll(parent, {
      kitchen: { text: 'the red crate', place: kitchen, eventTime: at('2024-05-01T00:00:00Z') },
      barn: { text: 'the red crate', place: { ...kitchen, room: 'barn' }, eventTime: at('2024-05-02T00:00:00Z') },
      elsewhere: { text: 'the red crate', place: { location: 'mill' }, eventTime: at('2024-05-03T00:00:00Z') },
      nowhere: { text: 'the red crate', eventTime: at('2024-05-04T00:00:00Z') },
    }),
  );
  const near = (value: object) => ({ origin: { $case: 'named' as const, value } });

  it('alone › only memories with most of the names, each with its share', async () => {
    const { hits, lanes } = await recall({ parent, nearPlace: near(kitchen), explain: true });
    expect(hits.map(({ memory }) => memory?.name.split('/').at(-1))).toEqual(['kitchen', 'barn']);
    expect(lanes).toEqual([RecallLane.RECALL_LANE_PLACE]);
    const places = hits.map(({ components }) => components.find(({ name }) => name === 'place'));
    expect(places).toMatchObject([
      { value: 1, contribution: 0.5, rank: 1 },
      { value: 2 / 3, contribution: 1 / 3, rank: 2 },
    ]);
    expect(await idsOf({ parent, nearPlace: near({ room: 'Kitchen' }) })).toEqual([]);
  });

  it('with a text › answers from the place come first', async () => {
    const ids = await idsOf({ parent, text: 'red crate', nearPlace: near({ location: 'farm', room: 'kitchen' }) });
    expect(ids.slice(0, 2)).toEqual(['kitchen', 'barn']);
    expect(ids).toHaveLength(4);
  });

  it('after a move › the new place counts', async () => {
    const moved = fresh();
    await storeAll(moved, { a: { text: 'a lamp', place: { room: 'attic' } }, b: { text: 'a lamp', place: kitchen } });
    expect(await idsOf({ parent: moved, nearPlace: near({ room: 'attic' }) })).toEqual(['a']);
    const memory = { name: `${moved}/memories/b`, place: { room: 'attic' } };
    const request = UpdateMemoryRequest.fromPartial({ memory, updateMask: ['place'] });
    await ask(mneme.memories, mneme.memories.updateMemory, request);
    expect((await idsOf({ parent: moved, nearPlace: near({ room: 'attic' }) })).sort()).toEqual(['a', 'b']);
  });

  it('bad input › names the field', async () => {
    expect((await refused({ nearPlace: near({}) })).fields).toEqual(['near_place.named']);
    expect((await refused({ nearPlace: { ...near(kitchen), scale: 1 } })).fields).toEqual(['near_place.scale']);
    const room = 'x'.repeat(129);
    expect((await refused({ nearPlace: near({ room }) })).fields).toEqual(['near_place.named.room']);
  });
});

describe('near_time', () => {
  const parent = fresh();
  beforeAll(() =>
    storeAll(parent, {
      may1: { text: 'one', step: 1n, eventTime: at('2024-05-01T00:00:00Z') },
      may3: { text: 'two', step: 30n, eventTime: at('2024-05-03T00:00:00Z') },
      may7: { text: 'three', eventTime: at('2024-05-07T00:00:00Z') },
    }),
  );

  it('time › nearest on both sides first', async () => {
    const nearTime = { origin: { $case: 'time', value: at('2024-05-04T00:00:00Z') } } as const;
    expect(await idsOf({ parent, nearTime })).toEqual(['may3', 'may7', 'may1']);
  });

  it('step › nearest first, memories without one not at all', async () => {
    const { hits } = await recall({ parent, nearTime: { origin: { $case: 'step', value: 11n } }, explain: true });
    expect(hits.map(({ memory }) => memory?.text)).toEqual(['one', 'two']);
    expect(hits[0]?.components.find(({ name }) => name === 'time')).toMatchObject({ value: 0.5, rank: 1 });
  });

  it('bad input › names the field', async () => {
    const time = { $case: 'time', value: at('2024-05-04T00:00:00Z') } as const;
    const step = { $case: 'step', value: -1n } as const;
    expect((await refused({ nearTime: { origin: step } })).fields).toEqual(['near_time.step']);
    expect((await refused({ nearTime: { origin: time, stepScale: 2 } })).fields).toEqual(['near_time.step_scale']);
    const timeScale = { seconds: -1n, nanos: 0 };
    expect((await refused({ nearTime: { origin: time, timeScale } })).fields).toEqual(['near_time.time_scale']);
    expect((await refused({ nearTime: {} })).fields).toEqual(['near_time']);
  });
});

describe('time_window', () => {
  const parent = fresh();
  beforeAll(() =>
    storeAll(parent, {
      lastWeek: { text: 'note', eventTime: at('2024-05-05T23:30:00Z') },
      monday: { text: 'note', eventTime: at('2024-05-06T08:00:00Z') },
      today: { text: 'note', eventTime: at('2024-05-08T11:30:00Z') },
      future: { text: 'note', eventTime: at('2024-05-08T13:00:00Z') },
    }),
  );

  it('last › relative to the server clock, no future memories', async () => {
    expect(await idsOf({ parent, timeWindow: { last: { seconds: 3600n, nanos: 0 } } })).toEqual(['today']);
    expect(await idsOf({ parent, timeWindow: { last: { seconds: 60n, nanos: 0 } } })).toEqual([]);
  });

  it('calendar week › of the time zone', async () => {
    const period = CalendarPeriod.CALENDAR_PERIOD_WEEK;
    expect(await idsOf({ parent, timeWindow: { period } })).toEqual(['future', 'today', 'monday']);
    const paris = { period, timeZone: 'Europe/Paris' };
    expect(await idsOf({ parent, timeWindow: paris })).toEqual(['future', 'today', 'monday', 'lastWeek']);
    expect(await idsOf({ parent, timeWindow: { period, periodsAgo: 1 } })).toEqual(['lastWeek']);
  });

  it('explicit ends › the first is inclusive, the last is exclusive', async () => {
    const timeWindow = { startTime: at('2024-05-06T08:00:00Z'), endTime: at('2024-05-08T11:30:00Z') };
    expect(await idsOf({ parent, timeWindow })).toEqual(['monday']);
  });

  it('narrows a text and a filter', async () => {
    const timeWindow = { period: CalendarPeriod.CALENDAR_PERIOD_DAY };
    expect((await idsOf({ parent, text: 'note', timeWindow })).sort()).toEqual(['future', 'today']);
  });

  it('bad input › names the field', async () => {
    const last = { seconds: 60n, nanos: 0 };
    const startTime = at('2024-05-06T08:00:00Z');
    expect((await refused({ timeWindow: { last, startTime } })).fields).toEqual(['time_window']);
    expect((await refused({ timeWindow: {} })).fields).toEqual(['time_window']);
    expect((await refused({ timeWindow: { last, timeZone: 'UTC' } })).fields).toEqual(['time_window.time_zone']);
    expect((await refused({ timeWindow: { last: { seconds: -1n, nanos: 0 } } })).fields).toEqual(['time_window.last']);
    expect((await refused({ timeWindow: { startTime, endTime: startTime } })).fields).toEqual(['time_window.end_time']);
    const zone = { period: CalendarPeriod.CALENDAR_PERIOD_DAY, timeZone: 'Mars/Olympus' };
    expect((await refused({ timeWindow: zone })).fields).toEqual(['time_window.time_zone']);
  });
});

describe('token_budget', () => {
  const parent = fresh();
  beforeAll(() =>
    storeAll(parent, {
      one: { ...said('Ann', 'The cello concert is on Friday.'), eventTime: at('2024-05-01T10:00:00Z') },
      two: { ...said('Bob', 'Which cello concert?'), eventTime: at('2024-05-01T10:01:00Z') },
      three: {
        ...said('Ann', 'The one with the long name that nobody remembers.'),
        eventTime: at('2024-05-01T10:02:00Z'),
      },
      four: { ...said('Bob', 'I bought cello strings.'), eventTime: at('2024-05-01T10:03:00Z') },
    }),
  );

  it('hits that follow one another › one passage, within the budget', async () => {
    const { passages, hits, tokenCount } = await recall({ parent, text: 'cello concert', tokenBudget: 18 });
    expect(passages[0]?.text).toBe('Ann: The cello concert is on Friday.\nBob: Which cello concert?');
    expect(passages[0]?.names.map((name) => name.split('/').at(-1))).toEqual(['one', 'two']);
    expect(tokenCount).toBeLessThanOrEqual(18);
    expect(tokenCount).toBe(passages.reduce((sum, passage) => sum + passage.tokenCount, 0));
    expect(hits.map(({ before, after }) => before.length + after.length)).toEqual(hits.map(() => 0));
  });

  it('without a budget › no passages', async () => {
    const { passages, tokenCount, hits } = await recall({ parent, text: 'cello concert' });
    expect([passages, tokenCount, hits.length]).toEqual([[], 0, 4]);
  });

  it('touch › only hits within the budget', async () => {
    const before = await retrievals(parent);
    const { hits } = await recall({ parent, text: 'cello concert', tokenBudget: 10, touch: true });
    expect(hits).toHaveLength(1);
    expect((await retrievals(parent)) - before).toBe(1);
  });

  it('bad input › names the field', async () => {
    expect((await refused({ text: 'x', tokenBudget: -1 })).fields).toEqual(['token_budget']);
    expect((await refused({ text: 'x', tokenBudget: 100_001 })).fields).toEqual(['token_budget']);
    const view = MemoryView.MEMORY_VIEW_METADATA;
    expect((await refused({ text: 'x', tokenBudget: 10, view })).fields).toEqual(['token_budget']);
  });
});

describe('coordinates in content', () => {
  it('an explicit place overrides it', async () => {
    const parent = fresh();
    await storeAll(parent, { a: { content: json({ position: [1, 2] }), place: { room: 'hall' } } });
    const request = GetMemoryRequest.fromPartial({ name: `${parent}/memories/a` });
    const { memory } = await ask(mneme.memories, mneme.memories.getMemory, request);
    expect(memory?.place).toMatchObject({ point: undefined, room: 'hall' });
  });
});

async function retrievals(parent: string): Promise<number> {
  const names = ['one', 'two', 'three', 'four'].map((id) => `${parent}/memories/${id}`);
  const all = await Promise.all(
    names.map((name) => ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }))),
  );
  return all.reduce((sum, { memory }) => sum + (memory?.retrievalCount ?? 0), 0);
}

function said(speaker: string, text: string): Fields {
  return { text, source: { speaker }, scope: { session: 's' } };
}

function json(value: unknown) {
  return { mediaType: 'application/json', body: { $case: 'json' as const, value: JSON.stringify(value) } };
}

function textContains(part: string) {
  return {
    target: { $case: 'field' as const, value: 20 as const },
    op: 7 as const,
    values: [{ kind: { $case: 'stringValue' as const, value: part } }],
  };
}
