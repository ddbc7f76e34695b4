import type { ConnectOptions } from './options.ts';

/** The scope that calls are made from, as the server reads it. What it does not know is sent too: it refuses that by name. */
export function callerHeader(from: NonNullable<ConnectOptions['callFrom']>): string {
  if (from === '*') return from;
  const given = Object.entries<string | undefined>({ ...from }).flatMap(([part, value]) => {
    if (!value) return [];
    if (/\p{Surrogate}/u.test(value)) throw new TypeError(`callFrom.${part} is not well-formed text`);
    return [`${part === 'agentType' ? 'agent_type' : encodeURIComponent(part)}=${encodeURIComponent(value)}`];
  });
  return given.join('&');
}
