import type { Command } from 'commander';
import type {
  MemoryAccess,
  MemoryStatistics,
  ServerInfo,
  ServerStatistics,
  StreamTerms,
  TierStatistics,
} from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { print, printJson } from './output.ts';
import { type Row, rows } from './rows.ts';

export function defineStats(command: Command): void {
  command
    .description('Tells what the server is and holds; with --namespace, what that namespace holds.')
    .addHelpText('after', EXAMPLES)
    .action(stats);
  addClientFlags(addJsonFlag(command));
}

const DAY_MS = 86_400_000;
const EXAMPLES = `
Examples:
  $ mneme stats
  $ mneme stats --namespace default --json | jq .statistics.memoryCount`;

async function stats(flags: ClientFlags, command: Command): Promise<void> {
  const ofNamespace = command.getOptionValueSource('namespace') !== 'default';
  await withClient(flags, async (mneme) => {
    if (ofNamespace) {
      const namespace = await mneme.namespaces.get();
      const statistics = await mneme.namespaces.statistics();
      if (flags.json) await printJson({ namespace, statistics });
      const maintained = statistics.lastMaintenanceTime?.toISOString() ?? '';
      if (!flags.json) {
        const told: Row[] = [['namespace', namespace.id], ...holdingRows(statistics), ['maintained', maintained]];
        await print(rows(told).join('\n'));
      }
      return;
    }
    const server = await mneme.admin.serverInfo();
    const statistics = await mneme.admin.statistics();
    if (flags.json) await printJson({ server, statistics });
    else await print(rows([...serverRows(server, statistics), ...holdingRows(statistics)]).join('\n'));
  });
}

function serverRows(server: ServerInfo, statistics: ServerStatistics): Row[] {
  const { embedder, backends, degraded } = server;
  // Some are known only when a first vector was made.
  const dimension = embedder.dimension === 0 ? [] : [embedder.dimension];
  return [
    ['server', `mneme ${server.version}, up since ${server.startTime.toISOString()}`],
    ...backends.map(({ role, technology, durability }): Row => [role, `${technology}, survives ${durability}`]),
    [
      'embedder',
      [embedder.model === '' ? embedder.kind : `${embedder.kind}: ${embedder.model}`, ...dimension].join(', '),
    ],
    ['degraded', [...new Set([...degraded, ...statistics.degraded])].join('; ')],
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
    ['streams', kinds.join(', ')],
    ['stream limits', termsText(terms)],
    ['standing', standingQueryCount === 0 ? '' : `${standingQueryCount} queries`],
    ['consumers', consumerCount === 0 ? '' : consumerCount],
    ['change log', entryCount === 0 ? '' : `${range}, ${entryCount} entries, ${bytes(entryBytes)}`],
  ];
}

function pressureRows({ memoryPressure: { uses, movedCount } }: ServerStatistics): Row[] {
  const texts = uses.map(({ trigger, node, usedBytes, limitBytes, pressed }) => {
    const where = [trigger, node].filter((part) => part !== '').join(' ');
    return `${where} ${bytes(usedBytes)} of ${bytes(limitBytes)}${pressed ? ', short' : ''}`;
  });
  return [
    ['memory used', texts.join('; ')],
    ['moved for it', movedCount === 0 ? '' : movedCount],
  ];
}

function termsText({ maxStreamsPerCaller, heartbeatIntervalMs, maxStallMs, ...log }: StreamTerms): string {
  const kept = `${log.maxLogEntries} changes, ${bytes(log.maxLogBytes)}, ${log.maxLogAgeMs / DAY_MS} days`;
  return `${maxStreamsPerCaller} a caller, sign of life every ${heartbeatIntervalMs / 1000} s, stalled for ${maxStallMs / 1000} s at most, log of ${kept}`;
}

function holdingRows(statistics: MemoryStatistics): Row[] {
  const { memoryCount, contentBytes, embeddedCount, embeddingPendingCount, types } = statistics;
  return [
    ['memories', memoryCount],
    ['by type', types.map(({ type, memoryCount: count }) => `${type} ${count}`).join(', ')],
    ['by tier', statistics.tiers.map(tierText).join(', ')],
    ['contents', bytes(contentBytes)],
    ['vectors', embeddingPendingCount > 0 ? `${embeddedCount}, ${embeddingPendingCount} to come` : embeddedCount],
    ['importance', memoryCount === 0 ? '' : `${statistics.importanceMean.toFixed(2)} on average`],
    ['recalled', `${statistics.retrievalCount} times`],
    ['most recalled', statistics.mostAccessed.map(accessText).join(', ')],
  ];
}

function accessText({ name, retrievalCount }: MemoryAccess): string {
  return `${name.slice(name.lastIndexOf('/') + 1)} ${retrievalCount}`;
}

function tierText({ tier, memoryCount, contentBytes, storedBytes }: TierStatistics): string {
  const share =
    contentBytes > 0 && storedBytes !== contentBytes ? ` at ${Math.round((100 * storedBytes) / contentBytes)} %` : '';
  return `${tier} ${memoryCount}${share}`;
}

function bytes(count: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, count)) / 10));
  const value = count / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}
