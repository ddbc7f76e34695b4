import { normalSubject, USER } from './fact-key.ts';

/** Attributes that are the verb of their sentence. */
const VERBS = new Set([
  ...['likes', 'loves', 'dislikes', 'hates', 'prefers', 'wants', 'needs', 'uses', 'owns', 'has', 'plays', 'speaks'],
  ...[
    'knows',
    'visited',
    'plans',
    'enjoys',
    'studies',
    'teaches',
    'drives',
    'avoids',
    'decided',
    'works_on',
    'believes',
  ],
]);

/** A sentence for a fact without one: "The user's home city is Lisbon." */
export function sentenceOf(subject: string, attribute: string, value: string): string {
  const isUser = normalSubject(subject) === USER;
  const name = isUser ? 'The user' : subject.trim();
  const words = attribute.replaceAll('_', ' ');
  const sentence = VERBS.has(attribute)
    ? `${name} ${words} ${value.trim()}`
    : `${name}${name.endsWith('s') ? '’' : '’s'} ${words} is ${value.trim()}`;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Groups of attributes that no value has at once: what is liked is not disliked. */
const OPPOSITES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['likes', 'loves', 'enjoys', 'prefers'],
    ['dislikes', 'hates'],
  ],
  [['eats', 'drinks', 'uses', 'takes', 'wears'], ['avoids']],
];

const BY_ATTRIBUTE = new Map<string, readonly string[]>();
for (const [one, other] of OPPOSITES) {
  for (const attribute of one) BY_ATTRIBUTE.set(attribute, other);
  for (const attribute of other) BY_ATTRIBUTE.set(attribute, one);
}

/** Attributes whose equal value ends when one of the attribute is stated. */
export function oppositesOf(attribute: string): readonly string[] {
  return BY_ATTRIBUTE.get(attribute) ?? [];
}
