import type { Account } from './account.ts';
import { READING_COUNT } from './together.ts';

/** One in so many readings is tagged; the subscriber watches these. */
const WATCHED_EVERY = 100;

interface Promised {
  readonly what: string;
  /** One line for each violation. */
  readonly faults: readonly string[];
}

/** The guarantees of the server to the programs, with their violations. */
export function promisesOf(account: Account): Promised[] {
  const { ingester, agent, recaller, kills, untimely } = account;
  const { acknowledged, refused, stored, existing } = ingester;
  return [
    {
      what: 'the server was killed twice while readings came in',
      faults: kills
        .filter((kill) => kill.acknowledged >= READING_COUNT)
        .map(() => 'all readings were acknowledged before'),
    },
    {
      what: 'all readings are acknowledged, none is refused',
      faults:
        acknowledged === READING_COUNT && stored + existing === READING_COUNT && refused === 0
          ? []
          : [JSON.stringify(ingester)],
    },
    {
      what: 'calls failed only while the server was down',
      faults: untimely,
    },
    {
      what: 'recall answered rightly, also after each restart',
      faults: [
        ...recaller.wrong,
        ...recaller.rightCounts.flatMap((count, life) => (count > 0 ? [] : [`none in life ${life}`])),
      ],
    },
    {
      what: 'what was acknowledged is there, and nothing else',
      faults: differences(new Set(expectedOf(account).keys()), account.found.keys()),
    },
    {
      what: 'each text is the one that was stored under its id',
      faults: [...expectedOf(account)].flatMap(([id, text]) =>
        text === undefined || account.found.get(id) === text ? [] : [`${id}: ${account.found.get(id)}`],
      ),
    },
    {
      what: 'the subscriber saw every memory with its tag once',
      faults: differences(new Set([...watchedReadings(), ...agent.ids, account.lastId]), account.subscriber.seen),
    },
  ];
}

/** The texts that must be there, by id; `undefined` for any text. */
function expectedOf({ agent, recaller, lastId }: Account): Map<string, string | undefined> {
  const expected = new Map<string, string | undefined>([...recaller.factIds, lastId].map((id) => [id, undefined]));
  for (let number = 1; number <= READING_COUNT; number++) {
    expected.set(readingId(number), `Reading ${number} of the north station.`);
  }
  for (const [at, id] of agent.ids.entries()) expected.set(id, `In step ${at + 1} the agent turned left.`);
  return expected;
}

function readingId(number: number): string {
  return `reading-${number}`;
}

function watchedReadings(): string[] {
  return Array.from({ length: READING_COUNT / WATCHED_EVERY }, (_, at) => readingId((at + 1) * WATCHED_EVERY));
}

function differences(expected: ReadonlySet<string>, found: Iterable<string>): string[] {
  const seen = new Set<string>();
  const faults: string[] = [];
  for (const id of found) {
    if (seen.has(id)) faults.push(`twice: ${id}`);
    else if (!expected.has(id)) faults.push(`not expected: ${id}`);
    seen.add(id);
  }
  return [...faults, ...[...expected].filter((id) => !seen.has(id)).map((id) => `missing: ${id}`)];
}
