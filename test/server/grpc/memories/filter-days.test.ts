import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { day, where } from '../../../../clients/typescript/src/index.ts';
import { Filter, MemoryField, Operator } from '../../../../gen/ts/mneme/v1/filter.ts';
import { ListMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const parent = freshNamespace();
const EVENTS = {
  before: '2026-06-09T23:59:59.999999Z',
  first: '2026-06-10T00:00:00Z',
  morning: '2026-06-10T09:30:00Z',
  last: '2026-06-10T23:59:59.999999Z',
  after: '2026-06-11T00:00:00Z',
  // Sundays with 23 and 25 hours in Berlin: 2026-03-28T23:00Z to 2026-03-29T22:00Z, 2026-10-24T22:00Z to 2026-10-25T23:00Z.
  'spring-before': '2026-03-28T22:59:59Z',
  'spring-first': '2026-03-28T23:00:00Z',
  'spring-last': '2026-03-29T21:59:59Z',
  'spring-after': '2026-03-29T22:00:00Z',
  'autumn-first': '2026-10-24T22:00:00Z',
  'autumn-last': '2026-10-25T22:59:59Z',
  'autumn-after': '2026-10-25T23:00:00Z',
};
const IN_JUNE = 'event_time >= 2026-06-01 AND event_time <= 2026-06-30';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'none' });
  for (const [id, time] of Object.entries(EVENTS)) {
    const [whole = '', fraction = ''] = time.replace('Z', '').split('.');
    const eventTime = { seconds: BigInt(Date.parse(`${whole}Z`) / 1000), nanos: Number(fraction.padEnd(9, '0')) };
    const [validFrom, validUntil] = [eventTime, { ...eventTime, seconds: eventTime.seconds + 1_000_000_000n }];
    await store(mneme, parent, { text: id, eventTime, validFrom, validUntil }, id);
  }
  await store(mneme, parent, { text: 'timeless' }, 'timeless');
});
afterAll(() => mneme.stop());

async function listed(condition: { filterText: string } | { filter: Filter }): Promise<string[]> {
  const request = ListMemoriesRequest.fromPartial({ parent, ...condition, includeInvalid: true });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  return memories.map(({ name }) => name.slice(name.lastIndexOf('/') + 1)).sort();
}

const DAY = ['first', 'last', 'morning'];
const JUNE = ['after', 'before', 'first', 'last', 'morning'];

describe('A7 a day in a filter is the whole day', () => {
  it.each([
    ['event_time <= 2026-06-10', ['before', ...DAY]],
    ['event_time < 2026-06-10', ['before']],
    ['event_time > 2026-06-10', ['after']],
    ['event_time >= 2026-06-10', ['after', ...DAY]],
    ['event_time = 2026-06-10', DAY],
    ['event_time = "2026-06-10"', DAY],
    ['event_time = 2026-06-10Z', DAY],
    ['event_time != 2026-06-10', ['after', 'before']],
    ['event_time IN (2026-06-09, 2026-06-11, 2026-06-10T09:30:00Z)', ['after', 'before', 'morning']],
    ['valid_from <= 2026-06-10', ['before', ...DAY]],
    ['valid_from = 2026-06-10', DAY],
  ])('%s › lists %j', async (filterText, ids) => {
    expect(await listed({ filterText: `${filterText} AND ${IN_JUNE}` })).toEqual([...ids].sort());
  });

  it.each([
    ['2026-03-29[Europe/Berlin]', ['spring-first', 'spring-last']],
    ['2026-10-25[Europe/Berlin]', ['autumn-first', 'autumn-last']],
    ['"2026-10-25[Europe/Berlin]"', ['autumn-first', 'autumn-last']],
    ['2026-10-25+02:00', ['autumn-first']],
    ['2026-06-09[America/New_York]', ['before', 'first']],
    ['2026-06-10[Asia/Tokyo]', ['before', 'first', 'morning']],
  ])('a day in a time zone › event_time = %s › lists %j', async (text, ids) => {
    const found = await listed({ filterText: `event_time = ${text}` });
    expect(found).toEqual(expect.arrayContaining(ids));
    expect(found).not.toContain('after');
    expect(found.filter((id) => id.startsWith('spring') || id.startsWith('autumn'))).toEqual(
      ids.filter((id) => id.startsWith('spring') || id.startsWith('autumn')),
    );
  });

  it('create_time and update_time › today holds what was stored', async () => {
    const today = new Date(Date.now()).toISOString().slice(0, 10);
    for (const field of ['create_time', 'update_time']) {
      expect((await listed({ filterText: `${field} >= ${today}` })).length).toBe(Object.keys(EVENTS).length + 1);
    }
  });

  it.each([
    ['lessOrEqual', ['before', ...DAY]],
    ['less', ['before']],
    ['greater', ['after']],
    ['greaterOrEqual', ['after', ...DAY]],
    ['equals', DAY],
  ] as const)('a filter as an object › %s of a day › lists %j', async (operator, ids) => {
    const found = await listed({ filter: where.eventTime[operator](day('2026-06-10')) });
    expect(found.filter((id) => JUNE.includes(id))).toEqual([...ids].sort());
  });

  it('days and instants in one list', async () => {
    const filter = where.eventTime.isIn([day('2026-10-25', 'Europe/Berlin'), new Date('2026-06-10T09:30:00Z')]);
    expect(await listed({ filter })).toEqual(['autumn-first', 'autumn-last', 'morning']);
  });

  it.each([
    [day('2026-02-30'), 'values[0].day_value.date: must be a day such as 2026-06-10, got "2026-02-30"'],
    [day('0000-01-01'), 'values[0].day_value.date: must be a day such as 2026-06-10, got "0000-01-01"'],
    [
      day('2026-02-03', 'Europe/Berln'),
      'values[0].day_value.time_zone: must be an IANA name such as Europe/Berlin, got "Europe/Berln"',
    ],
  ])('%j is refused', async (value, fault) => {
    const request = ListMemoriesRequest.fromPartial({ parent, filter: where.eventTime.less(value) });
    const { message } = await refusal(ask(mneme.memories, mneme.memories.listMemories, request));
    expect(message).toContain(`filter.comparison.${fault}`);
  });

  it('a field that is no time › is refused', async () => {
    const filter = Filter.fromPartial({
      node: {
        $case: 'comparison',
        value: {
          target: { $case: 'field', value: MemoryField.MEMORY_FIELD_STEP },
          op: Operator.OPERATOR_EQUALS,
          values: [{ kind: { $case: 'dayValue', value: { date: '2026-06-10' } } }],
        },
      },
    });
    const request = ListMemoriesRequest.fromPartial({ parent, filter });
    const { message } = await refusal(ask(mneme.memories, mneme.memories.listMemories, request));
    expect(message).toContain('day_value: must be absent for what is not a time field');
  });

  it('a time zone that does not exist in a text › is refused', async () => {
    const request = ListMemoriesRequest.fromPartial({ parent, filterText: 'event_time = 2026-06-10[Europe/Berln]' });
    const { message } = await refusal(ask(mneme.memories, mneme.memories.listMemories, request));
    expect(message).toContain('found `2026-06-10[Europe/Berln]`');
  });

  it.each([
    ['temporal', { start_time: '2026-06-10', end_time: '2026-06-10' }, DAY],
    ['temporal', { start_time: '2026/06/10', end_time: '06/10/2026' }, DAY],
    ['window', { start_time: '2026-06-10', end_time: '2026-06-10' }, DAY],
    ['time_range', { start_time: '2026-06-10', end_time: '2026-06-10' }, DAY],
    [
      'window',
      { start_time: '2026-03-29[Europe/Berlin]', end_time: '2026-03-29[Europe/Berlin]' },
      ['spring-first', 'spring-last'],
    ],
    [
      'window',
      {
        start_time: '2026-06-01',
        end_time: '2026-06-30',
        metadata_filter: { 'metadata.timestamp': { $lte: '2026-06-10' } },
      },
      ['before', ...DAY],
    ],
  ])('preset %s %j › finds %j', async (name, parameters, ids) => {
    const request = RecallRequest.fromPartial({
      parent,
      preset: { name, parameters: JSON.stringify(parameters) },
    });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
    const found = hits.map(({ memory }) => memory?.name.slice(memory.name.lastIndexOf('/') + 1) ?? '');
    expect(found.filter((id) => id !== 'timeless').sort()).toEqual([...ids].sort());
  });
});
