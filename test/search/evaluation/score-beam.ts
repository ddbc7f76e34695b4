import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mneme } from '../../../clients/typescript/src/index.ts';
import type { SetMemory } from '../../../tools/eval/question-set.ts';
import { partsOf, storeAll } from '../../../tools/eval/run-set.ts';
import { isInHalf, type Labelled, type LabelledOptions } from './support/labelled.ts';
import { shareOf } from './support/measure.ts';
import { untilRead } from './support/until-read.ts';

interface Turn {
  readonly id: number;
  readonly role: string;
  readonly content: string;
  /** Such as `March-15-2024`; absent: that of the turn before. */
  readonly time_anchor?: string | null;
}
interface Batch {
  readonly batch_number: number;
  readonly turns: readonly (readonly Turn[])[];
}
interface Update {
  readonly question: string;
  readonly source_chat_ids?: { readonly original_info: readonly number[]; readonly updated_info: readonly number[] };
}

interface Counts {
  pairs: number;
  newerFirst: number;
  /** The newer one is first where the first ten hits are put in the order of their times. */
  newerFirstByTime: number;
  found: number;
}

const HITS = 50;
const FIRST_HITS = 10;
const NEWER_GOAL = 0.85;
const FIRST_DAY = '2024-01-01T00:00:00';

/**
 * Updates of knowledge in a clone of mohammadtavakoli78/BEAM: the turn that updates a value must be ranked above the
 * turn with the original one.
 */
export const beam: Labelled = {
  name: 'BEAM',
  isAt: (folder) => existsSync(join(folder, 'chats', '100K', '1', 'probing_questions')),
  async measure(folder, options) {
    const count = { pairs: 0, newerFirst: 0, newerFirstByTime: 0, found: 0 };
    for (const size of options.isQuick ? ['100K'] : ['100K', '500K']) {
      const chats = join(folder, 'chats', size);
      const numbers = readdirSync(chats)
        .map(Number)
        .filter(Number.isInteger)
        .sort((a, b) => a - b);
      for (const number of numbers.filter((one) => isInHalf(one - 1, options.half))) {
        await scoreChat(join(chats, String(number)), `${size}-${number}`, count, options);
      }
    }
    const isMet = count.newerFirst >= NEWER_GOAL * count.pairs;
    return [
      { name: 'updated turn above the original', value: shareOf(count.newerFirst, count.pairs), goal: '≥ 85 %', isMet },
      { name: 'the same, first ten by time', value: shareOf(count.newerFirstByTime, count.pairs), goal: 'stated' },
      { name: 'updated turn among the first ten', value: shareOf(count.found, count.pairs), goal: 'stated' },
    ];
  },
};

async function scoreChat(folder: string, id: string, count: Counts, options: LabelledOptions): Promise<void> {
  const { mneme, runId, signal, onShown } = options;
  const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
  const memories = memoriesOf(read('chat.json') as readonly Batch[]);
  const { knowledge_update: updates } = read('probing_questions', 'probing_questions.json') as {
    readonly knowledge_update: readonly Update[];
  };
  const [part] = partsOf([{ conversation_id: id, memories, questions: [] }], {
    pooled: false,
    runId: `${runId}-${id.toLowerCase()}`,
  });
  if (!part) return;
  const originals = new Map<string, string>();
  await storeAll(mneme, part, originals, { signal, onStored: () => {}, onRefused: onShown });
  const target = mneme.withNamespace(part.namespace);
  for (const { question, source_chat_ids: sources } of updates) {
    const [older, newer] = [sources?.original_info, sources?.updated_info].map((ids) => new Set(ids?.map(String)));
    if (!older || !newer || older.size === 0 || newer.size === 0 || [...newer].some((one) => older.has(one))) continue;
    const { ranked, byTime } = await ranksOf(target, question, originals, signal);
    const isFirst = placeOf(ranked, newer) < placeOf(ranked, older);
    count.pairs++;
    count.newerFirst += Number(isFirst);
    count.newerFirstByTime += Number(placeOf(byTime, newer) < placeOf(byTime, older));
    count.found += Number(placeOf(ranked, newer) < FIRST_HITS);
    if (!isFirst) onShown(`${id}: ${question}: newer ${placeOf(ranked, newer)}, older ${placeOf(ranked, older)}`);
  }
  await mneme.namespaces.delete(part.namespace, { force: true });
}

async function ranksOf(target: Mneme, text: string, originals: ReadonlyMap<string, string>, signal: AbortSignal) {
  const { hits } = await untilRead(() =>
    target.recall({ text, limit: HITS, view: 'metadata', minRelevance: 0 }, { signal }),
  );
  const idOf = ({ memory }: (typeof hits)[number]) => originals.get(memory.name) ?? '';
  const byTime = hits
    .slice(0, FIRST_HITS)
    .sort((a, b) => b.memory.eventTime.getTime() - a.memory.eventTime.getTime())
    .map(idOf);
  return { ranked: hits.map(idOf), byTime };
}

/** From 0; infinite where none is there. */
function placeOf(ranked: readonly string[], ids: ReadonlySet<string>): number {
  const place = ranked.findIndex((id) => ids.has(id));
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

function memoriesOf(batches: readonly Batch[]): SetMemory[] {
  const memories = new Map<number, SetMemory>();
  let date = FIRST_DAY;
  for (const { batch_number: session, turns } of batches) {
    for (const { id, role, content, time_anchor: anchor } of turns.flat()) {
      const at = anchor ? Date.parse(`${anchor.trim().replaceAll('-', ' ')} UTC`) : Number.NaN;
      if (!Number.isNaN(at)) date = new Date(at).toISOString().slice(0, 19);
      const text = content.replace(/\s*->->.*$/, '').trim();
      if (memories.has(id) || text === '') continue;
      memories.set(id, { id: String(id), session: String(session), date_iso: date, speaker: role, text });
    }
  }
  return [...memories.values()];
}
