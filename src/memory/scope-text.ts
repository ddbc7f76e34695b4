import { MEMORY_LIMITS } from './limits.ts';
import type { Scope } from './memory.ts';

const PARTS: Readonly<Record<string, keyof Scope>> = {
  project: 'project',
  agent_type: 'agentType',
  agent: 'agent',
  session: 'session',
};

/** Reads a scope such as `project=p&agent=a`, with percent-encoded values; `problem` is a part of a sentence. */
export function scopeIn(text: string): Scope | { readonly problem: string } {
  const scope = { project: '', agentType: '', agent: '', session: '' };
  for (const [name, value] of new URLSearchParams(text)) {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!part) return { problem: `has the unknown part ${JSON.stringify(name)}` };
    if (scope[part] !== '') return { problem: `has the part ${name} twice` };
    if (Buffer.byteLength(value) > MEMORY_LIMITS.namePartBytes) {
      return { problem: `may have at most ${MEMORY_LIMITS.namePartBytes} bytes in ${name}` };
    }
    scope[part] = value;
  }
  return scope;
}
