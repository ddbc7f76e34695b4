import { utf8BodyBytesOf } from '../../memory/checksum.ts';
import type { Scope } from '../../memory/memory.ts';
import type { CommandBatch } from './command-batch.ts';
import type { RoomEntry } from './room-entry.ts';

/** What is to be added to sums of a room, by group: the first of a group counts memories, and without any the others are nothing. */
export type SumChanges = Map<string, Map<string, number>>;

/** Adds what statistics and limits are made of, of one memory. */
export function addSums(sums: SumChanges, entry: RoomEntry | undefined, sign: 1 | -1): void {
  if (!entry) return;
  const { memory, state } = entry;
  const { tier, type, scope, importance, retrievalCount } = memory;
  const names = namesOf(tier, type, scope);
  const bytes = (entry.isDamaged && entry.card?.bytes) || utf8BodyBytesOf(memory);
  const add = (group: string, name: string, value: number) => {
    const known = sums.get(group);
    if (known) known.set(name, (known.get(name) ?? 0) + sign * value);
    else sums.set(group, new Map([[name, sign * value]]));
  };
  add(names.count, names.count, 1);
  add(names.count, names.bytes, bytes);
  add(names.scope, names.scope, 1);
  add('embedded', 'embedded', state === 'there' ? 1 : 0);
  add('pending', 'pending', state === 'pending' ? 1 : 0);
  add('retrievals', 'retrievals', retrievalCount);
  // In millionths: whole numbers add up exactly.
  add('importance', 'importance', Math.round(importance * 1e6));
}

/** One command for each group (`commit.lua`): what comes to nothing goes, and so do all sums of a room that holds nothing. */
export function tellSums(batch: CommandBatch, sums: SumChanges, isEmpty: boolean): void {
  if (isEmpty) batch.erase('sums');
  else {
    for (const group of sums.values()) {
      const values = [...group];
      if (values.every(([, value]) => value === 0)) continue;
      batch.alone('SUM', 'sums', ...values.flatMap(([name, value]) => [name, `${value}`]));
    }
  }
}

interface SumNames {
  readonly count: string;
  readonly bytes: string;
  readonly scope: string;
}

const NAMES_KEPT = 1000;
/** To put the names together costs more than to look them up. */
const sumNames = new Map<string, SumNames>();

function namesOf(tier: string, type: string, scope: Scope): SumNames {
  const { project, agentType, agent, session } = scope;
  const lengths = `${type.length} ${project.length} ${agentType.length} ${agent.length}`;
  const name = `${tier} ${lengths} ${type}${project}${agentType}${agent}${session}`;
  const known = sumNames.get(name);
  if (known) return known;
  const total = JSON.stringify([tier, agent, type]);
  // In an order of its own: another one would be another name.
  const ordered = JSON.stringify({ project, agentType, agent, session });
  const names = { count: `count ${total}`, bytes: `bytes ${total}`, scope: `scope ${ordered}` };
  if (sumNames.size >= NAMES_KEPT) sumNames.clear();
  sumNames.set(name, names);
  return names;
}
