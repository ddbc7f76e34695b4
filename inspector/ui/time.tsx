import type { Timestamp } from '../../gen/ts/google/protobuf/timestamp.ts';
import { isoOf } from '../api/times.ts';
import { timeText } from './format.ts';

/** A time of this place; the exact one, in UTC, where the pointer rests. */
export function Time({ at }: { readonly at: Timestamp }) {
  const exact = isoOf(at);
  return (
    <time dateTime={exact} title={exact}>
      {timeText(at)}
    </time>
  );
}
