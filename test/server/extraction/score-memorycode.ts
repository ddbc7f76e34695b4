import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FactClaim } from '../../../src/memory/fact-claim.ts';
import { termsOf } from '../../../src/memory/words.ts';
import { rulesExtractor } from '../../../src/server/extraction/rules/rules-extractor.ts';
import { isInHalf, type Labelled, type LabelledOptions } from '../../search/evaluation/support/labelled.ts';
import { shareOf } from '../../search/evaluation/support/measure.ts';
import { conversationOf } from './conversation-of.ts';

interface Dialogue {
  readonly context: { readonly mentor: string };
  /** Pairs of topic and variant by session; -1 where there is none. */
  readonly instructions: readonly (readonly (number | readonly [number, number])[])[];
  readonly fillers: readonly unknown[];
  readonly sessions: readonly {
    readonly type: readonly string[];
    readonly topic: readonly string[];
    readonly text: string;
  }[];
}

interface Counts {
  topics: number;
  newest: number;
  stale: number;
  updated: number;
  updatedNewest: number;
  all: number;
  read: number;
}

const DAY_US = 86_400_000_000;
const START_US = Date.parse('2025-01-06T09:00:00Z') * 1000;
const NEWEST_GOAL = 0.92;

/**
 * Instructions of the `rules` extractor on a clone of for-ai/MemoryCode: with the sessions of a dialogue read in order,
 * the newest instruction of each topic must be the one that is current.
 */
export const memoryCode: Labelled = {
  name: 'MemoryCode',
  isAt: (folder) => existsSync(join(folder, 'dataset', 'dialogue_1.json')),
  async measure(folder, options) {
    const count = { topics: 0, newest: 0, stale: 0, updated: 0, updatedNewest: 0, all: 0, read: 0 };
    for (const file of readdirSync(join(folder, 'dataset')).sort()) {
      const number = Number(/\d+/.exec(file)?.[0]);
      if (!isInHalf(number, options.half)) continue;
      const dialogue = JSON.parse(readFileSync(join(folder, 'dataset', file), 'utf8')) as Dialogue;
      await scoreDialogue(number, dialogue, count, options);
    }
    const isMet = count.newest >= NEWEST_GOAL * count.topics;
    return [
      { name: 'newest instruction current', value: shareOf(count.newest, count.topics), goal: '≥ 92 %', isMet },
      { name: 'of topics with an older one', value: shareOf(count.updatedNewest, count.updated), goal: 'stated' },
      { name: 'older instruction current beside it', value: shareOf(count.stale, count.topics), goal: 'stated' },
      { name: 'instructions that are read', value: shareOf(count.read, count.all), goal: 'stated' },
    ];
  },
};

async function scoreDialogue(
  number: number,
  { context, sessions }: Dialogue,
  count: Counts,
  { onShown }: LabelledOptions,
): Promise<void> {
  const current = new Map<string, FactClaim>();
  const topics = new Map<string, string[]>();
  for (const [at, { type, topic, text }] of sessions.entries()) {
    const received = topic.filter((_, index) => type[index]?.startsWith('instruction'));
    for (const instruction of received) {
      const key = topicOf(instruction);
      topics.set(key, [...(topics.get(key) ?? []), instruction]);
    }
    const claims = await claimsIn(text, context.mentor, START_US + at * DAY_US);
    for (const claim of claims) current.set(`${claim.subject} ${claim.attribute}`, claim);
    count.all += received.length;
    for (const instruction of received) {
      const isRead = claims.some((claim) => says(claim, instruction));
      count.read += Number(isRead);
      if (!isRead) onShown(`${number}: not read: ${instruction}`);
    }
  }
  for (const instructions of topics.values()) {
    const newest = instructions.at(-1) ?? '';
    const older = instructions.filter((one) => one !== newest);
    const facts = [...current.values()];
    const isNewest = facts.some((claim) => says(claim, newest));
    const isStale = older.some((one) => facts.some((claim) => says(claim, one)));
    count.topics++;
    count.newest += Number(isNewest && !isStale);
    count.updated += Number(older.length > 0);
    count.updatedNewest += Number(older.length > 0 && isNewest && !isStale);
    count.stale += Number(isStale);
    if (isStale) onShown(`${number}: stale beside: ${newest}`);
  }
}

async function claimsIn(text: string, mentor: string, startUs: number): Promise<readonly FactClaim[]> {
  const turns = text.split('\n').flatMap((line) => {
    const [, name = '', said = ''] = /^([\p{L}-]+): (.+)$/u.exec(line.trim()) ?? [];
    return said === ''
      ? []
      : [{ role: name === mentor ? ('user' as const) : ('assistant' as const), name, text: said }];
  });
  if (turns.length === 0) return [];
  const batch = {
    ...{ namespace: 'n', scope: { project: '', agentType: '', agent: '', session: '' }, conversation: 'c' },
    ...{ messages: conversationOf(turns, startUs), earlier: [], settings: new Map<string, string>() },
  };
  return (await rulesExtractor.extract(batch, new AbortController().signal)).claims;
}

/** What an instruction is about, without its variant. */
function topicOf(instruction: string): string {
  return instruction.replace(/'[a-z]{1,3}_'|'_[a-z]{1,3}'/, '').replace(/snake_case|CamelCase|all UPPERCASE/, '');
}

/** A claim says an instruction where it has its literals, and most of its words. */
function says({ attribute, value, text }: FactClaim, instruction: string): boolean {
  if (!attribute.startsWith('instruction_')) return false;
  const literals = [...instruction.matchAll(/'([^']+)'/g)]
    .map(([, literal = '']) => literal)
    .filter((one) => one !== 'pedantic');
  if (!literals.every((literal) => value.includes(`'${literal}'`))) return false;
  const [names] = /(?:function argument|function|method|variable|attribute|class) names/.exec(instruction) ?? [];
  if (names && !value.includes(names)) return false;
  const [style] = /snake_case|CamelCase|UPPERCASE/.exec(instruction) ?? [];
  if (style && !value.toLowerCase().replaceAll(/[_ ]/g, '').includes(style.toLowerCase().replaceAll(/[_ ]/g, '')))
    return false;
  const words = new Set(termsOf(instruction.replace(/from the 'pedantic' module|even if it is not used/, '')));
  const have = new Set(termsOf(`${text} ${value}`));
  return [...words].filter((word) => have.has(word)).length / Math.max(1, words.size) >= 0.6;
}
