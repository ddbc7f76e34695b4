import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Content } from '../../../../gen/ts/mneme/v1/memory.ts';
import { SetValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ embedder: 'none' });
});
afterAll(() => mneme.stop());

type Body = NonNullable<Content['body']>;
const json = (value: string): Body => ({ $case: 'json', value });
const text = (value: string): Body => ({ $case: 'text', value });
const data = (...bytes: number[]): Body => ({ $case: 'data', value: Buffer.from(bytes) });

const GIVEN: readonly (readonly [string, Content, Content])[] = [
  [
    'JSON without a media type',
    { mediaType: '', body: json('{"b": 1.0,\n "a":1e2, "b":2}') },
    { mediaType: 'application/json', body: json('{"b": 1.0,\n "a":1e2, "b":2}') },
  ],
  ['a text without a media type', { mediaType: '', body: text('tea') }, { mediaType: 'text/plain', body: text('tea') }],
  [
    'a text with a byte order mark and NUL',
    { mediaType: 'text/markdown', body: text('\uFEFFa\0b') },
    { mediaType: 'text/markdown', body: text('\uFEFFa\0b') },
  ],
  [
    'JSON as bytes',
    { mediaType: 'Application/JSON; v=1', body: data(0x5b, 0x5d) },
    { mediaType: 'Application/JSON; v=1', body: json('[]') },
  ],
  [
    'JSON as text',
    { mediaType: 'application/json', body: text('null') },
    { mediaType: 'application/json', body: json('null') },
  ],
  [
    'a text that is not UTF-8',
    { mediaType: 'text/plain', body: data(0xc3, 0x28) },
    { mediaType: 'text/plain', body: data(0xc3, 0x28) },
  ],
  ['bytes', { mediaType: 'image/png', body: data(0xff, 0) }, { mediaType: 'image/png', body: data(0xff, 0) }],
];

const REFUSED: readonly (readonly [string, Content, string])[] = [
  ['nothing in it', { mediaType: 'text/plain', body: undefined }, ''],
  ['JSON of another media type', { mediaType: 'text/plain', body: json('{}') }, '.media_type'],
  ['JSON that is none', { mediaType: '', body: json('{') }, '.json'],
  ['text that is to be JSON and is none', { mediaType: 'application/json', body: text('{') }, '.text'],
  ['bytes without a media type', { mediaType: '', body: data(1) }, '.media_type'],
];

describe('a content', () => {
  it.each(GIVEN)('%s › comes back bit for bit, of a memory and of a value', async (_, provided, expected) => {
    const parent = freshNamespace();
    const { name } = await store(mneme, parent, { text: 'x', content: provided });
    const session = `${parent}/sessions/s`;
    const request = SetValueRequest.fromPartial({ session, key: 'k', value: provided });
    await ask(mneme.working, mneme.working.setValue, request);
    const { entry } = await ask(mneme.working, mneme.working.getValue, { session, key: 'k' });

    expect((await get(mneme, name)).content).toEqual(expected);
    expect(entry?.value).toEqual(expected);
  });

  it.each(REFUSED)('with %s › INVALID_ARGUMENT names the field', async (_, provided, field) => {
    const parent = freshNamespace();
    const stored = await refusal(store(mneme, parent, { text: 'x', content: provided }));
    const request = SetValueRequest.fromPartial({ session: `${parent}/sessions/s`, key: 'k', value: provided });
    const set = await refusal(ask(mneme.working, mneme.working.setValue, request));

    expect(stored).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [`memory.content${field}`] });
    expect(set).toMatchObject({ code: 'INVALID_ARGUMENT', fields: [`value${field}`] });
  });
});
