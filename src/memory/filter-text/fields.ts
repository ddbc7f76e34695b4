import { type Comparison, type MemoryField, type NumberField, type TextField, TIME_FIELDS } from '../filter.ts';

/** The left side of a comparison. */
export interface Operand {
  /** As errors call it. */
  readonly name: string;
  readonly target: Comparison['target'];
  /** `json`: a value of the content, of any type. */
  readonly kind: FieldKind | 'json';
  readonly ignoreCase: boolean;
}

type FieldKind = 'text' | 'tags' | 'number' | 'time';

const TEXTS: readonly Exclude<TextField, 'tag'>[] = [
  ...(['id', 'project', 'agent_type', 'agent', 'session', 'type', 'tier', 'text', 'speaker', 'source_uri'] as const),
  ...(['source_origin', 'location', 'room', 'region', 'media_type', 'superseded_by'] as const),
];
const NUMBERS: readonly NumberField[] = ['step', 'importance', 'priority', 'retrieval_count', 'revision'];

/** Fields that are also known by where they are in the record. */
const PATHS: { readonly [path: string]: MemoryField } = {
  tag: 'tag',
  'scope.project': 'project',
  'scope.agent_type': 'agent_type',
  'scope.agent': 'agent',
  'scope.session': 'session',
  'source.speaker': 'speaker',
  'source.uri': 'source_uri',
  'source.origin': 'source_origin',
  'place.location': 'location',
  'place.room': 'room',
  'place.region': 'region',
};

export interface NamedField {
  readonly field: MemoryField;
  readonly kind: FieldKind;
}

const named = new Map<string, NamedField>([
  ['tags', { field: 'tag', kind: 'tags' }],
  ...[...TEXTS.map((field) => [field, 'text'] as const)].map(pair),
  ...[...NUMBERS.map((field) => [field, 'number'] as const)].map(pair),
  ...[...TIME_FIELDS.map((field) => [field, 'time'] as const)].map(pair),
]);

function pair([field, kind]: readonly [MemoryField, FieldKind]): [string, NamedField] {
  return [field, { field, kind }];
}

/** The field of a name such as `step`, `tags` or `source.speaker`. */
export function fieldNamed(name: string): NamedField | undefined {
  const field = PATHS[name];
  if (field === undefined || !Object.hasOwn(PATHS, name)) return named.get(name);
  return field === 'tag' ? named.get('tags') : named.get(field);
}

/** Names of all fields, each once. */
export const FIELD_NAMES: readonly string[] = [...named.keys()];
