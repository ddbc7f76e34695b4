import { type Change, ChangeKind as Kind } from '../../../../gen/ts/mneme/v1/change.ts';
import { memoryOfMessage } from '../message-to-memory.ts';
import { partsOfName } from '../names.ts';
import { dateOf, PreciseDate } from '../precise-date.ts';
import type { ChangeTold, WatchedChange } from './watch-types.ts';

const KINDS: Readonly<Record<number, WatchedChange>> = {
  [Kind.CHANGE_KIND_STORED]: 'stored',
  [Kind.CHANGE_KIND_UPDATED]: 'updated',
  [Kind.CHANGE_KIND_DELETED]: 'deleted',
  [Kind.CHANGE_KIND_EXPIRED]: 'expired',
  [Kind.CHANGE_KIND_EMBEDDED]: 'embedded',
  [Kind.CHANGE_KIND_TOUCHED]: 'touched',
  [Kind.CHANGE_KIND_MOVED]: 'moved',
  [Kind.CHANGE_KIND_NAMESPACE_CREATED]: 'namespace_created',
  [Kind.CHANGE_KIND_NAMESPACE_UPDATED]: 'namespace_updated',
  [Kind.CHANGE_KIND_NAMESPACE_DELETED]: 'namespace_deleted',
  [Kind.CHANGE_KIND_VECTORS_REPLACED]: 'vectors_replaced',
};

export function watchedChange({ kind, name, time, memory, leaves, revision }: Change): ChangeTold {
  return {
    kind: KINDS[kind] ?? 'other',
    id: name.includes('/memories/') ? partsOfName(name).id : '',
    time: time === undefined ? new PreciseDate(0) : dateOf(time),
    ...(memory === undefined ? {} : { memory: memoryOfMessage(memory) }),
    leaves,
    revision: Number(revision),
  };
}
