/**
 * Scores the `rules` extractor on a clone of Jenverse/Memory-Benchmark-1, which is never copied into the project:
 * `node test/extraction/score-jenverse.ts FOLDER [even|odd|all] [--show]`.
 */
import { execFileSync } from 'node:child_process';
import { rulesExtractor } from '../../src/extraction/rules/rules-extractor.ts';
import type { FactClaim } from '../../src/memory/fact-claim.ts';
import { termsOf } from '../../src/memory/words.ts';
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

const [folder = '.', half = 'even', ...flags] = process.argv.slice(2);
const shows = flags.includes('--show');
const program = `import runpy, json; print(json.dumps(runpy.run_path(${JSON.stringify(`${folder}/benchmark/data.py`)})["PROFILES"]))`;
const profiles = JSON.parse(execFileSync('python3', ['-c', program], { maxBuffer: 1e8 }).toString()) as Profile[];
const scored = profiles.filter((_, at) => half === 'all' || at % 2 === (half === 'even' ? 0 : 1));

const count = { claims: 0, right: 0, gold: 0, found: 0, empty: 0, yielding: 0, contradictions: 0, contradicted: 0 };
for (const { name, sessions } of scored) {
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
    if (!shows) continue;
    const wrong = claims.filter((claim) => !right.includes(claim));
    for (const claim of wrong)
      console.log(
        `${name}: ${gold.length === 0 ? 'OF NOTHING' : 'wrong'}: ${claim.text} [${claim.attribute}=${claim.value}]`,
      );
    for (const { fact } of gold.filter((one) => !found.includes(one))) console.log(`${name}:    missed: ${fact}`);
  }
}
const share = (part: number, whole: number) =>
  `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;
console.log(`precision: ${share(count.right, count.claims)}`);
console.log(`recall: ${share(count.found, count.gold)}`);
console.log(`sessions with nothing to store that yield facts: ${count.yielding} of ${count.empty}`);
console.log(`contradictions found: ${share(count.contradicted, count.contradictions)}`);

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
