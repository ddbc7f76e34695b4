import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Content, type Mneme, where } from '../../clients/typescript/src/index.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { cleanUp, client } from './support/clean-up.ts';

const BROKEN = 'half \ud83d';

let server: ServedMneme;
let mneme: Mneme;
beforeAll(async () => {
  server = await serveMneme();
  mneme = client(server.address, { namespace: 'broken' });
});
afterAll(async () => {
  await cleanUp();
  await server.stop();
});

async function all(progress: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of progress);
}

describe('X8 texts with half of a surrogate pair', () => {
  const CALLS: readonly (readonly [string, string, (mneme: Mneme) => unknown])[] = [
    ['store', 'memory.text', (one) => one.store({ text: BROKEN })],
    ['store', 'memory.source.speaker', (one) => one.store({ text: 'x', source: { speaker: BROKEN } })],
    ['store', 'memory.tags[1]', (one) => one.store({ text: 'x', tags: ['fine', BROKEN] })],
    ['store', 'content', (one) => one.store({ content: Content.text(BROKEN) })],
    ['batchStore', 'requests[1].memory.text', (one) => one.batchStore([{ text: 'fine' }, { text: BROKEN }])],
    ['recall', 'text', (one) => one.recall(BROKEN)],
    [
      'list',
      'filter.comparison.values[0].stringValue',
      (one) => one.list({ filter: where.text.contains(BROKEN) }).next(),
    ],
    ['set', 'key', (one) => one.session('s').set(BROKEN, 1)],
    ['importMemories', 'text', (one) => one.importMemories([{ text: BROKEN }])],
    ['ingest', 'memories[1].memory.text', (one) => all(one.ingest([{ text: 'fine' }, { text: BROKEN }]))],
    ['consume', 'id', (one) => one.subscriptions.consume(BROKEN, 'c').next()],
    ['consume', 'consumer', (one) => one.subscriptions.consume('s', BROKEN).next()],
    ['serveExtractor', 'name', (one) => one.conversations.serveExtractor(() => undefined, { name: BROKEN })],
    ['serveHook', 'hook', (one) => one.lifecycle.serveHook({ hook: BROKEN, phases: ['after'] }, () => undefined)],
  ];

  it.each(CALLS)('%s › refuses %s, and nothing is sent', async (_name, field, call) => {
    const refused = expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      violations: [
        { field, description: 'must be whole Unicode characters, got half of a surrogate pair at position 5' },
      ],
    });
    await expect((async () => call(mneme))()).rejects.toEqual(refused);
    expect(await mneme.count()).toMatchObject({ count: 0 });
  });

  it('JSON content › carries them as escapes', async () => {
    const one = client(server.address, { namespace: 'escapes' });
    const { id } = await one.store({ content: { text: BROKEN } });
    expect((await one.get(id)).content?.json()).toEqual({ text: BROKEN });
  });

  it('a line of an import › is refused with its place, and the key', async () => {
    const { code, stderr } = await runMneme(['import', '--server', server.address, '--namespace', 'lines'], {
      stdin: '{"text": "fine"}\n{"text": "x", "source": {"speaker": "half \\ud83d"}}\n',
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain(':2:');
    expect(stderr).toContain('source.speaker: must be whole Unicode characters');
  });
});
