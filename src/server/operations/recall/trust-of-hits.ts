import { isTrustInContent, trustOf } from '../../../memory/memory-trust.ts';
import { readWithin } from '../memories/get-memories.ts';
import type { RecallDeps } from './recall.ts';
import type { RecallAnswer, RecallHit } from './recall-request.ts';

/** Hits without content, with the trust that the content of their memories shows. */
export async function withTrust(
  { store, clock }: Pick<RecallDeps, 'store' | 'clock'>,
  namespace: string,
  answer: RecallAnswer,
): Promise<RecallAnswer> {
  const { hits, further } = answer;
  const memories = [...hits, ...(further ?? [])].map(({ memory }) => memory);
  const ids = [...new Set(memories.filter(isTrustInContent).map(({ id }) => id))];
  if (ids.length === 0) return answer;
  const read = { namespace, ids, view: 'basic', nowUs: clock.nowUs() } as const;
  const whole = await readWithin(store, read, Number.POSITIVE_INFINITY);
  const trusts = new Map(whole.memories.flatMap((memory) => (memory ? [[memory.id, trustOf(memory)] as const] : [])));
  const trusted = (hit: RecallHit): RecallHit => {
    // A memory that was deleted or damaged meanwhile has no known source.
    const trust = isTrustInContent(hit.memory) ? (trusts.get(hit.memory.id) ?? 'untrusted') : trustOf(hit.memory);
    return { ...hit, trust };
  };
  return { ...answer, hits: hits.map(trusted), ...(further && { further: further.map(trusted) }) };
}
