import type { Call } from '../../memory/call.ts';
import { invalidFields } from '../../memory/errors.ts';
import { draining, type OpenStreams, type StreamKind } from '../../operations/streams/open-streams.ts';

export interface FirstMessageTerms {
  readonly streams: OpenStreams;
  /** Longest wait for it: as long as for a reader who takes nothing. */
  readonly maxStreamStallMs: number;
}

/**
 * The message that says what a stream is about; nothing where the caller ends without one. A stream whose caller says
 * nothing counts as one of the caller's, and does not stay. Fails with FIELD_INVALID, TOO_MANY_STREAMS, DRAINING.
 */
export async function firstMessage<Q>(
  source: AsyncIterator<Q>,
  kind: StreamKind,
  { streams, maxStreamStallMs }: FirstMessageTerms,
  call: Call,
): Promise<Q | undefined> {
  const leave = streams.enter(call.caller, kind);
  const { promise: end, reject } = Promise.withResolvers<never>();
  const description = `must be sent within ${maxStreamStallMs / 1000} s`;
  const timer = setTimeout(() => reject(invalidFields([{ field: 'start', description }])), maxStreamStallMs);
  const drain = (): void => reject(draining());
  streams.onDrain(drain);
  try {
    const first = await Promise.race([source.next(), end]);
    return first.done ? undefined : first.value;
  } finally {
    clearTimeout(timer);
    streams.offDrain(drain);
    leave();
  }
}
