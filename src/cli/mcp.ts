import { setTimeout } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Mneme } from '../../clients/typescript/src/index.ts';
import type { McpDeps } from '../mcp/tool.ts';
import type { MnemeServer } from '../server.ts';
import { packageVersion } from '../version.ts';
import { addClientFlags, type ClientFlags, clientOf, connectionOf } from './client-flags.ts';
import { explained } from './connection-failure.ts';
import { CommandFailure, messageOf, usage } from './failure.ts';
import { probeAddress } from './probe-address.ts';
import { configOf } from './serve.ts';

interface McpFlags extends ClientFlags {
  readonly data?: string;
}

/** Port 0: a free one. */
const EMBEDDED_LISTEN = '127.0.0.1:0';
const ATTEMPTS_MAX = 10;
const ATTEMPT_GAP_MS = 500;
const SHARING = 'run "mneme serve" with that folder and name it with --server';

export function defineMcp(command: Command): void {
  command
    .description(
      'Give the memories of a server to an MCP host, such as Claude Desktop, on standard input and output. Where no server is ' +
        'named and none answers at the default address, one is started inside this process. Logs go to standard error.',
    )
    .addOption(new Option('--data <path>', 'start a server inside with this data folder (MNEME_DATA, or ./data)'))
    .addHelpText('after', EXAMPLES)
    .action(mcp);
  addClientFlags(command);
}

const EXAMPLES = `
Examples:
  $ mneme mcp --data ~/.mneme
  $ mneme mcp --server memory.example.com:50051 --tls --namespace ada

docs/guides/mcp.md has the configuration for common hosts.`;

async function mcp(flags: McpFlags, command: Command): Promise<void> {
  const isServerNamed = command.getOptionValueSource('server') !== 'default';
  if (isServerNamed && flags.data !== undefined) throw usage('--data and --server exclude each other');
  const told = Promise.withResolvers<void>();
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, () => told.resolve());
  const embedded = isServerNamed ? undefined : await embeddedUnlessServed(flags);
  const reached = embedded ? { ...flags, server: embedded.address } : flags;
  // Hosts keep it running while servers are restarted.
  const mneme = clientOf(reached, { waitForReady: true });
  try {
    await serve(depsOf(mneme, reached), told.promise);
  } finally {
    mneme.close();
    await embedded?.stop();
  }
}

async function serve(deps: McpDeps, told: Promise<void>): Promise<void> {
  const { serveOverStdio } = await import('../mcp/serve-stdio.ts');
  const connection = serveOverStdio(deps);
  await Promise.race([connection.closed, told]);
  await connection.close();
}

function depsOf(mneme: Mneme, flags: ClientFlags): McpDeps {
  return {
    mneme,
    version: packageVersion(),
    explain: (error) => explained(error, connectionOf(flags)),
    onError: (error) => void process.stderr.write(`mneme: ${messageOf(error)}\n`),
  };
}

/** A server inside this process, unless one answers at the default address; always where a data folder is named. */
async function embeddedUnlessServed(flags: McpFlags): Promise<MnemeServer | undefined> {
  const { data } = flags;
  const { address, isEncrypted } = connectionOf(flags);
  if (data === undefined) {
    const answer = await probeAddress(address);
    if (answer === 'grpc' || (answer === 'tls' && isEncrypted)) return undefined;
  }
  const server = await startedWhenFree({ listen: EMBEDDED_LISTEN, ...(data !== undefined && { data }) });
  process.stderr.write(`mneme: serving at ${server.address} while this process runs\n`);
  return server;
}

/** A host that starts its servers anew may start this one before the former has ended: it waits for the data folder. */
async function startedWhenFree(flags: Readonly<Record<string, string>>): Promise<MnemeServer> {
  const { createServer } = await import('../server.ts');
  for (let attempt = 1; ; attempt++) {
    const server = createServer(configOf(flags));
    try {
      await server.start();
      return server;
    } catch (error) {
      const why = messageOf(error);
      const isHeld = why.includes('is in use by another mneme');
      if (isHeld && attempt < ATTEMPTS_MAX) await setTimeout(ATTEMPT_GAP_MS);
      else throw new CommandFailure(isHeld ? `${why}; to share it, ${SHARING}` : why, { cause: error });
    }
  }
}
