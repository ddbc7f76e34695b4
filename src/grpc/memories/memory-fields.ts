import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { Memory as MemoryMessage, Scope as ScopeMessage } from '../../../gen/ts/mneme/v1/memory.ts';
import { isBlank } from '../../memory/blank-text.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { Content, Embedding, Micros, Place, Scope, Source } from '../../memory/memory.ts';
import { isNowhere } from '../../memory/place.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { memoryNameIn } from '../edge/resource-names.ts';
import { instantOf } from '../edge/time-messages.ts';
import { contentOf } from './content-messages.ts';
import { embeddingOf } from './embedding-messages.ts';
import { placeOf } from './place-messages.ts';

/** A memory in a request: where it is, and the namespace that it is for. */
export interface MemoryInput {
  readonly checks: RequestChecks;
  /** Path of the memory in the request, such as `requests[3].memory`. */
  readonly field: string;
  readonly namespace: string;
  readonly memory: MemoryMessage;
}

const TYPE = /^[A-Za-z0-9_]{1,64}$/;
const { namePartBytes, tagBytes, tags: tagsMax, textBytes, uriBytes } = MEMORY_LIMITS;

export function scopeOf(checks: RequestChecks, field: string, scope: ScopeMessage | undefined): Scope {
  const part = (name: string, value: string) => checks.text(`${field}.${name}`, value, namePartBytes, { plain: true });
  return {
    project: part('project', scope?.project ?? ''),
    agentType: part('agent_type', scope?.agentType ?? ''),
    agent: part('agent', scope?.agent ?? ''),
    session: part('session', scope?.session ?? ''),
  };
}

/** `undefined` where the caller does not say. */
export function typeOf({ checks, field, memory: { type } }: MemoryInput): string | undefined {
  return type === '' ? undefined : checks.matching(`${field}.type`, type, TYPE, '1 to 64 of [A-Za-z0-9_]');
}

export function stepOf({ checks, field, memory: { step } }: MemoryInput): number | undefined {
  return step === undefined ? undefined : checks.wholeWithin(`${field}.step`, step);
}

export function textOf({ checks, field, memory: { text } }: MemoryInput): string {
  if (isBlank(text)) checks.add(`${field}.text`, 'must have a character that can be seen, or be empty');
  return checks.text(`${field}.text`, text, textBytes);
}

export function memoryContentOf({ checks, field, memory: { content } }: MemoryInput): Content | undefined {
  return content && contentOf(checks, `${field}.content`, content);
}

export function memoryEmbeddingOf({ checks, field, memory: { embedding } }: MemoryInput): Embedding | undefined {
  return embedding && embeddingOf(checks, `${field}.embedding`, embedding);
}

export function memoryPlaceOf({ checks, field, memory: { place } }: MemoryInput): Place | undefined {
  const told = place && placeOf(checks, `${field}.place`, place);
  return told && !isNowhere(told) ? told : undefined;
}

/** Each tag once, where it came first. */
export function tagsOf({ checks, field, memory: { tags } }: MemoryInput): readonly string[] {
  if (tags.length > tagsMax) checks.add(`${field}.tags`, `must be at most ${tagsMax}, got ${tags.length}`);
  for (const [at, tag] of tags.slice(0, tagsMax).entries()) {
    const path = `${field}.tags[${at}]`;
    if (tag === '') checks.add(path, `must be 1 to ${tagBytes} bytes, got nothing`);
    checks.text(path, tag, tagBytes);
  }
  return tags.length < 2 ? tags : [...new Set(tags)];
}

export function shareOf({ checks, field, memory }: MemoryInput, part: 'importance' | 'priority'): number | undefined {
  const value = memory[part];
  return value === undefined ? undefined : checks.within(`${field}.${part}`, value, 0, 1);
}

export function sourceOf({ checks, field, memory: { source } }: MemoryInput): Source {
  const part = (name: 'speaker' | 'uri' | 'origin', bytesMax: number) =>
    checks.text(`${field}.source.${name}`, source?.[name] ?? '', bytesMax);
  return { speaker: part('speaker', namePartBytes), uri: part('uri', uriBytes), origin: part('origin', namePartBytes) };
}

export function timeOf(input: MemoryInput, name: string, time: Timestamp | undefined): Micros | undefined {
  return time && instantOf(input.checks, `${input.field}.${name}`, time);
}

/** Id of a memory of the same namespace. */
export function supersededByOf({ checks, field, namespace, memory }: MemoryInput): string | undefined {
  if (memory.supersededBy === '') return undefined;
  const parts = memoryNameIn(memory.supersededBy);
  if (parts?.namespace !== namespace) {
    const shape = `must be the resource name of a memory of namespaces/${namespace}`;
    checks.add(`${field}.superseded_by`, `${shape}, got ${JSON.stringify(memory.supersededBy.slice(0, 80))}`);
  }
  return parts?.id ?? '';
}
