/**
 * Bytes of a memory at the resolutions of docs/tiers.md: `node tools/tier-bytes.ts SET.json`, where SET is a set of
 * questions as `tools/eval.sh` reads it. Each memory is taken as it is (its text) and with its message as JSON content; vectors
 * are those of the static embedder. Prints means over the memories; nothing of any text.
 */

import { type Body, lowerBody } from '../src/memory/resolution/lower-body.ts';
import { lowerVector } from '../src/memory/resolution/lower-vector.ts';
import type { VectorForm } from '../src/memory/resolution/resolution.ts';
import { StaticEmbedder } from '../src/search/embedding/static/static-embedder.ts';
import { readQuestionSet } from './eval/question-set.ts';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('which set? node tools/tier-bytes.ts SET.json');
const memories = (await readQuestionSet(file)).conversations.flatMap((part) => part.memories);
const vectors = await new StaticEmbedder().embed(
  memories.map(({ text }) => text),
  AbortSignal.timeout(600_000),
);

const asText: Body[] = memories.map(({ text }) => ({ text }));
const asMessage: Body[] = memories.map(({ text, speaker, date_iso, id }) => {
  const message = { role: 'user', name: speaker, content: text, timestamp: date_iso, metadata: { id, source: 'chat' } };
  return { text, content: { mediaType: 'application/json', data: Buffer.from(JSON.stringify(message)) } };
});

console.log(
  `${memories.length} memories\n\n| kept | text only: at hand | in all | with a message: at hand | in all |\n|---|--:|--:|--:|--:|`,
);
for (const compressionLevel of [0, 1, 3, 9, 19]) row(`whole text, level ${compressionLevel}`, 0, compressionLevel);
for (const abstractBytesMax of [8192, 4096, 1024, 512, 256, 128])
  row(`abstract of ${abstractBytesMax} bytes, level 3`, abstractBytesMax, 3);

console.log('\n| vectors | scanned | in all |\n|---|--:|--:|');
const dimension = vectors.find((values) => values !== undefined)?.length ?? 0;
console.log(`| f32 | ${dimension * 4} | ${dimension * 4} |`);
for (const vector of ['bf16', 'i8'] as const) vectorRow(vector, 0);
for (const part of [3 / 4, 1 / 2, 1 / 4, 1 / 8]) vectorRow('i8', part * dimension);

function row(name: string, abstractBytesMax: number, compressionLevel: number): void {
  const cells = [asText, asMessage].flatMap((bodies) => {
    const lowered = bodies.map((body) => lowerBody(body, { abstractBytesMax, compressionLevel }));
    const scanned = mean(lowered.map(({ text }) => Buffer.byteLength(text)));
    const beside = mean(
      lowered.map(({ content, packed }) => (content?.data.byteLength ?? 0) + (packed?.byteLength ?? 0)),
    );
    return [scanned, scanned + beside];
  });
  console.log(`| ${name} | ${cells.map((bytes) => bytes.toFixed(0)).join(' | ')} |`);
}

function vectorRow(vector: VectorForm, vectorDimension: number): void {
  const lowered = vectors.flatMap((values) => (values && lowerVector(values, { vector, vectorDimension })) ?? []);
  const small = mean(lowered.map((each) => each.small.byteLength));
  const all = small + mean(lowered.map(({ rest }) => rest.byteLength));
  const of = vectorDimension > 0 ? `, ${vectorDimension} of ${dimension} values` : '';
  console.log(`| ${vector}${of} | ${small.toFixed(0)} | ${all.toFixed(0)} |`);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
