import type { Context, ContextQuery, Mneme } from '../../../clients/typescript/src/index.ts';
import type { Question } from '../../../tools/eval/question-set.ts';
import { partsOf, storeAll } from '../../../tools/eval/run-set.ts';
import { percentile } from '../../../tools/eval/score.ts';
import type { Evaluation } from './support/evaluation.ts';
import type { Measure } from './support/measure.ts';
import { untilRead } from './support/until-read.ts';

/** Budgets in tokens at which the evidence in a context is measured. */
const BUDGETS = [500, 1000, 1500, 2500] as const;
/** The context of this budget must have at least the evidence of so many hits of Recall. */
const GATE = { budget: 1500, hits: 25 };

/** Shares of the evidence of one question, 0 to 1. */
interface Found {
  readonly category: string;
  readonly recalled: number;
  readonly inContext: ReadonlyMap<
    number,
    { readonly share: number; readonly entries: number; readonly tokens: number }
  >;
}

/** Share of the evidence in contexts of several budgets, by category, compared with the first hits of Recall. */
export const contextEvaluation: Evaluation = {
  name: 'context',
  hasGate: true,
  async run(mneme, { conversations, name }, { isGate, runId, signal }) {
    const originals = new Map<string, string>();
    const found: Found[] = [];
    const latenciesMs: number[] = [];
    const budgets = isGate ? [GATE.budget] : BUDGETS;
    for (const part of partsOf(conversations, { pooled: false, runId })) {
      const options = { signal, onStored: () => {}, onRefused: (what: string) => process.stderr.write(`${what}\n`) };
      await storeAll(mneme, part, originals, options);
      const target = mneme.withNamespace(part.namespace);
      for (const question of part.questions) {
        found.push(await evidenceOf(target, question, { originals, budgets, latenciesMs }));
      }
    }
    const lines = reportLines(name, found, budgets);
    lines.push(`  BuildContext p50 ${percentile(latenciesMs, 0.5).toFixed(1)} ms`);
    return { lines, measures: measuresOf(found, budgets), failures: failuresOf(name, found) };
  },
};

interface Asking {
  readonly originals: ReadonlyMap<string, string>;
  readonly budgets: readonly number[];
  readonly latenciesMs: number[];
}

async function evidenceOf(target: Mneme, { text, evidence, category }: Question, asking: Asking): Promise<Found> {
  const wanted = new Set(evidence);
  const shareOf = (names: readonly string[]) =>
    new Set(names.map((name) => asking.originals.get(name) ?? '').filter((id) => wanted.has(id))).size / wanted.size;
  const recalled = await untilRead(() => target.recall({ text, limit: GATE.hits, view: 'metadata', minRelevance: 0 }));
  const inContext = new Map<number, { share: number; entries: number; tokens: number }>();
  for (const tokenBudget of asking.budgets) {
    const startedAtMs = performance.now();
    // Everything that fits: what the default threshold leaves out is a figure of docs/context.md.
    const query: ContextQuery = { query: text, tokenBudget, minRelevance: 0 };
    const context: Context = await target.buildContext(query);
    asking.latenciesMs.push(performance.now() - startedAtMs);
    const { entries, tokens } = context;
    inContext.set(tokenBudget, { share: shareOf(entries.map(({ name }) => name)), entries: entries.length, tokens });
  }
  return { category, recalled: shareOf(recalled.hits.map(({ memory }) => memory.name)), inContext };
}

function reportLines(name: string, found: readonly Found[], budgets: readonly number[]): string[] {
  const categories = ['all', ...new Set(found.map(({ category }) => category))];
  const rows = categories.map((category) => {
    const rowsOf = found.filter((one) => category === 'all' || one.category === category);
    const at = (budget: number) => `${percent(rowsOf, (one) => shareAt(one, budget))}`.padStart(8);
    const recalled = percent(rowsOf, ({ recalled: share }) => share).padStart(12);
    return `  ${category.padEnd(14)}${String(rowsOf.length).padStart(6)}${recalled}${budgets.map(at).join('')}`;
  });
  const entries = budgets.map((budget) => mean(found, (one) => one.inContext.get(budget)?.entries ?? 0).toFixed(1));
  const head = `  ${''.padEnd(14)}${'n'.padStart(6)}${`recall@${GATE.hits}`.padStart(12)}`;
  return [
    `${name}: evidence in contexts of so many tokens, %`,
    `${head}${budgets.map((budget) => String(budget).padStart(8)).join('')}`,
    ...rows,
    `  ${'entries'.padEnd(32)}${entries.map((count) => count.padStart(8)).join('')}`,
  ];
}

function measuresOf(found: readonly Found[], budgets: readonly number[]): Measure[] {
  return budgets.map((budget) => {
    const value = `${percent(found, (one) => shareAt(one, budget))} %`;
    const name = `evidence in a context of ${budget} tokens`;
    if (budget !== GATE.budget) return { name, value, goal: 'stated' };
    const goal = `≥ recall@${GATE.hits}, ${percent(found, ({ recalled }) => recalled)} %`;
    return { name, value, goal, isMet: failuresOf('', found).length === 0 };
  });
}

function failuresOf(name: string, found: readonly Found[]): string[] {
  const recalled = mean(found, (one) => one.recalled);
  const share = mean(found, (one) => shareAt(one, GATE.budget));
  if (share >= recalled) return [];
  const figures = `${(100 * share).toFixed(2)} % of the evidence, recall@${GATE.hits} has ${(100 * recalled).toFixed(2)} %`;
  return [`${name}: a context of ${GATE.budget} tokens has ${figures}`];
}

function shareAt({ inContext }: Found, budget: number): number {
  return inContext.get(budget)?.share ?? 0;
}

function mean(found: readonly Found[], of: (one: Found) => number): number {
  return found.reduce((sum, one) => sum + of(one), 0) / found.length;
}

function percent(found: readonly Found[], of: (one: Found) => number): string {
  return (100 * mean(found, of)).toFixed(2);
}
