import type {
  AgentStatistics,
  MemoryAccess,
  MemoryStatistics,
  TierStatistics,
} from '../../clients/typescript/src/index.ts';
import { listRows, type Row } from './rows.ts';

/** What a namespace, or the whole server, holds. */
export function holdingRows(statistics: MemoryStatistics): Row[] {
  const { memoryCount, contentBytes, embeddedCount, embeddingPendingCount, types, tiers } = statistics;
  const storedBytes = tiers.reduce((sum, tier) => sum + tier.storedBytes, 0);
  return [
    ['memories', memoryCount],
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

/** What is held of one agent. */
export function agentRows({ memoryCount, contentBytes, types, tiers }: AgentStatistics): Row[] {
  const texts = tiers.map((each) => `${each.tier} ${each.memoryCount}, ${bytes(each.contentBytes)}`);
  return [
    ['memories', memoryCount],
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
