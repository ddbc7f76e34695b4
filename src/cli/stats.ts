import { type Command, Option } from 'commander';
import type {
  AgentStatistics,
  MemoryAccess,
  MemoryStatistics,
  Mneme,
  ServerInfo,
  ServerStatistics,
  StreamTerms,
  TierStatistics,
} from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { RECORD_TYPES } from './list.ts';
import { listRows, print, printJson, type Row, rows } from './terminal.ts';

interface StatsFlags extends ClientFlags {
  readonly agent?: string;
  readonly simplified?: boolean;
}

export function defineStats(command: Command): void {
  command
    .description('Show what a server is and holds; with --namespace, what that namespace holds.')
    .addOption(new Option('--agent <name>', 'count only the memories of this agent'))
    .option('--simplified', 'leave out types and the most and least used memories')
    .addHelpText('after', EXAMPLES)
    .action(stats);
  addClientFlags(addJsonFlag(command));
}

const DAY_MS = 86_400_000;
const EXAMPLES = `
Examples:
  $ mneme stats --simplified
  $ mneme stats --agent ada
  $ mneme stats --namespace default --json`;

async function stats(flags: StatsFlags, command: Command): Promise<void> {
  const isOfNamespace = command.getOptionValueSource('namespace') !== 'default';
  await withClient(flags, async (mneme) => {
    if (flags.agent !== undefined) await printAgent(mneme, flags.agent, isOfNamespace, flags);
    else if (isOfNamespace) await printNamespace(mneme, flags);
    else await printServer(mneme, flags);
  });
}

async function printAgent(mneme: Mneme, agent: string, isOfNamespace: boolean, flags: StatsFlags): Promise<void> {
  const { json, simplified = false } = flags;
  const statistics = isOfNamespace
    ? await mneme.namespaces.getAgentStatistics(agent, mneme.namespace, { simplified })
    : await mneme.admin.getAgentStatistics(agent, { simplified });
  const where = isOfNamespace ? { namespace: mneme.namespace } : {};
  if (json) await printJson({ ...where, statistics });
  else await print(rows([['agent', agent], ...Object.entries(where), ...agentRows(statistics)]).join('\n'));
}

async function printNamespace(mneme: Mneme, { json, simplified = false }: StatsFlags): Promise<void> {
  const namespace = await mneme.namespaces.get();
  const statistics = await mneme.namespaces.getStatistics(undefined, { simplified });
  if (json) return printJson({ namespace, statistics });
  const maintained = statistics.lastMaintenanceTime?.toISOString() ?? '';
  const shown: Row[] = [['namespace', namespace.id], ...holdingRows(statistics), ['maintained', maintained]];
  return print(rows(shown).join('\n'));
}

async function printServer(mneme: Mneme, { json, simplified = false }: StatsFlags): Promise<void> {
  const server = await mneme.admin.getServerInfo();
  const statistics = await mneme.admin.getServerStatistics({ simplified });
  if (json) await printJson({ server, statistics });
  else await print(rows([...serverRows(server, statistics), ...holdingRows(statistics)]).join('\n'));
}

function serverRows(server: ServerInfo, statistics: ServerStatistics): Row[] {
  const { embedder, backends, degraded } = server;
  // Some are known only when a first vector was made.
  const dimension = embedder.dimension === 0 ? [] : [`${embedder.dimension} dimensions`];
  return [
    ['server', `mneme ${server.version}, up since ${server.startTime.toISOString()}`],
    ...backends.map(({ role, technology, durability }): Row => [role, `${technology}, survives ${durability}`]),
    ...listRows('embedder', [
      embedder.model === '' ? embedder.kind : `${embedder.kind}: ${embedder.model}`,
      ...dimension,
      ...(embedder.kind === 'static' ? ['computes vectors from texts, stores none'] : []),
    ]),
    ...[...new Set([...degraded, ...statistics.degraded])].map((part, at): Row => [at === 0 ? 'degraded' : '', part]),
    ['namespaces', statistics.namespaceCount],
    ['on disk', bytes(statistics.diskBytes)],
    ['revision', server.revision],
    ...streamRows(server, statistics),
    ...pressureRows(statistics),
  ];
}

function streamRows({ streams: terms }: ServerInfo, { streams }: ServerStatistics): Row[] {
  const { open, standingQueryCount, consumerCount, oldestRevision, newestRevision, entryCount, entryBytes } = streams;
  const kinds = Object.entries(open).map(([kind, count]) => `${kind} ${count}`);
  const range = newestRevision < oldestRevision ? 'nothing' : `revisions ${oldestRevision} to ${newestRevision}`;
  return [
    ...listRows('streams', kinds),
    ...listRows('stream limits', termsTexts(terms)),
    ['queries', standingQueryCount === 0 ? '' : `${standingQueryCount} standing`],
    ['consumers', consumerCount === 0 ? '' : consumerCount],
    ['change log', entryCount === 0 ? '' : `${range}, ${entryCount} entries, ${bytes(entryBytes)}`],
  ];
}

function pressureRows({ memoryPressure: { uses, movedCount } }: ServerStatistics): Row[] {
  const texts = uses.map(({ reason, node, usedBytes, limitBytes, aboveThreshold, movesStopped }) => {
    const where = [reason, node].filter((part) => part !== '').join(' ');
    return `${where} ${bytes(usedBytes)} of ${bytes(limitBytes)}${aboveThreshold ? ', short' : ''}${movesStopped ? ', moves free nothing of it' : ''}`;
  });
  return [...listRows('memory used', texts), ['moved for it', movedCount === 0 ? '' : movedCount]];
}

function termsTexts({ maxStreamsPerCaller, heartbeatIntervalMs, maxStallMs, ...log }: StreamTerms): string[] {
  return [
    `${maxStreamsPerCaller} per caller`,
    `heartbeat every ${heartbeatIntervalMs / 1000} s`,
    `stalled at most ${maxStallMs / 1000} s`,
    `log of ${log.maxLogEntries} changes`,
    bytes(log.maxLogBytes),
    `${log.maxLogAgeMs / DAY_MS} days`,
  ];
}

/** Totals of a namespace or of the whole server. */
export function holdingRows(statistics: MemoryStatistics): Row[] {
  const { memoryCount, contentBytes, embeddedCount, embeddingPendingCount, types, tiers } = statistics;
  const storedBytes = tiers.reduce((sum, tier) => sum + tier.storedBytes, 0);
  return [
    ['memories', memoryCount],
    ...recordRows(types),
    ...typeRows(types),
    ...listed('by tier', tiers.map(tierText)),
    ['contents', keptText(contentBytes, storedBytes)],
    ['vectors', `${embeddedCount} stored${embeddingPendingCount > 0 ? `, ${embeddingPendingCount} to come` : ''}`],
    ['importance', memoryCount === 0 ? '' : `${statistics.importanceMean.toFixed(2)} on average`],
    ['recalled', `${statistics.retrievalCount} times`],
    ...listed('most recalled', statistics.mostAccessed.map(accessText)),
    ...listed('least recalled', statistics.leastAccessed.map(accessText)),
  ];
}

/** The server's own records, which "mneme count" and "mneme list" leave out. */
function recordRows(types: MemoryStatistics['types']): Row[] {
  const records = types.filter(({ type }) => RECORD_TYPES.includes(type));
  const count = records.reduce((sum, { memoryCount }) => sum + memoryCount, 0);
  return count === 0 ? [] : [['of these', `${count} records of the server's own`]];
}

/** Totals of one agent. */
export function agentRows({ memoryCount, contentBytes, types, tiers }: AgentStatistics): Row[] {
  const texts = tiers.map((each) => `${each.tier} ${each.memoryCount}, ${bytes(each.contentBytes)}`);
  return [
    ['memories', memoryCount],
    ...recordRows(types),
    ...typeRows(types),
    ...listed('by tier', texts),
    ['contents', bytes(contentBytes)],
  ];
}

export function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  const value = count / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

function typeRows(types: MemoryStatistics['types']): Row[] {
  return listRows(
    'by type',
    types.map(({ type, memoryCount }) => `${type} ${memoryCount}`),
  );
}

/** One on each line. */
function listed(label: string, texts: readonly string[]): Row[] {
  return texts.map((text, at) => [at === 0 ? label : '', text]);
}

function accessText({ name, retrievalCount }: MemoryAccess): string {
  return `${name.slice(name.lastIndexOf('/') + 1)} ${retrievalCount}`;
}

function tierText({ tier, memoryCount, contentBytes, storedBytes, importanceMean }: TierStatistics): string {
  return `${tier} ${memoryCount}, ${keptText(contentBytes, storedBytes)}, importance ${importanceMean.toFixed(2)}`;
}

/** With the ratio of compression, where there is one. */
function keptText(contentBytes: number, storedBytes: number): string {
  if (contentBytes === 0 || storedBytes === contentBytes) return bytes(contentBytes);
  return `${bytes(contentBytes)} in ${bytes(storedBytes)} (${Math.round((100 * storedBytes) / contentBytes)} %)`;
}
