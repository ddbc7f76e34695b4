import type { Micros } from '../../../memory/memory.ts';
import { timesNamedIn } from '../../../memory/time/time-expressions.ts';

/** Where a new clause with a subject of its own begins. */
const BOUNDARY =
  /\s*[;—–]\s*|,\s+(?:and|but|so)\s+|,\s+(?=(?:I|we|my|our|they|he|she|it|you|can|could|would|please|the)\b)|,?\s+\b(?:and|but|so|because|though|although|while|or)\s+(?=(?:I|I'm|I’m|we|my|our|they|he|she|it|you|can|could|would|please)\b)/giu;

/** Where the clause of a sentence that has a position begins and ends. */
export function clauseAt(sentence: string, at: number): { readonly from: number; readonly end: number } {
  let from = 0;
  for (const match of sentence.matchAll(BOUNDARY)) {
    if (match.index >= at && match.index > from) return { from, end: match.index };
    if (match.index < at) from = match.index + match[0].length;
  }
  return { from, end: sentence.length };
}

const SINCE = /\b(?:since|as of)\s.{3,60}/i;
/** A change at one time, of which a state holds since. */
const CHANGE =
  /\b(?:joined|moved|relocated|started|became|got|was promoted|switched|migrated|adopted|bought|sold|accepted|launched|shipped|closed|hired|graduated|finished|published|retired|quit|left|opened|founded|enrolled|signed up)\b/i;
const AGO = /\bago\b/i;

/**
 * The time from which a statement holds, where its clause names one in the past: "since 2019", "I moved there in May".
 * Undefined where it names none.
 */
export function validFromOf(clause: string, saidAtUs: Micros): Micros | undefined {
  const since = SINCE.exec(clause)?.[0];
  if (since === undefined && !CHANGE.test(clause)) return undefined;
  const text = since ?? clause;
  let from: Micros | undefined;
  for (const { fromUs, untilUs } of timesNamedIn(text, saidAtUs)) {
    const atUs = AGO.test(text) ? (fromUs + untilUs) / 2 : fromUs;
    if (atUs <= saidAtUs && (from === undefined || atUs > from)) from = atUs;
  }
  return from;
}
