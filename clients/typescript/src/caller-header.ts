import type { ConnectOptions } from './options.ts';

/** The scope of the caller, in the form of the header. Unknown parts are sent too: the server refuses them by name. */
export function callerHeader(from: NonNullable<ConnectOptions['callFrom']>): string {
  if (from === '*') return from;
  const provided = Object.entries<string | undefined>({ ...from }).flatMap(([part, value]) => {
    if (!value) return [];
    if (/\p{Surrogate}/u.test(value)) throw new TypeError(`callFrom.${part} is not well-formed text`);
    return [`${part === 'agentType' ? 'agent_type' : encodeURIComponent(part)}=${encodeURIComponent(value)}`];
  });
  return provided.join('&');
}
