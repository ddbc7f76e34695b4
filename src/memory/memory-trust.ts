import { CONSOLIDATION_ORIGIN, derivationOf } from './consolidation/derivation.ts';
import { MESSAGE_TYPE, messageOf } from './conversation.ts';
import { FACT_TYPE, factOf } from './facts/fact-record.ts';
import type { Memory } from './memory.ts';
import { EPISODES_ORIGIN, PROCEDURES_ORIGIN } from './procedure.ts';
import { type TrustLevel, trustOfRole } from './trust.ts';

/** Origins of memories that a caller has recorded by a method of their own. */
const RECORDED: ReadonlySet<string> = new Set([EPISODES_ORIGIN, PROCEDURES_ORIGIN]);

/** True where only the content of the memory shows how far its source is trusted. */
export function isTrustInContent({ type, source }: Pick<Memory, 'type' | 'source'>): boolean {
  return type === FACT_TYPE || type === MESSAGE_TYPE || source.origin === CONSOLIDATION_ORIGIN;
}

/** How far the source of a memory is trusted. The memory must have been read with its content. */
export function trustOf(memory: Memory): TrustLevel {
  const derived = factOf(memory) ?? derivationOf(memory);
  if (derived) return derived.trust;
  const { speaker, origin } = memory.source;
  const role = messageOf(memory)?.role ?? speaker;
  const byRole = trustOfRole(role);
  if (role !== '') return byRole === 'untrusted' && role === speaker ? 'user' : byRole;
  return origin === '' || RECORDED.has(origin) ? 'explicit' : 'untrusted';
}
