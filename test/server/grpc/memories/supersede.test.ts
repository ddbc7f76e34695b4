import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CountMemoriesRequest,
  DeleteMemoryRequest,
  ListMemoriesRequest,
  SupersedeMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store, vector } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

type Asked = Parameters<typeof SupersedeMemoryRequest.fromPartial>[0];
const day = (date: string) => ({ seconds: BigInt(Date.parse(`${date}T00:00:00Z`) / 1000), nanos: 0 });

describe('Supersede', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startTestServer({ embedder: 'none' });
  });
  afterAll(async () => {
    await mneme.stop();
  });

  const supersede = (asked: Asked) =>
    ask(mneme.memories, mneme.memories.supersedeMemory, SupersedeMemoryRequest.fromPartial(asked));
  const recalled = async (asked: Parameters<typeof RecallRequest.fromPartial>[0]) => {
    const request = RecallRequest.fromPartial({ minRelevance: 0, text: 'live', ...asked });
    const { hits } = await ask(mneme.recalls, mneme.recalls.recall, request);
    return hits.map(({ memory }) => memory?.text).sort();
  };

  /** "I live in Paris", said in March, of Ada. */
  async function paris(parent: string) {
    const scope = { namespace: '', project: '', agentType: '', agent: 'ada', session: 's1' };
    const source = { speaker: 'Ada', uri: '', origin: '' };
    return store(mneme, parent, { text: 'I live in Paris.', eventTime: day('2026-03-01'), scope, source });
  }

  it('a memory › recall finds the new one, and with as_of the former one', async () => {
    const parent = freshNamespace();
    const old = await paris(parent);
    const memory = { text: 'I live in Berlin.', eventTime: day('2026-10-01') };
    const answer = await supersede({ name: old.name, memory });
    expect(answer.superseded).toMatchObject({ name: old.name });
    expect(await get(mneme, old.name)).toMatchObject({
      supersededBy: answer.memory?.name,
      validUntil: day('2026-10-01'),
      version: answer.superseded?.version,
    });
    expect(await get(mneme, answer.memory?.name ?? '')).toMatchObject({
      text: 'I live in Berlin.',
      type: 'message',
      validFrom: day('2026-10-01'),
      scope: { agent: 'ada', session: 's1' },
      source: { speaker: 'Ada' },
    });
    expect(await recalled({ parent })).toEqual(['I live in Berlin.']);
    expect(await recalled({ parent, asOf: day('2026-06-01') })).toEqual(['I live in Paris.']);
    expect(await recalled({ parent, asOf: day('2026-02-01') })).toEqual([]);
    expect(await recalled({ parent, includeInvalid: true })).toEqual(['I live in Berlin.', 'I live in Paris.']);
  });

  it('lists and counts › all by default, valid ones on request', async () => {
    const parent = freshNamespace();
    const old = await paris(parent);
    await supersede({ name: old.name, memory: { text: 'I live in Berlin.', eventTime: day('2026-10-01') } });
    const { memories } = mneme;
    const found = async (asked: { includeInvalid?: boolean; asOf?: ReturnType<typeof day> }) => {
      const list = ListMemoriesRequest.fromPartial({ parent, ...asked });
      const count = CountMemoriesRequest.fromPartial({ parent, ...asked });
      const listed = (await ask(memories, memories.listMemories, list)).memories.map(({ text }) => text);
      expect((await ask(memories, memories.countMemories, count)).count).toBe(listed.length);
      return listed.sort();
    };
    expect(await found({})).toEqual(['I live in Berlin.', 'I live in Paris.']);
    expect(await found({ includeInvalid: false })).toEqual(['I live in Berlin.']);
    expect(await found({ asOf: day('2026-06-01') })).toEqual(['I live in Paris.']);
  });

  it('repeated with the same request id › one effect', async () => {
    const parent = freshNamespace();
    const old = await paris(parent);
    const asked = { name: old.name, memory: { text: 'I live in Berlin.' }, requestId: 'once' };
    const first = await supersede(asked);
    expect(await supersede(asked)).toEqual(first);
    expect(await recalled({ parent, includeInvalid: true })).toHaveLength(2);
  });

  it('undone by an update › both fields are clear, and the old one is found', async () => {
    const parent = freshNamespace();
    const old = await paris(parent);
    const { memory } = await supersede({ name: old.name, memory: { text: 'I live in Berlin.' } });
    const { memories } = mneme;
    const undo = { memory: { name: old.name }, updateMask: ['superseded_by', 'valid_until'] };
    await ask(memories, memories.updateMemory, UpdateMemoryRequest.fromPartial(undo));
    expect(await get(mneme, old.name)).toMatchObject({ supersededBy: '', validUntil: undefined });
    expect(await recalled({ parent })).toContain('I live in Paris.');
    expect(memory?.name).not.toBe('');
  });

  it('superseded already, another version, none › refused, nothing stored', async () => {
    const parent = freshNamespace();
    const old = await paris(parent);
    const memory = { text: 'I live in Rome.' };
    expect(await refusal(supersede({ name: old.name, memory, ifVersion: 0n }))).toMatchObject({
      code: 'ABORTED',
      reason: 'VERSION_MISMATCH',
    });
    expect(await refusal(supersede({ name: `${parent}/memories/none`, memory }))).toMatchObject({
      reason: 'MEMORY_NOT_FOUND',
    });
    const { memory: berlin } = await supersede({
      name: old.name,
      memory: { text: 'I live in Berlin.' },
      ifVersion: old.version,
    });
    expect(await refusal(supersede({ name: old.name, memory }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'MEMORY_SUPERSEDED',
      metadata: { name: old.name, superseded_by: berlin?.name },
    });
    expect(await recalled({ parent, includeInvalid: true })).toEqual(['I live in Berlin.', 'I live in Paris.']);
  });
});

describe('Supersede and validity › bad input', () => {
  let mneme: TestServer;
  beforeAll(async () => {
    mneme = await startTestServer({ embedder: 'none' });
  });
  afterAll(() => mneme.stop());

  it.each([
    [{}, ['name', 'memory']],
    [{ name: 'x', memory: { text: 'x' } }, ['name']],
    [{ name: 'namespaces/n/memories/a', memory: { text: 'x' }, memoryId: 'a' }, ['memory_id']],
    [
      { name: 'namespaces/n/memories/a', memory: { text: 'x', supersededBy: 'namespaces/n/memories/b' } },
      ['memory.superseded_by'],
    ],
  ])('%j › INVALID_ARGUMENT names %j', async (asked, fields) => {
    const request = SupersedeMemoryRequest.fromPartial(asked);
    const failed = await refusal(ask(mneme.memories, mneme.memories.supersedeMemory, request));
    expect(failed).toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(failed.fields).toEqual(expect.arrayContaining(fields));
  });

  it('a new memory that begins before the old one › INVALID_ARGUMENT names valid_from', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'now', validFrom: day('2026-05-01') });
    const memory = { text: 'before', validFrom: day('2026-04-01') };
    const request = SupersedeMemoryRequest.fromPartial({ name, memory });
    expect(await refusal(ask(mneme.memories, mneme.memories.supersedeMemory, request))).toMatchObject({
      fields: ['memory.valid_from'],
    });
  });

  it.each([' ', '\n\t', '\u200b\ufeff', ' \u2060 '])(
    'the text %j › of a memory and of a cue › INVALID_ARGUMENT names it',
    async (text) => {
      const parent = freshNamespace();
      await store(mneme, parent, { text: 'here' });
      expect((await refusal(store(mneme, parent, { text }))).fields).toEqual(['memory.text']);
      const recall = RecallRequest.fromPartial({ minRelevance: 0, parent, text });
      expect((await refusal(ask(mneme.recalls, mneme.recalls.recall, recall))).fields).toEqual(['text']);
    },
  );

  it('recall by a vector › in a namespace without vectors › FAILED_PRECONDITION; in one without memories › no hits', async () => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'here' });
    const request = RecallRequest.fromPartial({ parent, embedding: vector(1, 0) });
    const recall = () => ask(mneme.recalls, mneme.recalls.recall, request);
    expect(await refusal(recall())).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'NO_VECTORS',
      metadata: { name: parent },
    });
    await ask(mneme.memories, mneme.memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name }));
    expect((await recall()).hits).toEqual([]);
  });

  it('as_of with include_invalid › INVALID_ARGUMENT', async () => {
    const parent = freshNamespace();
    const asked = { parent, asOf: day('2026-05-01'), includeInvalid: true };
    const list = ListMemoriesRequest.fromPartial(asked);
    expect((await refusal(ask(mneme.memories, mneme.memories.listMemories, list))).fields).toEqual(['include_invalid']);
    const recall = RecallRequest.fromPartial({ minRelevance: 0, ...asked, text: 'x' });
    expect((await refusal(ask(mneme.recalls, mneme.recalls.recall, recall))).fields).toEqual(['include_invalid']);
  });
});
