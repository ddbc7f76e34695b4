import type { Metadata } from '@grpc/grpc-js';
import { invalidFields } from '../../memory/errors.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { Scope } from '../../memory/memory.ts';
import { asCaller, type Caller } from '../../operations/visibility/caller.ts';

/** Says from which scope a call is made; see `proto/mneme/v1/scope_service.proto`. */
const HEADER = 'mneme-scope';
const PARTS: Readonly<Record<string, keyof Scope>> = {
  project: 'project',
  agent_type: 'agentType',
  agent: 'agent',
  session: 'session',
};

/** Serves a call as made from the scope that its header names; what cannot be read as one is given to `refuse`. */
export function servedAsCaller<T>(metadata: Metadata, refuse: (error: Error) => void, serve: () => T): T {
  const [header] = metadata.get(HEADER);
  if (header === undefined) return serve();
  const caller = callerOf(String(header));
  if (!(caller instanceof Error)) return asCaller(caller, serve);
  refuse(caller);
  return serve();
}

function callerOf(header: string): Caller | Error {
  if (header === '*') return 'everything';
  const scope = { project: '', agentType: '', agent: '', session: '' };
  for (const [name, value] of new URLSearchParams(header)) {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!part) return unreadable(`has the unknown part ${JSON.stringify(name)}`);
    if (scope[part] !== '') return unreadable(`has the part ${name} twice`);
    if (Buffer.byteLength(value) > MEMORY_LIMITS.namePartBytes) {
      return unreadable(`may have at most ${MEMORY_LIMITS.namePartBytes} bytes in ${name}`);
    }
    scope[part] = value;
  }
  return scope;
}

function unreadable(problem: string): Error {
  const description = `${problem}; it is "*", or parts such as project=p&agent=a with percent-encoded values`;
  return invalidFields([{ field: HEADER, description }]);
}
