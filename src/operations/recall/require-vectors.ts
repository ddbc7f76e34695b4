import { MnemeError } from '../../memory/errors.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import type { RecallRequest } from './recall-request.ts';

/**
 * Fails with NO_VECTORS where all that is looked for is near a vector, and a namespace that has memories has no vector at
 * all: an empty answer would say that nothing is near.
 */
export async function requireVectors(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, embedding, text, example, similarToId, preset, nearTime, nearPlace, timeWindow }: RecallRequest,
): Promise<void> {
  const others = example ?? similarToId ?? preset ?? nearTime ?? nearPlace ?? timeWindow;
  if (!embedding || text !== '' || others !== undefined) return;
  if ((await store.getNamespace(namespace)).embeddingDimension > 0) return;
  const read = { namespace, order: 'create_time_desc', limit: 1, bytesMax: 1, view: 'metadata' } as const;
  const { memories } = await store.list({ ...read, nowUs: clock.nowUs() });
  if (memories.length === 0) return;
  const name = `namespaces/${namespace}`;
  const advice = 'store memories with vectors, run the server with an embedder and reembed, or recall by text';
  throw new MnemeError('NO_VECTORS', `${name} has no vectors, so nothing is found by one: ${advice}`, {
    metadata: { name },
  });
}
