import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AppendMessagesRequest,
  ListMessagesRequest,
  MessageRole,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { AssertFactRequest, GetFactRequest } from '../../../../gen/ts/mneme/v1/knowledge_service.ts';
import {
  ExportMemoriesRequest,
  ImportMemoriesRequest,
  ListMemoriesRequest,
  MemoryOrder,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'none' });
});
afterAll(() => mneme.stop());

const at = (iso: string, nanos = 0) => ({ seconds: BigInt(Date.parse(iso)) / 1000n, nanos });
const FIRST = at('0001-01-01T00:00:00Z');
const LAST = at('9999-12-31T23:59:59Z', 999_999_000);
const idOf = (name: string) => name.slice(name.lastIndexOf('/') + 1);

/** Instants that come back as they are, in order. */
const KEPT = [
  ['the first', FIRST],
  ['the first millisecond', at('0001-01-01T00:00:00Z', 1_000_000)],
  ['a year below 100', at('0050-06-10T12:00:00Z', 7_000_000)],
  ['a year of three digits', at('0476-09-04T12:00:00Z', 999_000_000)],
  ['before exact microseconds', at('1582-10-15T00:00:00Z', 123_000_000)],
  ['the first exact microseconds', at('1684-07-28T00:12:26Z', 123_456_000)],
  ['today', at('2026-11-29T08:00:00Z', 123_456_000)],
  ['the last exact microseconds', at('2255-06-05T23:47:33Z', 123_456_000)],
  ['after exact microseconds', at('2300-01-01T00:00:00Z', 999_000_000)],
  ['a far year', at('5138-11-16T09:46:40Z', 1_000_000)],
  ['the last day', at('9999-12-31T00:00:00Z')],
  ['the last millisecond', at('9999-12-31T23:59:59Z', 999_000_000)],
  ['the last', LAST],
] as const;

async function listed(
  parent: string,
  filterText: string,
  order: MemoryOrder = MemoryOrder.MEMORY_ORDER_EVENT_TIME_ASC,
) {
  const request = ListMemoriesRequest.fromPartial({ parent, filterText, order, pageSize: 100 });
  const { memories } = await ask(mneme.memories, mneme.memories.listMemories, request);
  return memories.map(({ name }) => idOf(name));
}

describe('A4 times from year 1 to 9999', () => {
  it('in the fields of a memory › come back as they were given, and are in order', async () => {
    const parent = freshNamespace();
    for (const [index, [, time]] of KEPT.entries()) {
      const memory = { text: `m ${index}`, eventTime: time, validFrom: time, expireTime: LAST };
      const { name } = await store(mneme, parent, memory, `m${index}`);
      const kept = await get(mneme, name);
      expect([index, kept.eventTime, kept.validFrom, kept.expireTime]).toEqual([index, time, time, LAST]);
      const until = await store(mneme, parent, { text: 'x', validUntil: time });
      expect((await get(mneme, until.name)).validUntil).toEqual(time);
    }
    const ids = KEPT.map((_, index) => `m${index}`);
    expect((await listed(parent, 'valid_from:*')).slice(0, KEPT.length)).toEqual(ids);
    expect(await listed(parent, 'text != "x"', MemoryOrder.MEMORY_ORDER_EVENT_TIME_DESC)).toEqual(ids.toReversed());
  });

  it('finer than is kept › cut off; beyond the years › refused, by the name of the field', async () => {
    const parent = freshNamespace();
    const stored = async (eventTime: { seconds: bigint; nanos: number }) =>
      (await get(mneme, (await store(mneme, parent, { text: 'x', eventTime })).name)).eventTime;
    expect(await stored(at('0001-01-01T00:00:00Z', 1_999_999))).toEqual(at('0001-01-01T00:00:00Z', 1_000_000));
    expect(await stored(at('9999-12-31T23:59:59Z', 998_999_999))).toEqual(at('9999-12-31T23:59:59Z', 998_000_000));
    expect(await stored(at('9999-12-31T23:59:59Z', 999_999_999))).toEqual(LAST);
    for (const seconds of [FIRST.seconds - 1n, LAST.seconds + 1n]) {
      for (const field of ['eventTime', 'validFrom', 'validUntil', 'expireTime'] as const) {
        const path = `memory.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
        const refused = await refusal(store(mneme, parent, { text: 'x', [field]: { seconds, nanos: 0 } }));
        expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [path] });
        expect(refused.descriptions[0]).toContain('in the years 1 to 9999');
      }
    }
  });

  it.each([
    ['event_time = 0001-01-01T00:00:00Z', 'm0'],
    ['event_time = 0001-01-01', 'm0 m1'],
    ['event_time = 0050-06-10', 'm2'],
    ['event_time = 0050-06-10[Europe/Berlin]', 'm2'],
    ['event_time < 1000-01-01', 'm0 m1 m2 m3'],
    ['event_time = 9999-12-31', 'm10 m11 m12'],
    ['event_time > 9999-12-31T23:59:59Z', 'm11 m12'],
    ['event_time = 9999-12-31T23:59:59.999999Z', 'm12'],
    ['event_time > 9999-12-31', ''],
    ['event_time >= 2300-01-01 AND event_time < 9999-01-01', 'm8 m9'],
    ['event_time IN (0476-09-04T12:00:00.999Z, 5138-11-16T09:46:40.001Z)', 'm3 m9'],
  ])('in the filter %s › are compared as they are', async (filter, ids) => {
    const parent = freshNamespace();
    for (const [index, [, eventTime]] of KEPT.entries())
      await store(mneme, parent, { text: 'm', eventTime }, `m${index}`);
    expect((await listed(parent, filter)).join(' ')).toBe(ids);
  });

  it('valid_until far ahead, as_of far away › the memory is current until then', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'open end', validFrom: FIRST, validUntil: LAST }, 'open');
    await store(
      mneme,
      parent,
      { text: 'open end of old', validFrom: FIRST, validUntil: at('1500-01-01T00:00:00Z') },
      'old',
    );
    const recalled = async (asOf?: typeof FIRST) => {
      const request = RecallRequest.fromPartial({ minRelevance: 0, parent, text: 'open end', asOf });
      const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
      return hits.map(({ memory }) => idOf(memory?.name ?? '')).sort();
    };
    expect(await recalled()).toEqual(['open']);
    expect(await recalled(FIRST)).toEqual(['old', 'open']);
    expect(await recalled(at('1499-12-31T23:59:59Z', 999_000_000))).toEqual(['old', 'open']);
    expect(await recalled(at('9999-12-31T23:59:59Z', 999_000_000))).toEqual(['open']);
    expect(await recalled(LAST)).toEqual([]);
  });

  it('nearness, windows and reference times › take them', async () => {
    const parent = freshNamespace();
    await store(mneme, parent, { text: 'the fall', eventTime: at('0476-09-04T00:00:00Z') }, 'fall');
    await store(mneme, parent, { text: 'the end', eventTime: LAST }, 'end');
    const recalled = async (part: Parameters<typeof RecallRequest.fromPartial>[0]) => {
      const { hits } = await ask(
        mneme.recalls,
        mneme.recalls.recall,
        RecallRequest.fromPartial({ minRelevance: 0, parent, ...part }),
      );
      return hits.map(({ memory }) => idOf(memory?.name ?? ''));
    };
    const spans = (startTime: typeof FIRST, endTime: typeof FIRST) => ({
      timeWindow: { startTime, endTime },
    });
    expect(await recalled({ text: 'the', ...spans(FIRST, at('0500-01-01T00:00:00Z')) })).toEqual(['fall']);
    expect(await recalled({ text: 'the', ...spans(at('9999-12-31T00:00:00Z'), LAST) })).toEqual([]);
    expect(await recalled({ text: 'the end', referenceTime: LAST })).toContain('end');
    expect(await recalled({ text: 'what happened 400 years ago?', referenceTime: FIRST })).toEqual(expect.any(Array));
  });

  it('in updates, messages, facts, exports and imports › come back as they were given', async () => {
    const [parent, other] = [freshNamespace(), freshNamespace()];
    const { name } = await store(mneme, parent, { text: 'x', eventTime: FIRST, createTime: LAST }, 'a');
    const memory = { name, eventTime: LAST, validFrom: FIRST, validUntil: LAST, expireTime: LAST };
    const updateMask = ['event_time', 'valid_from', 'valid_until', 'expire_time'];
    await ask(mneme.memories, mneme.memories.updateMemory, UpdateMemoryRequest.fromPartial({ memory, updateMask }));
    expect(await get(mneme, name)).toMatchObject(memory);

    const conversation = `${parent}/conversations/c`;
    const messages = [FIRST, LAST].map((eventTime) => ({
      role: MessageRole.MESSAGE_ROLE_USER,
      text: 'hello',
      eventTime,
    }));
    const { conversations, knowledge } = mneme;
    await ask(
      conversations,
      conversations.appendMessages,
      AppendMessagesRequest.fromPartial({ conversation, messages }),
    );
    const list = ListMessagesRequest.fromPartial({ conversation });
    const { messages: kept } = await ask(conversations, conversations.listMessages, list);
    expect(kept.map(({ eventTime }) => eventTime)).toEqual([FIRST, LAST]);

    const fact = {
      subject: 'Rome',
      attribute: 'ruler',
      value: 'Romulus Augustulus',
      validFrom: FIRST,
      validUntil: LAST,
    };
    const asserted = await ask(knowledge, knowledge.assertFact, AssertFactRequest.fromPartial({ parent, fact }));
    const read = GetFactRequest.fromPartial({ name: asserted.fact?.name ?? '' });
    const got = await ask(knowledge, knowledge.getFact, read);
    expect(got.fact).toMatchObject({ validFrom: FIRST, validUntil: LAST });

    const past = { createTime: FIRST, updateTime: LAST, lastAccessTime: at('5138-11-16T09:46:40Z', 1_000_000) };
    const imported = { ...memory, ...past, text: 'y', name: `${other}/memories/b` };
    const stream = mneme.memories.importMemories();
    stream.write(ImportMemoriesRequest.fromPartial({ parent: other, memories: [imported] }));
    stream.end();
    for await (const _ of stream);
    const exported = mneme.memories.exportMemories(ExportMemoriesRequest.fromPartial({ parent: other }));
    for await (const part of exported) {
      for (const one of (part as { memories: object[] }).memories) expect(one).toMatchObject({ ...imported });
    }
    expect(await get(mneme, imported.name)).toMatchObject(imported);
  });
});
