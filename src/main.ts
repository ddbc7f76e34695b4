import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';

/** Says what a command takes and does. */
type Define = (command: Command) => void;

/** Only the file of the command that was asked for is loaded, so that each starts as fast as it can. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<Define>]>> = {
  serve: ['serve memories over gRPC', async () => (await import('./cli/serve.ts')).defineServe],
  store: ['store one memory', async () => (await import('./cli/store.ts')).defineStore],
  recall: ['find the memories that matter for a text', async () => (await import('./cli/recall.ts')).defineRecall],
  presets: ['list the forms of recall', async () => (await import('./cli/presets.ts')).definePresets],
  get: ['show memories by id', async () => (await import('./cli/get.ts')).defineGet],
  list: ['list memories', async () => (await import('./cli/list.ts')).defineList],
  history: ['follow a value over the steps', async () => (await import('./cli/history.ts')).defineHistory],
  snapshots: ['show the state at steps', async () => (await import('./cli/snapshots.ts')).defineSnapshots],
  sequence: ['show what happened around a memory', async () => (await import('./cli/sequence.ts')).defineSequence],
  subscriptions: [
    'change feeds that remember how far they were read',
    async () => (await import('./cli/subscriptions.ts')).defineSubscriptions,
  ],
  watch: ['follow every change', async () => (await import('./cli/watch.ts')).defineWatch],
  subscribe: ['follow what matters for a text', async () => (await import('./cli/subscribe.ts')).defineSubscribe],
  forget: ['erase memories', async () => (await import('./cli/forget.ts')).defineForget],
  session: ['work with the working memory of a session', async () => (await import('./cli/session.ts')).defineSession],
  agent: ['spawn, pause, resume and terminate sessions', async () => (await import('./cli/agent.ts')).defineAgent],
  stats: ['tell what a server is and holds', async () => (await import('./cli/stats.ts')).defineStats],
  namespaces: ['list, make and delete namespaces', async () => (await import('./cli/namespaces.ts')).defineNamespaces],
  import: ['store memories from a file of JSON lines', async () => (await import('./cli/import.ts')).defineImport],
  ingest: ['store memories as they come', async () => (await import('./cli/ingest.ts')).defineIngest],
  export: ['write memories as JSON lines', async () => (await import('./cli/export.ts')).defineExport],
  maintain: [
    'move memories down that leave their tier',
    async () => (await import('./cli/maintain.ts')).defineMaintain,
  ],
  demote: ['move memories down', async () => (await import('./cli/move.ts')).defineDemote],
  promote: ['move memories up', async () => (await import('./cli/move.ts')).definePromote],
  'clear-tier': ['erase the memories of a tier', async () => (await import('./cli/clear-tier.ts')).defineClearTier],
  config: ['show and change settings of a running server', async () => (await import('./cli/config.ts')).defineConfig],
  cache: ['show or clear the answers that are kept', async () => (await import('./cli/cache.ts')).defineCache],
  reembed: ['make vectors anew with another embedder', async () => (await import('./cli/reembed.ts')).defineReembed],
  eval: ['measure recall on a set of questions', async () => (await import('./cli/eval.ts')).defineEval],
};

const USAGE = 2;

async function main(args: readonly string[]): Promise<void> {
  const program = new Command('mneme')
    .description('A memory server for AI agents, and the commands to use it.')
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  const asked = args.find((arg) => Object.hasOwn(COMMANDS, arg));
  for (const [name, [summary, load]] of Object.entries(COMMANDS)) {
    const command = program.command(name).summary(summary).description(summary);
    if (name === asked) (await load())(command);
  }
  await program.parseAsync(args, { from: 'user' });
}

const EXAMPLES = `
Examples:
  $ mneme serve
  $ mneme store "Caroline plays the cello" --speaker Caroline
  $ mneme recall "who makes music?"

"mneme help <command>" tells more of a command.`;

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}

/** What commander has not printed itself is told in one line by `failure.ts`, which knows the errors of the client. */
async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const { reportFailure } = await import('./cli/failure.ts');
  return reportFailure(error, { json: process.argv.includes('--json') });
}

/** When the reader of a pipe has seen enough, as in `mneme list | head`, the command is done. Serving goes on: serve.ts. */
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = await exitCodeOf(error);
}
