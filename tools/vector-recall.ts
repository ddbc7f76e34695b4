/**
 * Recall with vectors of lower resolution in the lower tiers: `node tools/vector-recall.ts SET.json`, where SET is a set of
 * questions as `mneme eval` reads it. Vectors of 256 values are those of the static table, given by an endpoint that this
 * script serves; the order is that of the fused lanes, in which vectors count. Prints the table of docs/tiers.md.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { StaticEmbedder } from '../src/embedding/static/static-embedder.ts';

const FORMS: readonly (readonly [name: string, form: string, dimension: number])[] = [
  ['f32, 256 values', 'f32', 0],
  ['bf16', 'bf16', 0],
  ['i8', 'i8', 0],
  ['i8, 192 values', 'i8', 192],
  ['i8, 128 values', 'i8', 128],
  ['i8, 64 values', 'i8', 64],
  ['i8, 32 values', 'i8', 32],
];
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('which set? node tools/vector-recall.ts SET.json');

const embedder = new StaticEmbedder();
const endpoint = createServer((request, response) => {
  answerOf(request).then(
    (body) => response.setHeader('content-type', 'application/json').end(body),
    (error: unknown) => response.writeHead(400).end(String(error)),
  );
}).listen(0, '127.0.0.1');
await once(endpoint, 'listening');
try {
  console.log('| vectors of the lower tiers | recall@10 | nDCG@10 |\n|---|--:|--:|');
  for (const [name, form, dimension] of FORMS) {
    const scores = await scoresWith(form, dimension);
    const percent = (measure: string) => (scores[measure] ?? Number.NaN).toFixed(2);
    console.log(`| ${name} | ${percent('recall@10')} | ${percent('ndcg@10')} |`);
  }
} finally {
  endpoint.close();
}

async function answerOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
  const vectors = await embedder.embed(input, AbortSignal.timeout(60_000));
  const data = vectors.map((values, index) => ({ index, embedding: [...(values ?? new Float32Array(256))] }));
  return JSON.stringify({ data });
}

async function scoresWith(form: string, dimension: number): Promise<Readonly<Record<string, number>>> {
  const tiers = ['intermediate', 'long_term'];
  const settings = tiers.flatMap((tier) => [`${tier}.vector=${form}`, `${tier}.vector_dimension=${dimension}`]);
  const flags = settings.flatMap((setting) => ['--set', setting]);
  const { port } = endpoint.address() as AddressInfo;
  const env = {
    ...process.env,
    MNEME_RANKER: 'fusion',
    MNEME_EMBEDDER: 'http',
    MNEME_EMBEDDER_MODEL: 'static-256',
    MNEME_EMBEDDER_URL: `http://127.0.0.1:${port}/v1`,
  };
  const args = ['eval', file ?? '', '--small-tiers', '--json', ...flags];
  const { stdout } = await promisify(execFile)('bin/mneme', args, { env, maxBuffer: 1 << 26 });
  const { scores } = JSON.parse(stdout) as { scores: { all: Readonly<Record<string, number>> } };
  return scores.all;
}
