/**
 * Writes OUT.bin (float32, row by row) and OUT.json (names; for each question its set, conversation, category, number
 * of evidence, row count and the rows that are evidence): `node tools/extract-features.ts OUT NAME=SET.json[+pooled] ...`.
 * Nothing of any text is written.
 */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { readTokenTable } from '../src/embedding/static/token-table.ts';
import { WordPiece } from '../src/embedding/static/word-piece.ts';
import { FEATURES } from '../src/recall/ranking/features.ts';
import { SignalGatherer } from '../src/recall/ranking/gather.ts';
import { LabNamespace, pooledOf, readSet } from './lab-namespace.ts';

const [out = 'data/features', ...sets] = process.argv.slice(2);
const table = await readTokenTable();
const tokenizer = new WordPiece(table);
const gatherer = new SignalGatherer(table, tokenizer);
const file = openSync(`${out}.bin`, 'w');
const questions: object[] = [];

for (const given of sets) {
  const [name = '', rest = ''] = given.split('=');
  const [path = '', form] = rest.split('+');
  const set = readSet(path);
  const home = new Map(set.flatMap((c) => c.questions.map((q) => [q.id, c.conversation_id] as const)));
  let [held, all] = [0, 0];
  const started = performance.now();
  for (const conversation of form === 'pooled' ? [pooledOf(set, name)] : set) {
    const namespace = new LabNamespace(conversation, table, tokenizer);
    const ids = conversation.memories.map(({ id }) => id);
    for (const question of conversation.questions) {
      const { sequences, signals } = gatherer.gather(
        namespace.ask(question.text),
        namespace.memories,
        namespace.columns,
      );
      const rows = new Float32Array(sequences.length * FEATURES.length);
      signals.forEach((one, row) => {
        FEATURES.forEach((feature, at) => {
          rows[row * FEATURES.length + at] = feature.of(one);
        });
      });
      writeSync(file, new Uint8Array(rows.buffer));
      const evidence = new Set(question.evidence);
      const relevant = sequences.flatMap((sequence, row) => (evidence.has(ids[sequence] ?? '') ? [row] : []));
      const { id, category } = question;
      const place = { set: name, id, conversation: home.get(id), category, evidence: evidence.size };
      questions.push({ ...place, rows: sequences.length, relevant, sequences });
      held += relevant.length / evidence.size;
      all++;
    }
  }
  console.error(
    `${name}: ${all} questions, ceiling ${((100 * held) / all).toFixed(1)}, ${(performance.now() - started).toFixed(0)} ms`,
  );
}
closeSync(file);
writeFileSync(`${out}.json`, JSON.stringify({ names: FEATURES.map(({ name }) => name), questions }));
