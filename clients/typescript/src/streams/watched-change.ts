import type { Change } from '../../../../gen/ts/mneme/v1/change.ts';
import { changeOf } from '../enums.ts';
import { memoryOfMessage } from '../message-to-memory.ts';
import { partsOfName } from '../names.ts';
import { dateOf, PreciseDate } from '../precise-date.ts';
import type { MemoryChange } from './watch-types.ts';

export function watchedChange({ kind, name, time, memory, leaves, revision }: Change): MemoryChange {
  return {
    kind: changeOf(kind),
    id: name.includes('/memories/') ? partsOfName(name).id : '',
    time: time === undefined ? new PreciseDate(0) : dateOf(time),
    ...(memory === undefined ? {} : { memory: memoryOfMessage(memory) }),
    leaves,
    revision: Number(revision),
  };
}
