import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RecallRequest } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { SetValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { EmbeddingEndpoint } from '../../../support/embedding-endpoint.ts';
import { OtlpCollector, type ReceivedSpan } from '../../../support/otlp-collector.ts';
import { RedisServer } from '../../../support/redis-server.ts';
import { ask } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { startTestServer } from '../support/test-server.ts';

const SECRET = 'the launch code is 4711';
const NAMESPACE = 'namespaces/traced';

let collector: OtlpCollector;
beforeEach(async () => {
  collector = await new OtlpCollector().start();
});
afterEach(() => collector.close());

/** Spans of a server that has stored a memory, has been asked for it, and has done what `isDone` waits for, once it has stopped. */
async function spansOf(
  flags: Record<string, string>,
  env: Record<string, string> = {},
  isDone = () => true,
): Promise<ReceivedSpan[]> {
  const mneme = await startTestServer({ otlpUrl: collector.url, ...flags }, {}, env);
  try {
    await store(mneme, NAMESPACE, { text: SECRET });
    await ask(
      mneme.recalls,
      mneme.recalls.recall,
      RecallRequest.fromPartial({ parent: NAMESPACE, text: 'launch code' }),
    );
    await ask(
      mneme.working,
      mneme.working.setValue,
      SetValueRequest.fromPartial({
        session: `${NAMESPACE}/sessions/run`,
        key: 'code',
        value: { body: { $case: 'json', value: JSON.stringify(SECRET) } },
      }),
    );
    while (!isDone()) await new Promise(setImmediate);
  } finally {
    await mneme.stop();
  }
  return collector.spans;
}

const callOf = (spans: readonly ReceivedSpan[], { traceId }: ReceivedSpan) =>
  spans.find((span) => span.traceId === traceId && span.parentId === '')?.name;

describe('traces of other processes', () => {
  it('Redis › commands and scripts are spans of the call, with the node and without their arguments', async () => {
    const redis = await RedisServer.started();
    try {
      const spans = await spansOf({}, { MNEME_REDIS_URL: redis.url });
      const script = spans.find(
        (span) => /^redis session/.test(span.name) && callOf(spans, span) === 'mneme.v1.WorkingMemoryService/SetValue',
      );

      expect(script).toMatchObject({
        kind: 3,
        attributes: { 'db.system.name': 'redis', 'server.address': expect.any(String) },
      });
      expect(collector.received.includes('4711')).toBe(false);
    } finally {
      await redis.stop();
    }
  });

  it('an embedder over HTTP › its requests are spans, in the trace of the job that makes them', async () => {
    const endpoint = await EmbeddingEndpoint.started();
    try {
      const spans = await spansOf(
        { embedder: 'http', embedderUrl: endpoint.url, embedderModel: 'm' },
        {},
        () => endpoint.requests.length > 0,
      );
      const requests = spans.filter(({ name }) => name === 'embeddings m');

      expect(requests.map((span) => callOf(spans, span))).toContain('job embedding');
      for (const { kind, attributes } of requests) {
        expect(kind).toBe(3);
        expect(attributes).toMatchObject({
          'gen_ai.operation.name': 'embeddings',
          'gen_ai.request.model': 'm',
          'server.address': '127.0.0.1',
          'mneme.text.count': 1,
        });
      }
      expect(collector.received.includes('4711')).toBe(false);
    } finally {
      await endpoint.close();
    }
  });
});
