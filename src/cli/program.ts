import { Command } from 'commander';
import { packageVersion } from '../server/config/version.ts';
import { refuseEmptyValues } from './empty-values.ts';
import { examples, styleHelp } from './help.ts';

/** Defines the arguments and the action of a command. */
type Define = (command: Command) => void;

/** Only the file of the command that was asked for is loaded, so that each starts as fast as it can. */
type Entry = readonly [summary: string, load: () => Promise<Define>];

/** Commands by goal, in the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  'Start:': {
    serve: ['Run the server', async () => (await import('./serve.ts')).defineServe],
    doctor: [
      'Check what a server needs and whether one answers',
      async () => (await import('./doctor.ts')).defineDoctor,
    ],
    health: ['Ask a server whether it serves', async () => (await import('./health.ts')).defineHealth],
    mcp: ['Give an MCP host, such as Claude Desktop, a memory', async () => (await import('./mcp.ts')).defineMcp],
    version: ['Print the versions of client and server', async () => (await import('./version.ts')).defineVersion],
  },
  'Store and read memories:': {
    store: ['Store one memory', async () => (await import('./store.ts')).defineStore],
    get: ['Show memories by id', async () => (await import('./get.ts')).defineGet],
    list: ['List memories', async () => (await import('./list.ts')).defineList],
    update: ['Change a memory', async () => (await import('./store.ts')).defineUpdate],
    supersede: ['Store what takes the place of a memory', async () => (await import('./store.ts')).defineSupersede],
    count: ['Count memories', async () => (await import('./list.ts')).defineCount],
    forget: ['Erase memories', async () => (await import('./forget.ts')).defineForget],
    import: ['Store memories from a file of JSON lines', async () => (await import('./import.ts')).defineImport],
    export: ['Write memories as JSON lines', async () => (await import('./import.ts')).defineExport],
  },
  'Recall:': {
    recall: ['Find the memories that answer a question', async () => (await import('./recall.ts')).defineRecall],
    context: ['Build the context of a model call', async () => (await import('./context.ts')).defineContext],
    chat: ['Import conversations and extract from them', async () => (await import('./chat.ts')).defineChat],
    facts: ['Assert facts and show what is known', async () => (await import('./facts.ts')).defineFacts],
    consolidate: [
      'Merge notes that say the same, make episodes',
      async () => (await import('./consolidate.ts')).defineConsolidate,
    ],
    reflect: ['Show what recorded episodes teach', async () => (await import('./reflect.ts')).defineReflect],
    presets: ['List the named forms of recall', async () => (await import('./presets.ts')).definePresets],
    history: ['Show how a value changed, step by step', async () => (await import('./get.ts')).defineHistory],
    states: ['Show the states at given steps', async () => (await import('./states.ts')).defineStates],
    sequence: ['Show what happened before and after a memory', async () => (await import('./get.ts')).defineSequence],
  },
  'Streams:': {
    watch: ['Follow every change', async () => (await import('./subscribe.ts')).defineWatch],
    subscribe: [
      'Follow the memories that answer a question',
      async () => (await import('./subscribe.ts')).defineSubscribe,
    ],
    subscriptions: [
      'Manage change feeds that remember their place',
      async () => (await import('./subscriptions.ts')).defineSubscriptions,
    ],
    ingest: ['Store memories from a stream that goes on', async () => (await import('./ingest.ts')).defineIngest],
  },
  'Sessions and agents:': {
    session: ['Use the working memory of a session', async () => (await import('./session.ts')).defineSession],
    agent: ['Keep, compare and restore what agents remember', async () => (await import('./agent.ts')).defineAgent],
  },
  'Operate a server:': {
    stats: ['Show what a server is and holds', async () => (await import('./stats.ts')).defineStats],
    keys: ['Make, list, revoke and rotate API keys', async () => (await import('./keys.ts')).defineKeys],
    namespaces: ['Manage namespaces', async () => (await import('./namespaces.ts')).defineNamespaces],
    config: ['Show or change settings of a running server', async () => (await import('./config.ts')).defineConfig],
    maintain: [
      'Move memories down that are due to leave their tier',
      async () => (await import('./maintain.ts')).defineMaintain,
    ],
    demote: ['Move memories to a lower tier', async () => (await import('./maintain.ts')).defineDemote],
    promote: ['Move memories to a higher tier', async () => (await import('./maintain.ts')).definePromote],
    'clear-tier': ['Erase the memories of a tier', async () => (await import('./forget.ts')).defineClearTier],
    cache: ['Show or clear the cache of recall answers', async () => (await import('./cache.ts')).defineCache],
    backup: ['Make, list and verify backups', async () => (await import('./backup.ts')).defineBackup],
    restore: ['Restore a data folder from a backup', async () => (await import('./restore.ts')).defineRestore],
    migrate: ['Move a data folder into PostgreSQL, or back', async () => (await import('./migrate.ts')).defineMigrate],
    verify: ['Look for damage in a data folder', async () => (await import('./verify.ts')).defineVerify],
    repair: ['Make a damaged data folder whole again', async () => (await import('./repair.ts')).defineRepair],
    audit: ['Show administrative and destructive operations', async () => (await import('./audit.ts')).defineAudit],
    reembed: ['Compute all vectors again', async () => (await import('./reembed.ts')).defineReembed],
  },
};

const ENTRIES = new Map(Object.values(GROUPS).flatMap((group) => Object.entries(group)));

export const COMMANDS: readonly string[] = [...ENTRIES.keys()];

/** The program with all command names; only the commands of `loaded` can be run. */
export async function programWith(loaded: readonly string[]): Promise<Command> {
  const program = styleHelp(new Command('mneme'))
    .description('A memory server for AI agents, and the commands to use it.')
    .usage('<command> [arguments]')
    .version(packageVersion(), '--version', 'print the version')
    .helpCommand(false)
    // Errors are printed once, in one place: failure.ts.
    .configureOutput({ outputError: () => {} })
    .exitOverride();
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const [name, [summary]] of Object.entries(group)) {
      const command = program.command(name).helpGroup(heading).summary(summary);
      if (loaded.includes(name)) (await ENTRIES.get(name)?.[1]())?.(command);
      refuseEmptyValues(command);
    }
  }
  return program.addHelpText('after', EXAMPLES).addHelpText('after', MORE);
}

const EXAMPLES = examples(
  'mneme serve',
  'mneme store "Caroline plays the cello." --speaker Caroline',
  'mneme recall "Who makes music?"',
);

const MORE = `
More help:
  mneme help <command>    explain a command, with examples
  mneme help server       how commands reach a server: address, token, TLS
  mneme help times        how to write times and spans of time`;
