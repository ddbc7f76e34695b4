import { derivationOf } from './consolidation/derivation.ts';
import { messageOf } from './conversation.ts';
import { factOf } from './facts/fact-record.ts';
import type { Memory } from './memory.ts';
import { type TrustLevel, trustOfRole } from './trust.ts';

/** How far the source of a memory is trusted. The memory must have been read with its content. */
export function trustOf(memory: Memory): TrustLevel {
  const derived = factOf(memory) ?? derivationOf(memory);
  if (derived) return derived.trust;
  const { speaker, origin } = memory.source;
  const role = messageOf(memory)?.role ?? speaker;
  const byRole = trustOfRole(role);
  if (role !== '') return byRole === 'untrusted' && role === speaker ? 'user' : byRole;
  return origin === '' ? 'explicit' : 'untrusted';
}
