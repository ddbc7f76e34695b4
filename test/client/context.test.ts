import { afterEach, describe, expect, it } from '@jest/globals';
import { InvalidArgumentError } from '../../clients/typescript/src/index.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { cleanUp, client, onCleanUp } from './support/clean-up.ts';

afterEach(cleanUp);

describe('buildContext', () => {
  it('when memories answer › gives text, entries and messages by their words, and omissions by reason', async () => {
    const server = await startTestServer();
    onCleanUp(() => server.stop());
    const mneme = client(server.address, { namespace: 'context' });
    const source = { speaker: 'Ada' };
    const { id } = await mneme.store({ text: 'The brass key lies in the blue drawer', source, type: 'message' });
    await mneme.store({ text: 'the brass key lies in the blue drawer.', source, type: 'message' });
    await mneme.session('s1').set('plan', 'look in drawers');
    const context = await mneme.buildContext({
      messages: [{ role: 'user', text: 'Where is the brass key?' }],
      session: 's1',
      tokenBudget: 300,
      tokenizer: 'cl100k_base',
      kindLimits: { procedure: { maxEntries: 0 } },
      kinds: ['working', 'message'],
      minRelevance: 0,
      format: 'markdown',
      fold: true,
    });

    expect(context.entries.map(({ kind, trust, part }) => [kind, trust, part])).toEqual([
      ['working', 'explicit', 'value plan'],
      ['message', 'user', ''],
    ]);
    expect(context.omitted.map(({ reason }) => reason)).toEqual(['duplicate']);
    expect([context.entries[1]?.name, context.omitted[0]?.name, context.omitted[0]?.duplicateOf]).toContain(
      `namespaces/context/memories/${id}`,
    );
    expect(context.messages.map(({ text }) => text)).toEqual([`Where is the brass key?\n\n${context.text}`]);
    expect(context).toMatchObject({ budget: 300, tokenizer: 'cl100k_base', complete: true, omittedTotal: 1 });
    expect(await mneme.buildContext({ query: 'brass key', modelTokens: 2000, share: 0.1 })).toMatchObject({
      budget: 200,
    });
    await expect(mneme.buildContext({ query: 'x', tokenBudget: 0 })).rejects.toThrow(InvalidArgumentError);
  });
});
