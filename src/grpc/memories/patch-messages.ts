import type { Scope } from '../../memory/memory.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY } from '../../memory/memory-draft.ts';
import type { MemoryPatch } from '../../operations/memories/update-memory.ts';
import {
  type MemoryInput,
  memoryContentOf,
  memoryEmbeddingOf,
  memoryPlaceOf,
  scopeOf,
  shareOf,
  sourceOf,
  stepOf,
  supersededByOf,
  tagsOf,
  textOf,
  timeOf,
  typeOf,
} from './memory-fields.ts';

const MASK_LENGTH_MAX = 32;

/** What each path of a mask says is to become of the memory. */
const PATHS: Readonly<Record<string, (input: MemoryInput) => MemoryPatch>> = {
  'scope.project': (input) => scopePart(input, 'project'),
  'scope.agent_type': (input) => scopePart(input, 'agentType'),
  'scope.agent': (input) => scopePart(input, 'agent'),
  'scope.session': (input) => scopePart(input, 'session'),
  type: (input) => ({ type: typeOf(input) }),
  step: (input) => ({ step: stepOf(input) }),
  event_time: (input) => ({ eventAtUs: timeOf(input, 'event_time', input.memory.eventTime) }),
  text: (input) => ({ text: textOf(input) }),
  content: (input) => ({ content: memoryContentOf(input) }),
  tags: (input) => ({ tags: tagsOf(input) }),
  embedding: (input) => ({ embedding: memoryEmbeddingOf(input) }),
  place: (input) => ({ place: memoryPlaceOf(input) }),
  importance: (input) => ({ importance: shareOf(input, 'importance') ?? DEFAULT_IMPORTANCE }),
  priority: (input) => ({ priority: shareOf(input, 'priority') ?? DEFAULT_PRIORITY }),
  source: (input) => ({ source: sourceOf(input) }),
  expire_time: (input) => ({ expiresAtUs: timeOf(input, 'expire_time', input.memory.expireTime) }),
  valid_from: (input) => ({ validFromUs: timeOf(input, 'valid_from', input.memory.validFrom) }),
  valid_until: (input) => ({ validUntilUs: timeOf(input, 'valid_until', input.memory.validUntil) }),
  superseded_by: (input) => ({ supersededBy: supersededByOf(input) }),
};

/** The changes that a mask names; fields outside it are not looked at. */
export function patchOf(input: MemoryInput, mask: readonly string[]): MemoryPatch {
  const { checks } = input;
  if (mask.length < 1 || mask.length > MASK_LENGTH_MAX) {
    checks.add('update_mask', `must name 1 to ${MASK_LENGTH_MAX} fields, got ${mask.length}`);
  }
  let patch: MemoryPatch = {};
  for (const [at, path] of mask.slice(0, MASK_LENGTH_MAX).entries()) {
    const read = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
    if (!read) {
      const known = Object.keys(PATHS).join(', ');
      checks.add(`update_mask.paths[${at}]`, `must be one of ${known}, got ${JSON.stringify(path.slice(0, 40))}`);
      continue;
    }
    const part = read(input);
    patch = { ...patch, ...part, ...(part.scope ? { scope: { ...patch.scope, ...part.scope } } : {}) };
  }
  return patch;
}

function scopePart({ checks, field, memory }: MemoryInput, part: keyof Scope): MemoryPatch {
  return { scope: { [part]: scopeOf(checks, `${field}.scope`, memory.scope)[part] } };
}
