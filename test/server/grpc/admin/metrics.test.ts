import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, get, store } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer | undefined;
afterEach(() => mneme?.stop());

describe('metrics', () => {
  it('when calls have been made › they are counted by the names of gRFC A66', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0' });
    const { name } = await store(mneme, freshNamespace(), { text: 'x' });
    await get(mneme, name);
    await refusal(ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name: `${name}x` })));
    const metrics = await scrape(mneme);

    const method = 'grpc_method="mneme.v1.MemoryService/GetMemory"';
    expect(metrics.get(`grpc_server_call_started_total{${method}}`)).toBe(2);
    for (const measure of [
      'grpc_server_call_duration_seconds',
      'grpc_server_call_sent_total_compressed_message_size_bytes',
      'grpc_server_call_rcvd_total_compressed_message_size_bytes',
    ]) {
      expect(metrics.get(`${measure}_count{${method},grpc_status="OK"}`)).toBe(1);
      // Sizes are those of calls that succeed.
      const failed = measure.endsWith('_seconds') ? 1 : undefined;
      expect(metrics.get(`${measure}_count{${method},grpc_status="NOT_FOUND"}`)).toBe(failed);
    }
    const received = `grpc_server_call_rcvd_total_compressed_message_size_bytes_sum{${method},grpc_status="OK"}`;
    expect(metrics.get(received)).toBe(
      GetMemoryRequest.encode(GetMemoryRequest.fromPartial({ name, view: 2 })).finish().length,
    );
    expect(metrics.get('mneme_revision')).toBeGreaterThan(0);
    expect(metrics.get('mneme_calls_in_flight')).toBe(0);
    expect(metrics.get('mneme_write_queue_writes')).toBe(0);
    expect(metrics.get('mneme_consolidation_runs_total')).toBe(0);
    expect(metrics.get('mneme_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0);
  });

  it('when the health is asked for › 200 while serving; another path › 404', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0' });
    const ask = async (path: string) => (await fetch(`http://${mneme?.server.metricsAddress}${path}`)).status;

    expect(await ask('/healthz')).toBe(200);
    expect(await ask('/other')).toBe(404);
  });

  it('when the address is in use › the server does not start and names the flag', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    try {
      await expect(startTestServer({ metricsListen: `127.0.0.1:${port}` })).rejects.toThrow('--metrics-listen');
    } finally {
      taken.close();
    }
  });
});
