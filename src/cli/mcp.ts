import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Mneme } from '../../clients/typescript/src/index.ts';
import { packageVersion } from '../server/config/version.ts';
import type { MnemeServer } from '../server/server.ts';
import { addClientFlags, type ClientFlags, clientOf, connectionOf, dataFlag } from './client-flags.ts';
import { CommandFailure, explained, messageOf, probeAddress, usage } from './failure.ts';
import type { McpDeps } from './mcp/tool.ts';
import { configOf } from './serve.ts';

interface McpFlags extends ClientFlags {
  readonly data?: string;
  readonly allNamespaces?: boolean;
}

/** Port 0: a free one. */
const EMBEDDED_LISTEN = '127.0.0.1:0';
const ATTEMPTS_MAX = 10;
const ATTEMPT_GAP_MS = 500;
const SHARING = 'run "mneme serve" with that folder and name it with --server';

export function defineMcp(command: Command): void {
  command
    .description(
      'Give the memories of a server to an MCP host, such as Claude Desktop, on standard input and output. Where no server is named and ' +
        'none answers at the default address, one is started inside this process. Logs go to standard error. Every server has MCP over ' +
        'HTTP itself, at /mcp and /mcp/NAMESPACE of its address.',
    )
    .option('--all-namespaces', 'serve the resources of every namespace, instead of those of --namespace')
    .addOption(dataFlag('start a server inside with this data folder'))
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
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => stopped.resolve());
  const embedded = isServerNamed ? undefined : await embeddedUnlessServed(flags);
  const reached = embedded ? { ...flags, server: embedded.address } : flags;
  // Hosts keep it running while servers are restarted.
  const mneme = clientOf(reached, { waitForReady: true });
  const deps = await depsOf(mneme, reached);
  try {
    await serveStdio(deps, stopped.promise);
  } finally {
    deps.watches.close();
    void mneme.close();
    await embedded?.stop();
  }
}

async function serveStdio(deps: McpDeps, stopped: Promise<void>): Promise<void> {
  const { serveOverStdio } = await import('./mcp/serve-stdio.ts');
  const connection = serveOverStdio(deps);
  await Promise.race([connection.closed, stopped]);
  await connection.close();
}

async function depsOf(mneme: Mneme, flags: McpFlags): Promise<McpDeps> {
  const { RecallWatches } = await import('./mcp/recall-watches.ts');
  const onError = (error: unknown) => void process.stderr.write(`mneme: ${messageOf(error)}\n`);
  const served = { mneme, allNamespaces: flags.allNamespaces === true };
  return {
    ...served,
    version: packageVersion(),
    explain: (error) => explained(error, connectionOf(flags)),
    onError,
    watches: new RecallWatches(served, onError),
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

/** A host that restarts its servers may start this one before the former has ended: wait for the data folder. */
async function startedWhenFree(flags: Readonly<Record<string, string>>): Promise<MnemeServer> {
  const { createServer } = await import('../server/server.ts');
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
