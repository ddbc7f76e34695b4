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
