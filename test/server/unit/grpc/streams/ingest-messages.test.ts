import { expect, it } from '@jest/globals';
import { IngestBatch } from '../../../../../gen/ts/mneme/v1/ingest_service.ts';
import { ingestBatchOf } from '../../../../../src/server/grpc/streams/ingest-service.ts';

it('a batch of tiny items › counts at least 512 bytes for the outcome of each', async () => {
  const batch = IngestBatch.fromPartial({ firstSequence: 1, items: Array.from({ length: 256 }, () => ({})) });
  const place = { namespace: 'n', streamId: 's', acknowledgedSequence: 0 };
  const stream = { ...place, onConflict: 'fail', refusalsOnly: false } as const;
  const { bytes, refused } = await ingestBatchOf(stream, batch, 1);
  expect(refused.size).toBe(256);
  expect(bytes).toBeGreaterThanOrEqual(256 * 512);
});
