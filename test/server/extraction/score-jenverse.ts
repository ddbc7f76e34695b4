import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FactClaim } from '../../../src/memory/fact-claim.ts';
import { termsOf } from '../../../src/memory/words.ts';
import { rulesExtractor } from '../../../src/server/extraction/rules/rules-extractor.ts';
import { isInHalf, type Labelled, type LabelledOptions } from '../../search/evaluation/support/labelled.ts';
import { type Measure, shareOf } from '../../search/evaluation/support/measure.ts';
import { conversationOf } from './conversation-of.ts';

interface Gold {
  readonly fact: string;
  readonly contradicts?: string;
}
interface Session {
  readonly turns: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  readonly expected_memories_after: readonly Gold[];
}
interface Profile {
  readonly name: string;
  readonly sessions: readonly Session[];
}

interface Counts {
  claims: number;
  right: number;
  gold: number;
  found: number;
  empty: number;
  yielding: number;
  contradictions: number;
  contradicted: number;
}

const DATA = join('benchmark', 'data.py');
const PRECISION_GOAL = 0.85;
const YIELDING_GOAL = 2 / 31;

/** The `rules` extractor on a clone of Jenverse/Memory-Benchmark-1, which is never copied into the project. */
export const jenverse: Labelled = {
  name: 'Jenverse',
  isAt: (folder) => existsSync(join(folder, DATA)),
  async measure(folder, options) {
    const program = `import runpy, json; print(json.dumps(runpy.run_path(${JSON.stringify(join(folder, DATA))})["PROFILES"]))`;
    const profiles = JSON.parse(execFileSync('python3', ['-c', program], { maxBuffer: 1e8 }).toString()) as Profile[];
    const count = { claims: 0, right: 0, gold: 0, found: 0, empty: 0, yielding: 0, contradictions: 0, contradicted: 0 };
    for (const profile of profiles.filter((_, at) => isInHalf(at, options.half))) await score(profile, count, options);
    return measuresOf(count);
  },
};

async function score({ name, sessions }: Profile, count: Counts, { onShown }: LabelledOptions): Promise<void> {
  const known: Gold[] = [];
  for (const { turns, expected_memories_after: gold } of sessions) {
    known.push(...gold);
    const messages = conversationOf(turns.map(({ role, content }) => ({ role, name: '', text: content })));
    const { claims } = await rulesExtractor.extract(
      {
        ...{ namespace: 'n', scope: { project: '', agentType: '', agent: '', session: '' }, conversation: 'c' },
        ...{ messages, earlier: [], settings: new Map() },
      },
      new AbortController().signal,
    );
    const right = claims.filter((claim) => known.some(({ fact }) => says(claim, fact)) || isName(claim, name));
    const found = gold.filter(({ fact }) => claims.some((claim) => says(claim, fact)));
    const contradictions = gold.filter(({ contradicts }) => contradicts !== undefined);
    count.claims += claims.length;
    count.right += right.length;
    count.gold += gold.length;
    count.found += found.length;
    count.empty += Number(gold.length === 0);
    count.yielding += Number(gold.length === 0 && claims.length > 0);
    count.contradictions += contradictions.length;
    count.contradicted += contradictions.filter((one) => found.includes(one)).length;
    for (const { text, attribute, value } of claims.filter((claim) => !right.includes(claim)))
      onShown(`${name}: ${gold.length === 0 ? 'OF NOTHING' : 'wrong'}: ${text} [${attribute}=${value}]`);
    for (const { fact } of gold.filter((one) => !found.includes(one))) onShown(`${name}:    missed: ${fact}`);
  }
}

function measuresOf(count: Counts): Measure[] {
  const isPrecise = count.right >= PRECISION_GOAL * count.claims;
  const isSilent = count.yielding <= YIELDING_GOAL * count.empty;
  return [
    { name: 'precision of facts', value: shareOf(count.right, count.claims), goal: '≥ 85 %', isMet: isPrecise },
    { name: 'recall of facts', value: shareOf(count.found, count.gold), goal: 'stated' },
    {
      name: 'sessions with nothing to store that yield facts',
      value: shareOf(count.yielding, count.empty),
      goal: '≤ 2 of 31',
      isMet: isSilent,
    },
    { name: 'contradictions found', value: shareOf(count.contradicted, count.contradictions), goal: 'stated' },
  ];
}

function isName({ attribute, value }: FactClaim, name: string): boolean {
  return attribute === 'name' && name.toLowerCase().includes(value.toLowerCase());
}

/** A claim says a gold fact where most words of its value are in the fact, or most words of the fact in its sentence. */
function says({ value, text }: FactClaim, fact: string): boolean {
  const [ofValue, ofText, ofFact] = [value, text, fact].map((one) => new Set(termsOf(one)));
  if (!ofValue || !ofText || !ofFact) return false;
  return shareIn(ofValue, ofFact) >= 0.6 || shareIn(ofFact, ofText) >= 0.6;
}

function shareIn(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  return part.size === 0 ? 0 : [...part].filter((term) => whole.has(term)).length / part.size;
}
