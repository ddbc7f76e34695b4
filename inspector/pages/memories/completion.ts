/** Names that filters know, in the order of their use. */
const FIELDS = [
  'type',
  'text',
  'tags',
  'tier',
  'event_time',
  'create_time',
  'update_time',
  'importance',
  'speaker',
  'session',
  'agent',
  'project',
  'agent_type',
  'step',
  'priority',
  'retrieval_count',
  'source_uri',
  'source_origin',
  'superseded_by',
  'last_access_time',
  'expire_time',
  'valid_from',
  'valid_until',
  'location',
  'room',
  'region',
  'media_type',
  'id',
  'revision',
  'content.',
  'starts_with(',
  'contains(',
  'matches(',
  'lower(',
] as const;
const JOINTS = ['AND', 'OR', 'NOT'];
const TIERS = ['"short_term"', '"intermediate"', '"long_term"'];

const LAST_WORD = /[^\s()]*$/;
const VALUE_OF = /\b(type|tier)\s*(?:=|!=)\s*"?[^\s")]*$/;

/** What may follow at the end of a filter text. */
export function suggestionsFor(text: string, types: readonly string[]): readonly string[] {
  const word = (LAST_WORD.exec(text)?.[0] ?? '').toLowerCase();
  const [, field] = VALUE_OF.exec(text) ?? [];
  const values = field === 'type' ? types.map((type) => JSON.stringify(type)) : field === 'tier' ? TIERS : undefined;
  if (values) return values.filter((value) => value.toLowerCase().startsWith(word === '=' ? '' : word));
  if (word === '') return [];
  return [...FIELDS, ...JOINTS].filter((name) => name.toLowerCase().startsWith(word) && name.toLowerCase() !== word);
}

/** The text with its last word completed. */
export function completed(text: string, suggestion: string): string {
  const word = LAST_WORD.exec(text)?.[0] ?? '';
  const start = text.slice(0, text.length - (/^[=!]+$/.test(word) ? 0 : word.length));
  return `${start}${suggestion}${/[.(]$/.test(suggestion) ? '' : ' '}`;
}
