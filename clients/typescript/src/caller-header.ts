import type { ConnectOptions } from './options.ts';

/** The scope that calls are made from, as the server reads it. */
export function callerHeader(from: NonNullable<ConnectOptions['callFrom']>): string {
  if (from === '*') return from;
  const { project, agentType, agent, session } = from;
  const parts = { project, agent_type: agentType, agent, session };
  const given = Object.entries(parts).flatMap(([name, value]) =>
    value ? [`${name}=${encodeURIComponent(value)}`] : [],
  );
  return given.join('&');
}
