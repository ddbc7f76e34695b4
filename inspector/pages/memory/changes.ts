import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { isoOf } from '../../api/times.ts';

/** Fields of `UpdateMemoryRequest.update_mask` that a page compares, with their texts. */
const FIELDS: Readonly<Record<string, (memory: Memory) => string>> = {
  text: ({ text }) => text,
  content: ({ content }) =>
    content?.body?.$case === 'data' ? `${content.body.value.length} bytes` : (content?.body?.value ?? ''),
  type: ({ type }) => type,
  tags: ({ tags }) => tags.join(', '),
  importance: ({ importance }) => String(importance ?? ''),
  priority: ({ priority }) => String(priority ?? ''),
  step: ({ step }) => String(step ?? ''),
  event_time: ({ eventTime }) => (eventTime ? isoOf(eventTime) : ''),
  valid_from: ({ validFrom }) => (validFrom ? isoOf(validFrom) : ''),
  valid_until: ({ validUntil }) => (validUntil ? isoOf(validUntil) : ''),
  expire_time: ({ expireTime }) => (expireTime ? isoOf(expireTime) : ''),
  superseded_by: ({ supersededBy }) => supersededBy,
  source: ({ source }) => [source?.speaker, source?.uri, source?.origin].filter(Boolean).join(' · '),
  'scope.project': ({ scope }) => scope?.project ?? '',
  'scope.agent_type': ({ scope }) => scope?.agentType ?? '',
  'scope.agent': ({ scope }) => scope?.agent ?? '',
  'scope.session': ({ scope }) => scope?.session ?? '',
  place: ({ place }) => (place ? JSON.stringify(place) : ''),
};

export interface FieldChange {
  /** Path of the field, as in an update mask. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Fields that differ between two states of a memory. */
export function changesOf(before: Memory, after: Memory): readonly FieldChange[] {
  return Object.entries(FIELDS)
    .map(([path, textOf]) => ({ path, before: textOf(before), after: textOf(after) }))
    .filter((change) => change.before !== change.after);
}

/** The update that gives a memory the fields of a former state again. */
export function restoring(current: Memory, former: Memory) {
  const paths = changesOf(current, former).map(({ path }) => path);
  return {
    memory: { ...former, name: current.name, embedding: undefined },
    updateMask: paths,
    ifVersion: current.version,
  };
}
