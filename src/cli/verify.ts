import type { Command } from 'commander';
import type { DamagedSession } from '../storage/sqlite/damage/lost-rows.ts';
import { type DamagedMemory, isWhole, type Verification, verifyFolder } from '../storage/sqlite/damage/verify.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { CommandFailure } from './failure.ts';
import { examples } from './help.ts';
import { progressBar } from './progress-bar.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';

interface VerifyFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** What was read, and what to do about damage there. */
interface Verified {
  readonly found: Verification;
  readonly place: string;
  readonly remedy: string;
}

export function defineVerify(command: Command): void {
  command
    .description(
      'Read every page and every memory of a data folder, or, with MNEME_POSTGRES_URL, every record in PostgreSQL, and ' +
        'compare checksums; servers may use it meanwhile. Lists what is damaged. Ends with 1 when something is.',
    )
    .addOption(dataFlag('data folder to verify'))
    .addHelpText(
      'after',
      examples(
        'mneme verify',
        'mneme verify --data /var/lib/mneme --json',
        'MNEME_POSTGRES_URL=postgresql://mneme@db/mneme mneme verify',
      ),
    )
    .action(verify);
  addJsonFlag(command);
}

async function verify({ data, json }: VerifyFlags): Promise<void> {
  const config = configOf({ data });
  // A folder that is named is verified, wherever a server would have its records.
  const isOfPostgres = config.postgresUrl !== '' && data === undefined;
  const { found, place, remedy } = await failingClearly(() =>
    isOfPostgres ? verifiedPostgres(config) : verifiedFolder(config.data),
  );
  const ok = isWhole(found);
  if (json) await printJson({ ok, ...found });
  else for (const line of linesOf(found, place, remedy)) await print(line);
  if (!ok) process.exitCode = 1;
}

async function verifiedFolder(place: string): Promise<Verified> {
  const bar = progressBar('verifying');
  try {
    const found = verifyFolder(place, (done) => bar.update(done));
    return { found, place, remedy: 'stop the server and run "mneme repair"' };
  } finally {
    bar.stop();
  }
}

/** Loaded only on demand: with the driver. */
async function verifiedPostgres(config: ReturnType<typeof configOf>): Promise<Verified> {
  const { verifyPostgres } = await import('../server/assembly/verify-postgres.ts');
  const bar = progressBar('verifying');
  const read = verifyPostgres(config, (done, total) => bar.update(done, total));
  const { place, ...found } = await read.finally(() => bar.stop());
  return {
    found,
    place,
    remedy: 'delete these memories, and snapshots that show them, or restore PostgreSQL from a backup',
  };
}

/** Of a folder, or of tables, that cannot be used. */
const ONE_LINE: ReadonlySet<string> = new Set(['FolderError', 'MigrationError', 'SchemaError']);

/** A folder that cannot be used is a failure in one line. */
export async function failingClearly<A>(run: () => Promise<A>): Promise<A> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error && ONE_LINE.has(error.name)) throw new CommandFailure(error.message);
    throw error;
  }
}

function linesOf(found: Verification, place: string, remedy: string): string[] {
  const { tables, sessions, memories, soundCount } = found;
  if (isWhole(found)) return [`${place} is whole: ${counted(soundCount, 'memory', 'memories')}`];
  return [
    ...tables.map(({ name, problem }) => `damaged table  ${name}: ${problem}`),
    ...memories.map((memory) => `${memory.isErased ? 'lost snapshot' : 'lost memory  '}  ${nameOf(memory)}`),
    ...sessions.map((session) => `damaged session  ${problemOf(session)}`),
    `${place} is damaged; ${counted(soundCount, 'memory is', 'memories are')} sound: ${remedy}`,
  ];
}

export function problemOf({ namespace, session, problem }: DamagedSession): string {
  return `namespaces/${namespace}/sessions/${session}: ${problem}`;
}

export function nameOf({ namespace, id }: DamagedMemory): string {
  return id === '' ? `one of namespaces/${namespace} without a known id` : `namespaces/${namespace}/memories/${id}`;
}
