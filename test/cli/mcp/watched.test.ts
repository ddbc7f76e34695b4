import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import { type ServedMneme, serveMneme } from '../support/serve-mneme.ts';
import { connectHttpHost, mcpUrl } from './support/http-host.ts';
import { callTool, REVISIONS, type Revision, startMcpHost } from './support/mcp-host.ts';

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
});
afterAll(() => server.stop());

const STARTS = {
  stdio: (revision: Revision, namespace: string) =>
    startMcpHost(revision, ['--server', server.address, '--namespace', namespace]),
  http: (revision: Revision, namespace: string) => connectHttpHost(revision, mcpUrl(server.address, namespace)),
} as const;
const CASES = REVISIONS.flatMap((revision) => (['stdio', 'http'] as const).map((over) => ({ revision, over })));

/** Subscribes like clients of the revision; the promise of `received` resolves with the URI of the next notification. */
async function subscribe(client: Client, revision: Revision, uri: string) {
  const waiting: ((uri: string) => void)[] = [];
  const early: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    const next = waiting.shift();
    if (next) next(params.uri);
    else early.push(params.uri);
  });
  let close = async () => {
    await client.unsubscribeResource({ uri });
  };
  if (revision === '2025-11-25') await client.subscribeResource({ uri });
  else {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    close = () => subscription.close();
  }
  const received = () =>
    new Promise<string>((resolve) => {
      const before = early.shift();
      if (before === undefined) waiting.push(resolve);
      else resolve(before);
    });
  return { received, early, close };
}

describe.each(CASES)('a recall that is subscribed to over $over, revision $revision', ({ revision, over }) => {
  it('is notified when its answer changes, until it is unsubscribed', async () => {
    const namespace = `${over}-${revision.slice(0, 4)}`;
    const host = await STARTS[over](revision, namespace);
    try {
      await callTool(host.client, 'remember', { text: 'The front door sticks in wet weather.' });
      const uri = `mneme://namespaces/${namespace}/recall?text=${encodeURIComponent('trouble with the front door')}`;
      const { received, early, close } = await subscribe(host.client, revision, uri);
      await callTool(host.client, 'remember', { text: 'The lock of the front door is jammed.' });
      expect(await received()).toBe(uri);
      const { contents } = await host.client.readResource({ uri });
      expect((contents[0] as { text: string }).text).toContain('jammed');
      await close();
      early.length = 0;
      await callTool(host.client, 'remember', { text: 'The front door has trouble again.' });
      const other = uri.replace('front', 'back');
      await subscribe(host.client, revision, other).then((second) => second.close());
      expect(early).toEqual([]);
    } finally {
      await host.close();
    }
  });

  it('is refused where it is no recall, or not a valid one', async () => {
    const host = await STARTS[over](revision, 'default');
    try {
      const memory = subscribe(host.client, revision, 'mneme://namespaces/default/memories/m1');
      await expect(memory).rejects.toThrow(/only recalls can be subscribed to/);
      const invalid = subscribe(host.client, revision, 'mneme://namespaces/default/recall?filter_text=nonsense');
      await expect(invalid).rejects.toThrow(/filter_text: /);
    } finally {
      await host.close();
    }
  });
});
