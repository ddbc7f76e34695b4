import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Passage, RecallHit } from './recall-request.ts';

/** Number of tokens of a text; of one with more than `max`, some number above that. */
export type CountTokens = (text: string, max: number) => number;

export interface WithinBudget {
  readonly hits: readonly RecallHit[];
  readonly passages: readonly Passage[];
  readonly tokenCount: number;
}

/** Hits that did not fit, after which no smaller one is looked for. */
const MISFITS_MAX = 16;
/** Longest stretch of counting between two looks at the event loop. */
const SLICE_MS = 5;

interface Line {
  readonly hit: RecallHit;
  readonly text: string;
  readonly tokens: number;
  /** Ids of the memories just before and after it in its session. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The hits that have room in so many tokens, best first, and as passages: hits that follow one another in their session
 * become one. Each hit must come with a neighbour on either side, where it has one.
 */
export async function withinBudget(
  hits: readonly RecallHit[],
  budget: number,
  countTokens: CountTokens,
): Promise<WithinBudget> {
  const lines: Line[] = [];
  let left = budget;
  let misfits = 0;
  let sliceEndMs = performance.now() + SLICE_MS;
  for (const hit of hits) {
    if (performance.now() > sliceEndMs) {
      await nextTurn();
      sliceEndMs = performance.now() + SLICE_MS;
    }
    const text = lineOf(hit);
    const tokens = countTokens(text, left);
    if (tokens > left) {
      if (++misfits === MISFITS_MAX) break;
      continue;
    }
    left -= tokens;
    lines.push({ hit, text, tokens, before: hit.before.at(-1)?.id, after: hit.after[0]?.id });
  }
  return { hits: lines.map(({ hit }) => hit), passages: passagesOf(lines), tokenCount: budget - left };
}

/** Of a long text the passage alone, which has room where the whole would not. */
function lineOf({ memory: { text: whole, source }, passage }: RecallHit): string {
  const text = passage?.text ?? whole;
  return text === '' || source.speaker === '' ? text : `${source.speaker}: ${text}`;
}

/** White space divides lines, and no token reaches across it: a passage has the tokens of its lines together. */
function passagesOf(lines: readonly Line[]): Passage[] {
  const byId = new Map(lines.map((line) => [line.hit.memory.id, line]));
  const passages: Passage[] = [];
  for (const line of lines) {
    if (!byId.has(line.hit.memory.id)) continue;
    const run = runAround(line, byId);
    for (const { hit } of run) byId.delete(hit.memory.id);
    const said = run.filter(({ text }) => text !== '');
    if (said.length === 0) continue;
    passages.push({
      text: said.map(({ text }) => text).join('\n'),
      tokenCount: said.reduce((sum, { tokens }) => sum + tokens, 0),
      memories: said.map(({ hit }) => hit.memory),
      // Lines come best first, so the one that a run is found by is its best.
      score: line.hit.score,
    });
  }
  return passages;
}

/** The lines that follow one another without a gap, in the order of their session. */
function runAround(line: Line, byId: ReadonlyMap<string, Line>): Line[] {
  const run = [line];
  const seen = new Set([line]);
  const next = (id: string | undefined): Line | undefined => {
    const found = id === undefined ? undefined : byId.get(id);
    if (!found || seen.has(found)) return undefined;
    seen.add(found);
    return found;
  };
  for (let at = next(line.before); at; at = next(at.before)) run.unshift(at);
  for (let at = next(line.after); at; at = next(at.after)) run.push(at);
  return run;
}
