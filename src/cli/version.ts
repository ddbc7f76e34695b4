import type { Command } from 'commander';
import { MnemeError } from '../../clients/typescript/src/index.ts';
import { packageVersion } from '../server/config/version.ts';
import {
  addConnectionFlags,
  addJsonFlag,
  addServerFlag,
  type ClientFlags,
  connectionOf,
  withClient,
} from './client-flags.ts';
import { CommandFailure, messageOf } from './failure.ts';
import { examples } from './help.ts';
import { print, printJson, rows } from './terminal.ts';

export function defineVersion(command: Command): void {
  command
    .description('Print the version of this program, and of the server where one answers.')
    .addHelpText('after', examples('mneme version', 'mneme version --server 10.0.0.7:50051 --json'))
    .action(version);
  addConnectionFlags(addServerFlag(addJsonFlag(command)));
}

async function version(flags: ClientFlags): Promise<void> {
  const { address } = connectionOf(flags);
  const server = await serverVersion(flags);
  const client = packageVersion();
  if (flags.json) return printJson({ client, server: { address, ...server } });
  const shown = 'version' in server ? `${server.version} at ${address}` : `none: ${server.failure}`;
  return print(
    rows([
      ['client', client],
      ['server', shown],
    ]).join('\n'),
  );
}

/** A server that does not answer is no failure of this command. */
async function serverVersion(flags: ClientFlags): Promise<{ version: string } | { failure: string }> {
  try {
    return await withClient(flags, async (mneme) => ({ version: (await mneme.admin.getServerInfo()).version }));
  } catch (error) {
    if (error instanceof CommandFailure || error instanceof MnemeError) return { failure: messageOf(error) };
    throw error;
  }
}
