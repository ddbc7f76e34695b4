import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ErrorReason, MnemeError } from '../../../../src/memory/errors.ts';
import { MaintenanceJob } from '../../../../src/server/jobs/maintenance-jobs.ts';
import { createLogger } from '../../../../src/server/logger.ts';
import { type MaintainRequest, maintain } from '../../../../src/server/operations/tiers/maintain-namespaces.ts';
import type { Change, Records } from '../../../../src/storage/records.ts';
import { withMethods } from '../../../../src/storage/with-methods.ts';
import { InMemoryMemoryStore } from '../../../storage/in-memory/memory-store.ts';
import { newMemory } from '../../../support/new-memory.ts';
import { call } from '../support.ts';

const HOUR_US = 3_600_000_000;

let store: InMemoryMemoryStore;
let nowUs: number;
beforeEach(() => {
  store = new InMemoryMemoryStore();
  nowUs = 1_800_000_000_000_000;
});
afterEach(() => store.close());

const depsWith = (records: Records) => ({ store: records, view: store, clock: { nowUs: () => nowUs } });
/** The store, which cannot move memories of some namespaces. */
const failingFor = (reasons: Readonly<Record<string, ErrorReason>>): Records =>
  withMethods<Records>(store, {
    write: async (change) => {
      const any = change as Change;
      const reason = any.kind === 'move' ? reasons[any.namespace] : undefined;
      if (reason) throw new MnemeError(reason, 'it cannot be moved');
      return store.write(change);
    },
  });
/** Makes namespaces with a memory each. */
async function putIn(namespaces: readonly string[]): Promise<void> {
  const memories = [newMemory({ id: 'm', createdAtUs: nowUs })];
  for (const namespace of namespaces)
    await store.write({ kind: 'store', namespace, createNamespace: true, onConflict: 'fail', atUs: nowUs, memories });
}
/** The namespaces of the moves, in their order. */
async function flushedOf(records: Records, request: Partial<MaintainRequest> = {}): Promise<string[]> {
  const received: string[] = [];
  const order = { dryRun: false, flush: true, anyType: false, ...request };
  for await (const { namespace, moves } of maintain(depsWith(records), order, call))
    received.push(...moves.map(() => namespace));
  return received;
}
const tiersIn = (namespaces: readonly string[]) =>
  Promise.all(
    namespaces.map(async (namespace) => {
      const [memory] = await store.get({ namespace, ids: ['m'], view: 'metadata', nowUs });
      return memory?.tier;
    }),
  );

describe('maintain, all namespaces', () => {
  it('one of all namespaces cannot be maintained › the others are, and the first failure is thrown at the end', async () => {
    await putIn(['a', 'b', 'c', 'd']);
    const failing = failingFor({ a: 'OVERLOADED', c: 'STORAGE_FULL' });
    await expect(flushedOf(failing)).rejects.toMatchObject({ reason: 'OVERLOADED' });

    expect(await tiersIn(['a', 'b', 'c', 'd'])).toEqual(['short_term', 'long_term', 'short_term', 'long_term']);
  });

  it('one namespace is deleted meanwhile › passed over; named by the caller › NAMESPACE_NOT_FOUND', async () => {
    await putIn(['a', 'b', 'c']);
    const failing = failingFor({ b: 'NAMESPACE_NOT_FOUND' });

    expect(await flushedOf(failing)).toEqual(['a', 'a', 'c', 'c']);
    await expect(flushedOf(failing, { namespace: 'b' })).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
  });

  it('the job, one namespace cannot be maintained › the others are, and the log reports the reason', async () => {
    await putIn(['a', 'b']);
    for (const namespace of ['a', 'b'])
      await store.write({ kind: 'setTierSettings', namespace, settings: [['short_term.ttl', '1h']], atUs: nowUs });
    nowUs += HOUR_US;
    const logged = Promise.withResolvers<unknown>();
    const sink = { write: (line: string) => logged.resolve(JSON.parse(line)) };
    const logger = createLogger({ logLevel: 'error', logFormat: 'json' }, sink);
    const job = new MaintenanceJob(depsWith(failingFor({ a: 'OVERLOADED' })), HOUR_US, logger);
    job.wake();

    expect(await logged.promise).toMatchObject({ err: { reason: 'OVERLOADED' } });
    await job.stop();
    expect(await tiersIn(['a', 'b'])).toEqual(['short_term', 'intermediate']);
  });
});
