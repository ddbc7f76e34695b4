import type { Delivery, WatchEvent } from '../../clients/typescript/src/index.ts';
import { memoryJson } from './memory-json.ts';
import { columnsOf, cut, paint } from './terminal.ts';

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

export function eventLine(event: Told): string {
  if (event.kind === 'relisting') return paint('dim', 'some changes are no longer kept: all that is there follows');
  const kind = 'leaves' in event && event.leaves ? 'leaves' : event.kind.replaceAll('_', ' ');
  const color = event.kind in COLORS ? COLORS[event.kind as keyof typeof COLORS] : 'cyan';
  const front = `${String(event.revision).padStart(8)}  ${paint(color, kind.padEnd(9))}  ${paint('dim', event.id)}`;
  const { text = '', tier } = event.memory ?? {};
  const line = event.kind === 'moved' && tier ? `to ${tier.replaceAll('_', ' ')}: ${text}` : text;
  return line === '' ? front : `${front}  ${cut(line, Math.max(columnsOf() - 22 - event.id.length, 20))}`;
}
