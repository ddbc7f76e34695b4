import { derivedId } from '../derived-id.ts';
import type { Memory, Micros } from '../memory.ts';
import { scopeKey } from '../scope.ts';
import { termsOf } from '../words.ts';

export const EPISODE_TYPE = 'episode';
/** Messages of an episode: fewer are no episode, more become several. */
export const EPISODE_MESSAGES = { min: 6, max: 500 } as const;

const OPENING_LENGTH_MAX = 200;
const TOPICS_MAX = 8;
const TERM_LENGTH_MIN = 4;

/** Messages of one conversation that become one episode, by sequence number. */
export type Stretch = readonly [Memory, ...Memory[]];

/** The messages after the last one that an episode covers, in stretches of at most 500; the rest below 6 is left. */
export function stretchesOf(messages: readonly Memory[], coveredTo: number): Stretch[] {
  const open = messages
    .filter(({ step = -1 }) => step > coveredTo)
    .sort((one, other) => (one.step ?? 0) - (other.step ?? 0));
  const stretches: Stretch[] = [];
  for (let from = 0; from < open.length; from += EPISODE_MESSAGES.max) {
    const [first, ...others] = open.slice(from, from + EPISODE_MESSAGES.max);
    if (first && others.length + 1 >= EPISODE_MESSAGES.min) stretches.push([first, ...others]);
  }
  return stretches;
}

/** Id of the episode that begins with a message; the same in every namespace. */
export function stretchId({ scope, step = 0 }: Pick<Memory, 'scope' | 'step'>): string {
  return derivedId(`conversation episode\n${scopeKey(scope)}\n${step}`);
}

/**
 * The text by which recall finds the episode. It is short: the words of the conversation are in the messages, which recall
 * finds by themselves.
 */
export function stretchText(stretch: Stretch): string {
  const [first] = stretch;
  const speakers = [...new Set(stretch.map(({ source }) => source.speaker).filter((name) => name !== ''))].slice(0, 8);
  const [begun, ended] = [day(spanOf(stretch).fromUs), day(spanOf(stretch).untilUs)];
  const time = begun === ended ? `on ${begun}` : `from ${begun} to ${ended}`;
  const between = speakers.length === 0 ? '' : ` of ${speakers.join(', ')}`;
  const opening = stretch.find(({ text }) => text !== '') ?? first;
  const lines = [
    `A conversation${between} ${time}, ${stretch.length} messages.`,
    ...(opening.text === '' ? [] : [`It began: ${openingOf(opening.text)}`]),
    `Topics: ${topicsOf(stretch).join(', ')}`,
  ];
  return lines.join('\n');
}

export function spanOf(stretch: Stretch): { readonly fromUs: Micros; readonly untilUs: Micros } {
  const times = stretch.map(({ eventAtUs }) => eventAtUs);
  return { fromUs: Math.min(...times), untilUs: Math.max(...times) };
}

function openingOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > OPENING_LENGTH_MAX ? `${line.slice(0, OPENING_LENGTH_MAX).toWellFormed()} …` : line;
}

/** The terms that most messages have. */
function topicsOf(stretch: Stretch): string[] {
  const counts = new Map<string, number>();
  for (const { text } of stretch) {
    for (const term of new Set(termsOf(text))) {
      if (term.length >= TERM_LENGTH_MIN) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  const ranked = [...counts].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1));
  return ranked.slice(0, TOPICS_MAX).map(([term]) => term);
}

function day(atUs: Micros): string {
  return new Date(Math.floor(atUs / 1000)).toISOString().slice(0, 10);
}
