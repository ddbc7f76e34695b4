import type { Command } from 'commander';
import { type DamagedMemory, type Verification, verifyFolder } from '../assembly/data-folder.ts';
import { addJsonFlag, dataFlag } from './client-flags.ts';
import { CommandFailure } from './failure.ts';
import { examples } from './help.ts';
import { configOf } from './serve.ts';
import { counted, print, printJson } from './terminal.ts';

interface VerifyFlags {
  readonly data?: string;
  readonly json?: boolean;
}

export function defineVerify(command: Command): void {
  command
    .description(
      'Read every page and every memory of a data folder and compare checksums; a server may use the folder ' +
        'meanwhile. Lists damaged tables and lost memories. Ends with 1 when something is damaged.',
    )
    .addOption(dataFlag('data folder to verify'))
    .addHelpText('after', examples('mneme verify', 'mneme verify --data /var/lib/mneme --json'))
    .action(verify);
  addJsonFlag(command);
}

async function verify({ data, json }: VerifyFlags): Promise<void> {
  const folder = configOf({ data }).data;
  const found = await failingClearly(async () => verifyFolder(folder));
  const isWhole = found.tables.length + found.memories.length === 0;
  if (json) await printJson({ ok: isWhole, ...found });
  else for (const line of linesOf(found, folder)) await print(line);
  if (!isWhole) process.exitCode = 1;
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

function linesOf({ tables, memories, soundCount }: Verification, folder: string): string[] {
  if (tables.length + memories.length === 0)
    return [`${folder} is whole: ${counted(soundCount, 'memory', 'memories')}`];
  return [
    ...tables.map(({ name, problem }) => `damaged table  ${name}: ${problem}`),
    ...memories.map((memory) => `lost memory    ${nameOf(memory)}`),
    `${folder} is damaged; ${counted(soundCount, 'memory is', 'memories are')} sound: stop the server and run "mneme repair"`,
  ];
}

export function nameOf({ namespace, id }: DamagedMemory): string {
  return id === '' ? `one of namespaces/${namespace} without a known id` : `namespaces/${namespace}/memories/${id}`;
}
