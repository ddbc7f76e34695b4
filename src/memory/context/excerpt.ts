import type { Span } from '../passages.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../words.ts';

/** Up to the end of a sentence or line. */
const SENTENCE = /[^\n]*?(?:[.!?…]["'”’)\]]*[^\S\n]+|[。！？](?![。！？])[」』）]*[^\S\n]*|\n+|$)/g;
/** UTF-16 code units of a text that are read. */
const READ_MAX = 5000;
const ELLIPSIS = '…';
/** Share of an excerpt of one long sentence that comes before its first asked word. */
const LEAD_SHARE = 0.25;

interface Sentence extends Span {
  /** Stems of the query in it. */
  readonly stems: readonly string[];
}

/** Stems of the words that a query searches for. */
export function askedStems(query: string): ReadonlySet<string> {
  return new Set(contentStems(query));
}

/**
 * The sentences of a text that have most of the asked stems, with those that follow them, in their order, at most
 * `lengthMax` UTF-16 code units long without the marks of what is left out. A text that is not longer is given back
 * whole; of a text without an asked stem the beginning is taken.
 */
export function excerptOf(text: string, asked: ReadonlySet<string>, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const sentences = sentencesOf(text, asked);
  const chosen = new Set<number>();
  let left = lengthMax;
  const take = (at: number): boolean => {
    const length = lengthOf(sentences[at]);
    if (at >= sentences.length || chosen.has(at) || length > left) return false;
    chosen.add(at);
    left -= length;
    return true;
  };
  const best = bestOf(sentences, new Set());
  if (best === undefined) take(0);
  else if (!take(best)) return partOf(text, sentences[best] as Sentence, asked, lengthMax);
  const found = new Set(sentences[best ?? 0]?.stems);
  for (let next = bestOf(sentences, found); next !== undefined; next = bestOf(sentences, found)) {
    take(next);
    for (const stem of sentences[next]?.stems ?? []) found.add(stem);
  }
  for (const at of [...chosen]) for (let next = at + 1; take(next); next++);
  if (chosen.size === 0) return partOf(text, { from: 0, end: text.length }, asked, lengthMax);
  return joined(text, sentences, chosen);
}

function contentStems(text: string): string[] {
  return wordsOf(text).flatMap((word) => (STOP_WORDS.has(word) ? [] : [stemOf(word)]));
}

function sentencesOf(text: string, asked: ReadonlySet<string>): Sentence[] {
  const sentences: Sentence[] = [];
  for (const { index, 0: part } of text.slice(0, READ_MAX).matchAll(SENTENCE)) {
    if (part.trim() === '') continue;
    const stems = [...new Set(contentStems(part))].filter((stem) => asked.has(stem));
    sentences.push({ from: index, end: index + part.length, stems });
  }
  return sentences;
}

/** Place of the sentence with the most asked stems that are not found yet; of ties the first. */
function bestOf(sentences: readonly Sentence[], found: ReadonlySet<string>): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const [at, { stems }] of sentences.entries()) {
    const count = stems.filter((stem) => !found.has(stem)).length;
    if (count > most) [best, most] = [at, count];
  }
  return best;
}

function lengthOf(sentence: Sentence | undefined): number {
  return sentence ? sentence.end - sentence.from : 0;
}

/** Words of one long sentence from shortly before its first asked word. */
function partOf(text: string, { from, end }: Span, asked: ReadonlySet<string>, lengthMax: number): string {
  const words = [...text.slice(from, end).matchAll(/\S+/g)];
  const first = words.find(({ 0: word }) => contentStems(word).some((stem) => asked.has(stem)))?.index ?? 0;
  const least = Math.min(Math.max(0, first - LEAD_SHARE * lengthMax), Math.max(0, end - from - lengthMax));
  const start = from + (words.find(({ index }) => index >= least)?.index ?? 0);
  // Not between the two halves of a character.
  const cut = text.slice(start, Math.min(end, start + lengthMax)).replace(/[\uD800-\uDBFF]$/, '');
  const last = start + cut.length < end ? Math.max(cut.search(/\s\S*$/), 0) || cut.length : cut.length;
  const part = cut.slice(0, last).trim();
  const isEnd = text.slice(start + last).trim() === '';
  return `${text.slice(0, start).trim() === '' ? '' : `${ELLIPSIS} `}${part}${isEnd ? '' : ` ${ELLIPSIS}`}`;
}

/** The chosen sentences, with an ellipsis for each gap. */
function joined(text: string, sentences: readonly Sentence[], chosen: ReadonlySet<number>): string {
  const parts: string[] = [];
  let isGap = false;
  for (const [at, { from, end }] of sentences.entries()) {
    if (!chosen.has(at)) {
      isGap = true;
      continue;
    }
    if (isGap) parts.push(parts.length === 0 ? `${ELLIPSIS} ` : ` ${ELLIPSIS} `);
    const part = text.slice(from, end);
    parts.push(chosen.has(at + 1) ? part : part.trimEnd());
    isGap = false;
  }
  return isGap || text.length > READ_MAX ? `${parts.join('')} ${ELLIPSIS}` : parts.join('');
}
