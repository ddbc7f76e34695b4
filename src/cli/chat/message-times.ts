import type { TimedMessage } from '../../../clients/typescript/src/index.ts';

/** Between messages that have no neighbour with a time on one side. */
const STEP_MS = 1;

/**
 * Gives a time to each message that has none: between those of its neighbours, in order. Before the first time and after
 * the last one they are a millisecond apart; without any time the last message is of now. `storedAt` has the times of
 * messages that are stored already.
 */
export function withTimes(
  messages: readonly TimedMessage[],
  storedAt: (at: number) => Date | undefined,
  nowMs: number,
): TimedMessage[] {
  const known = messages.map(({ eventTime }, at) => eventTime ?? storedAt(at));
  const firstKnown = known.findIndex((time) => time !== undefined);
  let before = -1;
  let after = firstKnown;
  return messages.map((message, at) => {
    const time = known[at];
    if (time) {
      before = at;
      return message.eventTime ? message : { ...message, eventTime: time };
    }
    if (after <= at && after !== -1) after = known.findIndex((each, index) => index > at && each !== undefined);
    const start = known[before]?.getTime();
    const end = known[after]?.getTime();
    return {
      ...message,
      eventTime: new Date(between({ start, end, passed: at - before, left: after - at }, messages.length - at, nowMs)),
    };
  });
}

interface Gap {
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** Messages since the one with the time `start`, and until the one with the time `end`. */
  readonly passed: number;
  readonly left: number;
}

function between({ start, end, passed, left }: Gap, untilEnd: number, nowMs: number): number {
  if (start !== undefined && end !== undefined) return start + ((end - start) * passed) / (passed + left);
  if (start !== undefined) return start + passed * STEP_MS;
  return end === undefined ? nowMs - untilEnd * STEP_MS : end - left * STEP_MS;
}
