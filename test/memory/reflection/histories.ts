import type { EpisodeRecord } from '../../../src/memory/reflection/episode-record.ts';
import type { ReflectionOptions } from '../../../src/memory/reflection/findings.ts';
import { type Reflection, reflectionOf } from '../../../src/memory/reflection/reflection.ts';
import { WHOLE_NAMESPACE } from '../../../src/memory/scope.ts';
import type { TestRandom } from '../../support/random.ts';

export const HOUR_US = 3_600_000_000;
export const DAY_US = 24 * HOUR_US;
/** Monday, 2 November 2026. */
export const START_US = Date.UTC(2026, 10, 2) * 1000;

export const OPTIONS: ReflectionOptions = { supportMin: 3, confidenceMin: 0.95, limit: 20, citationsMax: 10 };

export function episode(at: number, fields: Partial<EpisodeRecord> = {}): EpisodeRecord {
  return {
    id: `e${String(at).padStart(5, '0')}`,
    atUs: START_US + at * HOUR_US,
    scope: WHOLE_NAMESPACE,
    task: 'deploy the shop',
    outcome: 'success',
    tags: [],
    actions: [],
    lessons: [],
    metadata: [],
    ...fields,
  };
}

export function reflected(
  records: readonly EpisodeRecord[],
  { from = 0, ...options }: Partial<ReflectionOptions> & { readonly from?: number } = {},
): Reflection {
  const work = reflectionOf({ records, from }, { ...OPTIONS, ...options });
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const TASKS = ['deploy the shop', 'deploy the blog', 'fix issue 12', 'write the report', 'clean the disk'];
const ACTIONS = [
  'ran the tests',
  'read the log',
  'asked the user',
  'changed the configuration',
  'restarted the server',
];
const TAGS = ['urgent', 'web', 'weekly'];

/** Episodes whose outcomes, sizes and features are independent of each other. */
export function* randomEpisodes(random: TestRandom, count: number, successRate = 0.5): Generator<EpisodeRecord> {
  for (let at = 0; at < count; at++) {
    yield episode(at, {
      scope: { ...WHOLE_NAMESPACE, agent: random.pick(['ada', 'ben']) },
      task: random.pick(TASKS),
      outcome: random.chance(successRate) ? 'success' : random.chance(0.8) ? 'failure' : 'partial',
      tags: TAGS.filter(() => random.chance(0.3)),
      actions: ACTIONS.filter(() => random.chance(0.5)),
      durationSeconds: 60 * Math.exp(normal(random)),
      tokens: Math.round(1000 * Math.exp(normal(random))),
    });
  }
}

/** A number of the standard normal distribution (Box and Muller). */
function normal(random: TestRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
