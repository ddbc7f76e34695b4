import type { Timestamp } from '../../../gen/ts/google/protobuf/timestamp.ts';
import type { Fact } from '../../../gen/ts/mneme/v1/knowledge_service.ts';

/** Times at which facts began or ceased to hold, and those at which the server learned of facts, ascending. */
export interface KnownTimes {
  readonly held: readonly number[];
  readonly recorded: readonly number[];
}

export function knownTimesOf(facts: readonly Fact[]): KnownTimes {
  return {
    held: ascending(facts.flatMap(({ validFrom, validUntil }) => [validFrom, validUntil])),
    recorded: ascending(facts.map(({ recordTime }) => recordTime)),
  };
}

function ascending(times: readonly (Timestamp | undefined)[]): number[] {
  const known = new Set<number>();
  for (const time of times) if (time) known.add(msOf(time));
  return [...known].filter((ms) => ms <= Date.now()).sort((a, b) => a - b);
}

/** Rounded up: at that time the change has happened. */
function msOf({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1000 + Math.ceil(nanos / 1e6);
}
