import { createHash } from 'node:crypto';
import type { Json, Memory, NewMemory } from '../../../clients/typescript/src/index.ts';
import { TORN } from './model.ts';

/**
 * Each write has a mark, a word that occurs nowhere else: `r3l1n7x0` is entry 0 of the 7th write of lane 1 in round 3. All parts
 * of an entry follow from its mark, so that parts of two writes in one entry are noticed.
 */
export function markOf(round: number, lane: number, number: number, at: number): string {
  return `r${round}l${lane}n${number}x${at}`;
}

/** Greater for later writes of a lane. */
export function orderOf(mark: string): number {
  const [, round = '0', number = '0'] = /^r(\d+)l\d+n(\d+)x\d+$/.exec(mark) ?? [];
  return Number(round) * 1_000_000 + Number(number);
}

const WORDS = 'garden rain cello market harbour winter letter engine bread river lamp meadow clock paper'.split(' ');
const DIMENSIONS = 8;
const LONG_EVERY = 16;

export function memoryWith(mark: string, id: string): NewMemory {
  const numbers = numbersOf(mark);
  const words = numbers.slice(0, 6).map((number) => WORDS[number % WORDS.length]);
  const [first = 0, second = 0] = numbers;
  const body = `${mark} `.repeat(first % LONG_EVERY === 0 ? 2000 : second % 40);
  return {
    ...(id !== '' && { id }),
    text: `${mark} ${words.join(' ')}`,
    content: { mark, body, checksum: sha256(`${mark} ${body}`) },
    tags: [mark],
    scope: { agent: `agent${first % 3}`, session: `s${second % 5}` },
    importance: (first % 10) / 10,
    embedding: { model: 'campaign', values: numbers.slice(0, DIMENSIONS).map((number) => number / 256) },
  };
}

/** The mark of a memory, or what does not belong together. */
export function markOfMemory({ id, text, content, tags, importance, embedding }: Memory, hasVector: boolean): string {
  const mark = text.split(' ', 1)[0] ?? '';
  const expected = memoryWith(mark, id);
  const parts = {
    text: text === expected.text,
    content: content !== undefined && JSON.stringify(content.json()) === JSON.stringify(expected.content),
    tags: JSON.stringify(tags) === JSON.stringify(expected.tags),
    importance: Math.abs(importance - (expected.importance ?? 0)) < 1e-6,
    embedding:
      !hasVector || JSON.stringify([...(embedding?.values ?? [])]) === JSON.stringify(expected.embedding?.values),
  };
  const wrong = Object.entries(parts).flatMap(([part, isRight]) => (isRight ? [] : [part]));
  return wrong.length === 0 ? mark : `${TORN} ${mark} has another ${wrong.join(', ')}`;
}

export function valueWith(mark: string): Json {
  return { mark, checksum: sha256(mark), body: `${mark} `.repeat((numbersOf(mark)[0] ?? 0) % 30) };
}

export function markOfValue(value: Json): string {
  const { mark } = value as { mark?: string };
  const isWhole = mark !== undefined && JSON.stringify(value) === JSON.stringify(valueWith(mark));
  return isWhole ? mark : `${TORN} ${JSON.stringify(value).slice(0, 100)}`;
}

/** The mark of a checkpoint: of the keys in it with their marks. */
export function markOfValues(marks: ReadonlyMap<string, string>): string {
  const sorted = [...marks].sort(([a], [b]) => (a < b ? -1 : 1));
  return `c${sha256(JSON.stringify(sorted)).slice(0, 16)}`;
}

/** Bytes that follow from the mark. */
function numbersOf(mark: string): number[] {
  return [...createHash('sha256').update(mark).digest()];
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
