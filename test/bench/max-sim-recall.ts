/**
 * Recall of MaxSim alone: `node test/bench/max-sim-recall.ts SET.json > run.jsonl`, scored with the set's score.py
 * --by-conversation. As in reference/retrieval.md: only the memory's text counts, stop words and the speakers' names
 * are dropped from the question, idf comes from the conversation's own memories, and ties keep the memories' order.
 */
import { readFileSync } from 'node:fs';
import { inverseFrequency, MaxSim } from '../../src/search/embedding/static/max-sim.ts';
import { readTokenTable } from '../../src/search/embedding/static/token-table.ts';
import { WordPiece } from '../../src/search/embedding/static/word-piece.ts';

interface Conversation {
  readonly memories: { readonly id: string; readonly speaker: string; readonly text: string }[];
  readonly questions: { readonly id: string; readonly text: string }[];
}

// Names are dropped only with few speakers; with many they distinguish memories.
const MOST_SPEAKERS = 25;
const ROLES = new Set(['user', 'assistant', 'system', 'agent', 'human', 'ai']);
const STOP = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between
  both but by can could couldn d did didn do does doesn doing don down during each few for from further had hadn
  has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just
  ll m ma me might mightn more most must mustn my myself needn no nor not now o of off on once only or other our
  ours ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them
  themselves then there these they this those through to too under until up ve very was wasn we were weren what
  when where which while who whom why will with won would wouldn y you your yours yourself yourselves`.split(/\s+/),
);

function words(text: string): string[] {
  const plain = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

const table = await readTokenTable();
const tokenizer = new WordPiece(table);
const maxSim = new MaxSim(table, tokenizer.unknown);
const conversations: Conversation[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

for (const { memories, questions } of conversations) {
  const tokens = memories.map(({ text }) => tokenizer.encode(text));
  const holders = new Map<number, number>();
  for (const ids of tokens) for (const id of new Set(ids)) holders.set(id, (holders.get(id) ?? 0) + 1);
  const speakers = [...new Set(memories.map(({ speaker }) => speaker))];
  const people = new Set(
    speakers.length > MOST_SPEAKERS ? [] : speakers.flatMap(words).filter((word) => !ROLES.has(word)),
  );
  for (const question of questions) {
    const content = words(question.text).filter((word) => !STOP.has(word) && !people.has(word));
    const asked = tokenizer.encode(content.join(' '));
    const weights = Array.from(asked, (id) => inverseFrequency(holders.get(id) ?? 0, memories.length));
    const scores = maxSim.scores({ tokens: asked, weights }, tokens);
    const order = memories.map((_, at) => at).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    const ranked = order.slice(0, 50).map((at) => memories[at]?.id);
    console.log(JSON.stringify({ question_id: question.id, ranked }));
  }
}
