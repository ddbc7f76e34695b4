import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Memory, type Mneme, MnemeError } from '../../clients/typescript/src/index.ts';
import { entriesIn, type GoldenCase } from './cases.ts';
import { queryOf } from './query-of-case.ts';
import { checksumOf, memoryOf } from './stored-entry.ts';

const LOOK_EVERY_MS = 50;
const EMBEDDING_PATIENCE_MS = 60_000;

export interface Outcome {
  readonly id: string;
  /** Absent when the case passed. */
  readonly failure?: { readonly expected: string; readonly got: string };
}

/** Stores the files that the cases name, each in a namespace of its own, runs the cases, and takes all of it away again. */
export async function* runCases(
  mneme: Mneme,
  cases: readonly GoldenCase[],
  folder: string,
  prefix: string,
): AsyncGenerator<Outcome, void, undefined> {
  const files = [...new Set(cases.map((golden) => golden.memory_file))];
  const namespaces = new Map(files.map((file, at) => [file, mneme.in(`${prefix}-${at}`)]));
  try {
    for (const [file, namespace] of namespaces) await storeFile(namespace, join(folder, file));
    for (const golden of cases) {
      const namespace = namespaces.get(golden.memory_file);
      if (namespace) yield await runCase(namespace, golden);
    }
  } finally {
    for (const { namespace } of namespaces.values()) {
      await mneme.namespaces.delete(namespace, { force: true }).catch((error: unknown) => {
        if (!(error instanceof MnemeError) || error.code !== 'NOT_FOUND') throw error;
      });
    }
  }
}

async function storeFile(mneme: Mneme, path: string): Promise<void> {
  await mneme.import(entriesIn(path).map(memoryOf), { conflict: 'fail' });
  const giveUpAtMs = Date.now() + EMBEDDING_PATIENCE_MS;
  while ((await mneme.admin.statistics()).embeddingPendingCount > 0) {
    if (Date.now() > giveUpAtMs)
      throw new Error(`the vectors of ${path} are not there after ${EMBEDDING_PATIENCE_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
}

async function runCase(mneme: Mneme, golden: GoldenCase): Promise<Outcome> {
  const { id, expected } = golden;
  const wanted = expected.error ? 'an error of INVALID_ARGUMENT or NOT_FOUND' : setText(expected.checksums ?? []);
  try {
    const { hits } = await mneme.recall(queryOf(golden));
    const got = setText(hits.map(({ memory }) => checksumOf(memory)));
    if (got === wanted) return { id };
    return { id, failure: { expected: wanted, got: `${got}${idsText(hits.map(({ memory }) => memory))}` } };
  } catch (error) {
    if (!(error instanceof MnemeError)) throw error;
    const isRefused = error.code === 'INVALID_ARGUMENT' || error.code === 'NOT_FOUND';
    if (isRefused && (expected.error || expected.error_also_accepted)) return { id };
    return { id, failure: { expected: wanted, got: `${error.code}: ${error.message}` } };
  }
}

/** A set in one order, so that equal sets are equal texts. */
function setText(checksums: readonly string[]): string {
  return `${checksums.length} memories${[...new Set(checksums)]
    .sort()
    .map((checksum) => `\n      ${checksum}`)
    .join('')}`;
}

function idsText(memories: readonly Memory[]): string {
  return memories.map((memory) => `\n      (${memory.id})`).join('');
}
