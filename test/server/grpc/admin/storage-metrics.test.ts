import { afterEach, describe, expect, it } from '@jest/globals';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());

async function storeIn(server: TestServer, namespace: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await store(server, namespace, { text: `note ${at}` });
}

describe('metrics of the storage', () => {
  it('stores and recalls › commits, their writes and waits, and requests to the search thread are measured', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0' });
    await storeIn(mneme, 'namespaces/a', 3);
    const query = { parent: 'namespaces/a', text: 'note' };
    await ask(mneme.recalls, mneme.recalls.recall, RecallRequest.fromPartial(query));
    const metrics = await scrape(mneme);

    const commits = metrics.get('mneme_commit_duration_seconds_count') ?? 0;
    expect(commits).toBeGreaterThanOrEqual(3);
    expect(metrics.get('mneme_commit_sync_duration_seconds_count')).toBe(commits);
    expect(metrics.get('mneme_commit_writes_count')).toBe(commits);
    expect(metrics.get('mneme_write_queue_wait_seconds_count')).toBeGreaterThanOrEqual(3);
    expect(metrics.get('mneme_write_queue_writes')).toBe(0);
    expect(metrics.get('mneme_search_thread_requests')).toBe(0);
    expect(metrics.get('mneme_search_thread_request_duration_seconds_count{kind="recall"}')).toBe(1);
    expect(metrics.get('mneme_serving')).toBe(1);
  });

  it('without the setting › tiers have no label of a namespace', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0' });
    await storeIn(mneme, 'namespaces/a', 2);
    await storeIn(mneme, 'namespaces/b', 1);
    const metrics = await scrape(mneme);

    expect(metrics.get('mneme_tier_memories{tier="short_term"}')).toBe(3);
    expect(metrics.get('mneme_tier_content_bytes{tier="short_term"}')).toBe(18);
    expect([...metrics.keys()].filter((name) => name.includes('namespace='))).toEqual([]);
  });

  it('with the setting › the largest namespaces have a label, and all others share one', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0', metricsNamespaceCount: '1' });
    await storeIn(mneme, 'namespaces/a', 1);
    await storeIn(mneme, 'namespaces/b', 2);
    await storeIn(mneme, 'namespaces/c', 1);
    const metrics = await scrape(mneme);

    expect(metrics.get('mneme_tier_memories{tier="short_term",namespace="b"}')).toBe(2);
    expect(metrics.get('mneme_tier_memories{tier="short_term",namespace="_other"}')).toBe(2);
  });
});
