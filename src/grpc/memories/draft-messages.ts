import { derivedTextOf } from '../../memory/derive-text.ts';
import type { Content } from '../../memory/memory.ts';
import {
  DEFAULT_IMPORTANCE,
  DEFAULT_PRIORITY,
  defaultType,
  type MemoryDraft,
  type MemoryPast,
} from '../../memory/memory-draft.ts';
import { placeInContent } from '../../memory/place-in-content.ts';
import { validityFault } from '../../memory/validity.ts';
import { memoryNameIn } from '../edge/resource-names.ts';
import { compactionOf } from './compaction-messages.ts';
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

/** A memory to be stored. What only the server decides is passed over. */
export function draftOf(input: MemoryInput, id?: string): MemoryDraft {
  const { checks, field, memory } = input;
  if (memory.text === '' && !memory.content && !memory.embedding) {
    checks.add(field, 'must have a text, a content or an embedding');
  }
  const content = memoryContentOf(input);
  const source = sourceOf(input);
  const validFromUs = timeOf(input, 'valid_from', memory.validFrom);
  const validUntilUs = timeOf(input, 'valid_until', memory.validUntil);
  const fault = validityFault({ validFromUs, validUntilUs }, field);
  if (fault) checks.add(fault.field, fault.description);
  return {
    scope: scopeOf(checks, `${field}.scope`, memory.scope),
    type: typeOf(input) ?? defaultType(source.speaker),
    text: textOf(input) || textFrom(input, content),
    textDerived: memory.text === '',
    tags: tagsOf(input),
    importance: shareOf(input, 'importance') ?? DEFAULT_IMPORTANCE,
    priority: shareOf(input, 'priority') ?? DEFAULT_PRIORITY,
    source,
    ...given('id', id),
    ...given('content', content),
    ...given('step', stepOf(input)),
    ...given('eventAtUs', timeOf(input, 'event_time', memory.eventTime)),
    ...given('place', memoryPlaceOf(input) ?? (content && placeInContent(content))),
    ...given('expiresAtUs', timeOf(input, 'expire_time', memory.expireTime)),
    ...given('validFromUs', validFromUs),
    ...given('validUntilUs', validUntilUs),
    ...given('supersededBy', supersededByOf(input)),
    ...given('embedding', memoryEmbeddingOf(input)),
  };
}

/** A memory to be imported: keeps its id, whatever namespace its name says, and its past. */
export function importedDraftOf(input: MemoryInput): MemoryDraft {
  const { checks, field, memory } = input;
  const id = memory.name === '' ? undefined : memoryNameIn(memory.name)?.id;
  if (memory.name !== '' && id === undefined) checks.memoryName(`${field}.name`, memory.name);
  const past: MemoryPast = {
    retrievalCount: checks.wholeWithin(`${field}.retrieval_count`, BigInt(memory.retrievalCount)),
    ...given('createdAtUs', timeOf(input, 'create_time', memory.createTime)),
    ...given('updatedAtUs', timeOf(input, 'update_time', memory.updateTime)),
    ...given('lastAccessedAtUs', timeOf(input, 'last_access_time', memory.lastAccessTime)),
    ...given('compaction', compactionOf(input)),
  };
  return { ...draftOf(supersededInside(input), id), past };
}

/** An imported memory names its successor by the namespace that it was exported from. */
function supersededInside(input: MemoryInput): MemoryInput {
  const { namespace, memory } = input;
  const id = memoryNameIn(memory.supersededBy)?.id;
  if (id === undefined) return input;
  return { ...input, memory: { ...memory, supersededBy: `namespaces/${namespace}/memories/${id}` } };
}

/** The content's text, unless the content was found fault with. */
function textFrom({ checks, field }: MemoryInput, content: Content | undefined): string {
  if (!content || checks.hasFound) return '';
  return derivedTextOf(content, `${field}.content.data`);
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
