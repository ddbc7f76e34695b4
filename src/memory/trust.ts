/** How far the source of a memory is trusted, from the least to the most. */
export const TRUST_LEVELS = ['untrusted', 'tool', 'assistant', 'user', 'explicit'] as const;

/**
 * `explicit`: a caller asserted it through the API. `user`, `assistant`: a turn of that role. `tool`: the output of a tool.
 * `untrusted`: the source is not known.
 */
export type TrustLevel = (typeof TRUST_LEVELS)[number];

export function trustRank(level: TrustLevel): number {
  return TRUST_LEVELS.indexOf(level);
}

/** Trust of derived entries: the lowest of their sources; without a source `untrusted`. */
export function leastTrust(levels: readonly TrustLevel[]): TrustLevel {
  const least = levels.reduce((min, level) => Math.min(min, trustRank(level)), Number.POSITIVE_INFINITY);
  return TRUST_LEVELS[least] ?? 'untrusted';
}

/** Trust of a turn by its role; an unknown role is `untrusted`. */
export function trustOfRole(role: string): TrustLevel {
  if (role === 'user' || role === 'human') return 'user';
  if (role === 'assistant' || role === 'ai') return 'assistant';
  return role === 'tool' ? 'tool' : 'untrusted';
}

export function isTrustLevel(text: unknown): text is TrustLevel {
  return TRUST_LEVELS.some((level) => level === text);
}
