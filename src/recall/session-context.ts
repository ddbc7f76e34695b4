import type { NamespaceColumns } from './namespace-columns.ts';

/** What a memory's surroundings say for it, in the unit of the keyword score. */
export interface Surroundings {
  /** BM25 of the memory itself. */
  readonly own: number;
  /** From the memories before and after it in its session. */
  neighbors: number;
  /** From being said by somebody whom the question names. */
  speaker: number;
  /** From its session as a whole. */
  session: number;
}

/** Memories whose score reaches their neighbours: the best ones; what the others add changes nothing near the top. */
const SOURCES_MAX = 400;
/** Shares of a memory's score that go to the next memory, the one before it and the next but one: an answer follows its question. */
const SHARES: readonly (readonly [steps: number, share: number])[] = [
  [1, 0.4],
  [-1, 0.2],
  [2, 0.2],
];
const SPEAKER_BONUS = 3;
/** Share of the mean of the best scores of a session that goes to each of its candidates. */
const SESSION_SHARE = 0.5;
const SESSION_BEST = 3;

/**
 * Adds to the keyword scores what sessions say. The constants were chosen on the sets named in
 * `docs/decisions/`; `weight` scales all of it but the speaker, 0 leaves the scores alone.
 */
export function withSurroundings(
  scores: ReadonlyMap<number, number>,
  columns: NamespaceColumns,
  named: ReadonlySet<number>,
  weight: number,
): Map<number, Surroundings> {
  const all = new Map<number, Surroundings>();
  for (const [sequence, own] of scores) all.set(sequence, { own, neighbors: 0, speaker: 0, session: 0 });
  if (weight > 0) addNeighbors(all, scores, columns, weight);
  if (named.size > 0) {
    for (const [sequence, parts] of all) if (named.has(columns.speakerOf(sequence))) parts.speaker = SPEAKER_BONUS;
  }
  if (weight > 0) addSessions(all, columns, weight);
  return all;
}

export function totalOf(parts: Surroundings): number {
  return parts.own + parts.neighbors + parts.speaker + parts.session;
}

function addNeighbors(
  all: Map<number, Surroundings>,
  scores: ReadonlyMap<number, number>,
  columns: NamespaceColumns,
  weight: number,
): void {
  const sources = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, SOURCES_MAX);
  for (const [sequence, score] of sources) {
    for (const [steps, share] of SHARES) {
      const neighbor = columns.neighbor(sequence, steps);
      if (neighbor < 0) continue;
      let parts = all.get(neighbor);
      if (!parts) {
        parts = { own: 0, neighbors: 0, speaker: 0, session: 0 };
        all.set(neighbor, parts);
      }
      parts.neighbors += weight * share * score;
    }
  }
}

function addSessions(all: Map<number, Surroundings>, columns: NamespaceColumns, weight: number): void {
  const best = new Map<number, number[]>();
  for (const [sequence, parts] of all) {
    const session = columns.sessionOf(sequence);
    if (session < 0) continue;
    const top = best.get(session);
    if (top) insertBest(top, totalOf(parts));
    else best.set(session, [totalOf(parts)]);
  }
  for (const [sequence, parts] of all) {
    const top = best.get(columns.sessionOf(sequence));
    if (top) parts.session = (weight * SESSION_SHARE * top.reduce((sum, score) => sum + score, 0)) / SESSION_BEST;
  }
}

/** Keeps the best scores in falling order. */
function insertBest(top: number[], score: number): void {
  let at = top.length;
  while (at > 0 && (top[at - 1] ?? 0) < score) at--;
  if (at >= SESSION_BEST) return;
  top.splice(at, 0, score);
  if (top.length > SESSION_BEST) top.pop();
}
