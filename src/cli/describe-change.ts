import type { Delivery, WatchEvent } from '../../clients/typescript/src/index.ts';
import { type Layout, memoryBlock } from './memory-block.ts';
import { memoryJson } from './memory-json.ts';
import { paint } from './terminal.ts';

type Told = Exclude<WatchEvent, { kind: 'caught_up' }> | Omit<Delivery, 'acknowledge'>;

export function eventJson(event: Told): object {
  if (event.kind === 'relisting') return event;
  const { memory, ...rest } = event;
  const { resumeToken: _, ...shown } = 'resumeToken' in rest ? rest : { ...rest, resumeToken: undefined };
  return { ...shown, ...(memory ? { memory: memoryJson(memory) } : {}) };
}

const COLORS = {
  stored: 'green',
  listed: 'green',
  updated: 'yellow',
  deleted: 'red',
  expired: 'red',
  namespace_deleted: 'red',
} as const;

/** A change in a list: its revision, what happened and the memory, as recall and list show it; of one that is gone, its id. */
export function eventBlock(event: Told, layout: Layout): string {
  if (event.kind === 'relisting') return paint('dim', 'some changes are no longer kept: all that is there follows');
  const kind = 'leaves' in event && event.leaves ? 'leaves' : event.kind.replaceAll('_', ' ');
  const color = event.kind in COLORS ? COLORS[event.kind as keyof typeof COLORS] : 'cyan';
  const lead = `${String(event.revision).padStart(6)}  ${paint(color, kind.padEnd(8))}  `;
  const { memory } = event;
  if (!memory) return `${lead}${paint('dim', event.id)}`.trimEnd();
  const isMoved = event.kind === 'moved' && memory.tier;
  const text = isMoved ? `to ${memory.tier.replaceAll('_', ' ')}: ${memory.text}` : memory.text;
  return memoryBlock({ ...memory, text }, layout, lead);
}
