import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Mneme, MnemeError, type ReembedProgress } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, refuseNamespaceWithAll, withClient } from './client-flags.ts';
import { CommandFailure, UNAVAILABLE } from './failure.ts';
import { progressBar } from './progress-bar.ts';
import { print, printJson } from './terminal.ts';

interface ReembedFlags extends ClientFlags {
  readonly all?: boolean;
  /** False with `--no-wait`. */
  readonly wait: boolean;
}

const LOOK_EVERY_MS = 200;

export function defineReembed(command: Command): void {
  command
    .description(
      'Compute all vectors of the namespace again with the embedder of the server, and wait until they are in use. ' +
        'Recall uses the old ones meanwhile. Interrupting the command does not stop the server.',
    )
    .option('--all', 'all namespaces')
    .option('--no-wait', 'start it and do not wait')
    .addHelpText('after', EXAMPLES)
    .action(reembed);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme reembed
  $ mneme reembed --all --no-wait --json`;

async function reembed(flags: ReembedFlags, command: Command): Promise<void> {
  refuseNamespaceWithAll(flags, command);
  await withClient(flags, async (mneme) => {
    const namespace = flags.all ? undefined : mneme.namespace;
    const begun = await mneme.admin.reembed(namespace);
    if (flags.wait) await untilDone(mneme, begun, namespace);
    if (flags.json) await printJson({ namespaces: begun });
    else await print(summaryOf(begun, flags.wait));
  });
}

async function untilDone(mneme: Mneme, begun: readonly ReembedProgress[], namespace: string | undefined) {
  const bar = progressBar('embedding');
  const total = begun.reduce((sum, { totalCount }) => sum + totalCount, 0);
  try {
    let { namespaces, failure } = await mneme.admin.getReembedProgress(namespace);
    while (namespaces.length > 0) {
      if (failure !== '') throw new CommandFailure(`not done yet, the server goes on as soon as it can: ${failure}`);
      bar.update(total - namespaces.reduce((sum, one) => sum + one.totalCount - one.doneCount, 0), total);
      await sleep(LOOK_EVERY_MS);
      ({ namespaces, failure } = await mneme.admin.getReembedProgress(namespace));
    }
  } catch (error) {
    if (!isServerGone(error)) throw error;
    const message =
      'the server went away; finished embeddings are kept, and re-embedding resumes when the server starts';
    throw new CommandFailure(message, { cause: error, exitCode: UNAVAILABLE });
  } finally {
    bar.stop();
  }
}

function isServerGone(error: unknown): boolean {
  if (!(error instanceof MnemeError) || error.code !== 'UNAVAILABLE') return false;
  return error.reason === undefined || error.reason === 'DRAINING';
}

function summaryOf(begun: readonly ReembedProgress[], isDone: boolean): string {
  if (begun.length === 0) return 'nothing to re-embed: every text has a vector of the embedder';
  return begun
    .map(({ namespace, fromModel, toModel, totalCount }) => {
      const from = fromModel === '' ? '' : ` (before: ${fromModel})`;
      return `${namespace}: ${totalCount} memories ${isDone ? 'are' : 'are being'} embedded with ${toModel}${from}`;
    })
    .join('\n');
}
