import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Memory, type Mneme, MnemeError } from '../../clients/typescript/src/index.ts';
import { faultOf } from './case-fault.ts';
import { entriesIn, type GoldenCase } from './cases.ts';
import { limitOf, namesIn, queryOf } from './query-of-case.ts';
import { checksumOf, memoryOf } from './stored-entry.ts';

const LOOK_EVERY_MS = 50;
const EMBEDDING_PATIENCE_MS = 60_000;

export interface Outcome {
  readonly id: string;
  /** Absent when the case passed. */
  readonly failure?: { readonly expected: string; readonly got: string };
}

/**
 * Stores the files that the cases name, each in a namespace of its own, runs the cases, and takes all of it away again.
 * A case that says what is not understood here fails, as one whose agent has no memories does: either could pass otherwise.
 */
export async function* runCases(
  mneme: Mneme,
  cases: readonly GoldenCase[],
  folder: string,
  prefix: string,
): AsyncGenerator<Outcome, void, undefined> {
  const strategies = new Set((await mneme.listRecallPresets()).map(({ name }) => name));
  const files = [...new Set(cases.map((golden) => golden.memory_file))].filter((file) =>
    existsSync(join(folder, file)),
  );
  const namespaces = new Map(files.map((file, at) => [file, mneme.withNamespace(`${prefix}-${at}`)]));
  const agents = new Map<string, ReadonlySet<string>>();
  try {
    for (const [file, namespace] of namespaces) agents.set(file, await storeFile(namespace, join(folder, file)));
    for (const golden of cases) {
      const namespace = namespaces.get(golden.memory_file);
      const isStored = agents.get(golden.memory_file)?.has(golden.agent_id) === true;
      const missing = isStored ? undefined : `${folder} has no ${golden.memory_file} with agent ${golden.agent_id}`;
      const fault = faultOf(golden, strategies) ?? missing;
      if (fault !== undefined || !namespace) {
        yield { id: golden.id, failure: { expected: 'a case that can be run as it is meant', got: `${fault}` } };
      } else yield await runCase(namespace, golden);
    }
  } finally {
    for (const { namespace } of namespaces.values()) {
      await mneme.namespaces.delete(namespace, { force: true }).catch((error: unknown) => {
        if (!(error instanceof MnemeError) || error.code !== 'NOT_FOUND') throw error;
      });
    }
  }
}

/** Returns the agents that have memories there. */
async function storeFile(mneme: Mneme, path: string): Promise<ReadonlySet<string>> {
  const entries = entriesIn(path);
  await mneme.importMemories([...entries.values()].flat().map(memoryOf), { conflictPolicy: 'fail' });
  const giveUpAtMs = Date.now() + EMBEDDING_PATIENCE_MS;
  while ((await mneme.admin.getServerStatistics()).embeddingPendingCount > 0) {
    if (Date.now() > giveUpAtMs)
      throw new Error(`the vectors of ${path} are not there after ${EMBEDDING_PATIENCE_MS} ms`);
    await delay(LOOK_EVERY_MS);
  }
  return new Set([...entries].flatMap(([agent, memories]) => (memories.length > 0 ? [agent] : [])));
}

async function runCase(mneme: Mneme, golden: GoldenCase): Promise<Outcome> {
  const { id, expected } = golden;
  const { error: wantsError, checksums, memory_ids = [] } = expected;
  const wanted = wantsError ? 'an error of INVALID_ARGUMENT or NOT_FOUND' : setText(checksums ?? memory_ids);
  try {
    const { hits } = await mneme.recall(queryOf(golden));
    const memories = hits.slice(0, limitOf(golden)).map(({ memory }) => memory);
    const got = setText(memories.map((memory) => (checksums ? checksumOf(memory) : memory.id)));
    if (got === wanted) return { id };
    return { id, failure: { expected: wanted, got: `${got}${idsText(memories)}` } };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isRefusal(error, golden) && (wantsError || expected.error_also_accepted)) return { id };
    const code = error instanceof MnemeError ? `${error.code}: ` : '';
    return { id, failure: { expected: wanted, got: `${code}${error.message}` } };
  }
}

/** Whether what the case asks for was refused, rather than a name of the case that the preset does not have. */
function isRefusal(error: Error, golden: GoldenCase): boolean {
  if (!(error instanceof MnemeError) || !['INVALID_ARGUMENT', 'NOT_FOUND'].includes(error.code)) return false;
  const names = namesIn(golden);
  return !error.violations.some(
    ({ field, description }) =>
      description.startsWith('is not a parameter') && names.has(field.replace('preset.parameters.', '')),
  );
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
