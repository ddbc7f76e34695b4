import type { Micros } from '../memory.ts';
import { spokenDate } from '../words.ts';
import { type Feature, WEEKEND } from './features.ts';
import type { EfficiencyFactor, EpisodePattern, Measure, OutcomeCounts, SuccessFactor, Trend } from './findings.ts';

/** Sentences of results: every number in them is one of the result. */

const CLAUSES: Readonly<Record<Feature['kind'], (value: string) => string>> = {
  action: (value) => `with the action ${quoted(value)}`,
  task: (value) => `of the task ${quoted(value)}`,
  tag: (value) => `with the tag ${quoted(value)}`,
  task_word: (value) => `whose task has the word ${quoted(value)}`,
  action_sequence: (value) => `with ${value.split(' → ').map(quoted).join(' directly before ')}`,
  agent: (value) => `of the agent ${quoted(value)}`,
  agent_type: (value) => `of agents of the type ${quoted(value)}`,
  project: (value) => `of the project ${quoted(value)}`,
  metadata: (value) => `with the metadata ${quoted(value)}`,
  preceding_outcome: (value) => `that followed ${PRECEDING[value] ?? value}`,
  time_of_day: (value) => `that ended from ${value.replace('-', ' to ')} UTC`,
  weekend: () => `that ended on a ${WEEKEND} (UTC)`,
  many_actions: (value) => `with more than ${counted(Number(value), 'action')}`,
  long_duration: () => 'that took longer than the median of their task',
  many_tokens: () => 'that used more tokens than the median of their task',
};

const PRECEDING: Readonly<Record<string, string>> = {
  success: 'a success',
  failure: 'a failure',
  partial: 'a partial success',
};

/** Such as `with the action “ran the tests”`. */
export function clauseOf({ kind, value }: Feature): string {
  return CLAUSES[kind](value);
}

export function quoted(value: string): string {
  return `“${value}”`;
}

export function factorText({
  feature,
  present,
  absent,
  lift,
}: Pick<SuccessFactor, 'feature' | 'present' | 'absent' | 'lift'>): string {
  const often = lift >= 1 ? 'more often' : 'less often';
  return `Episodes ${clauseOf(feature)} succeed ${often}: ${successesOf(present)}, against ${successesOf(absent)} of the others.`;
}

function successesOf({ successes, episodes }: OutcomeCounts): string {
  return `${successes} of ${episodes} (${percent(successes / episodes)})`;
}

export function patternText({ kind, feature, counts }: Pick<EpisodePattern, 'kind' | 'feature' | 'counts'>): string {
  const { episodes, successes, failures } = counts;
  return kind === 'recurring_failure'
    ? `Episodes ${clauseOf(feature)} mostly fail: ${failures} of ${episodes} failed.`
    : `Episodes ${clauseOf(feature)} mostly succeed: ${successes} of ${episodes} succeeded.`;
}

export function efficiencyText({
  feature,
  measure,
  ...medians
}: Pick<
  EfficiencyFactor,
  'feature' | 'measure' | 'presentMedian' | 'absentMedian' | 'presentCount' | 'absentCount'
>): string {
  const { presentMedian, absentMedian, presentCount, absentCount } = medians;
  const verb = measure === 'duration' ? 'take' : 'use';
  const [present, absent] = [sizeText(measure, presentMedian), sizeText(measure, absentMedian)];
  const less = presentMedian < absentMedian ? LESS[measure] : MORE[measure];
  return (
    `Episodes ${clauseOf(feature)} ${verb} ${less}: a median of ${present} (${counted(presentCount, 'episode')}), against ` +
    `${absent} (${counted(absentCount, 'episode')}) of others of the same tasks.`
  );
}

const LESS: Partial<Record<Measure, string>> = { duration: 'less time', tokens: 'fewer tokens' };
const MORE: Partial<Record<Measure, string>> = { duration: 'more time', tokens: 'more tokens' };

export interface SizeAnomalyFacts {
  readonly measure: Measure;
  readonly task: string;
  readonly value: number;
  readonly baseline: number;
  readonly baselineCount: number;
  readonly isSameTask: boolean;
}

export function sizeAnomalyText(facts: SizeAnomalyFacts): string {
  const { measure, task, value, baseline, baselineCount, isSameTask } = facts;
  const verb = measure === 'duration' ? 'took' : 'used';
  const only = value < baseline ? 'only ' : '';
  const which = `${counted(baselineCount, 'episode')}${isSameTask ? ' of this task' : ''}`;
  const times = value < baseline ? '' : `, ${timesText(value / baseline)} times the median`;
  return (
    `An episode${task === '' ? '' : ` of the task ${quoted(task)}`} ${verb} ${only}${sizeText(measure, value)}${times}; ` +
    `the median of ${which} in the 30 days before was ${sizeText(measure, baseline)}.`
  );
}

export interface DayAnomalyFacts {
  readonly failures: number;
  readonly count: number;
  readonly baselineFailures: number;
  readonly baselineCount: number;
}

export function dayAnomalyText(startUs: Micros, facts: DayAnomalyFacts): string {
  const { failures, count, baselineFailures, baselineCount } = facts;
  const of = (hits: number, all: number) => `${hits} of ${counted(all, 'episode')} (${percent(hits / all)})`;
  return (
    `On ${spokenDate(startUs)} (UTC) ${of(failures, count)} failed; ` +
    `in the 30 days before ${of(baselineFailures, baselineCount)} did.`
  );
}

export function actionAnomalyText({
  action,
  task,
  baselineCount,
}: {
  readonly action: string;
  readonly task: string;
  readonly baselineCount: number;
}): string {
  const of = task === '' ? '' : ` of the task ${quoted(task)}`;
  return `An episode${of} has the action ${quoted(action)}, which none of the ${counted(baselineCount, 'episode')} in the 30 days before has.`;
}

export function trendText(trend: Pick<Trend, 'measure' | 'earlier' | 'later' | 'earlierCount' | 'laterCount'>): string {
  const { measure, earlier, later, earlierCount, laterCount } = trend;
  const [name, shown] =
    measure === 'success_rate'
      ? ['The success rate', percent]
      : [
          `The median ${measure === 'duration' ? 'duration' : 'number of tokens'}`,
          (value: number) => sizeText(measure, value),
        ];
  const verb = later > earlier ? 'rose' : 'fell';
  return (
    `${name} ${verb} from ${shown(earlier)} in the ${counted(earlierCount, 'earlier episode')} to ` +
    `${shown(later)} in the ${counted(laterCount, 'later episode')}.`
  );
}

export function sizeText(measure: Measure, size: number): string {
  return measure === 'duration' ? durationText(size) : counted(Math.round(size), 'token');
}

/** Such as `45 s`, `3 min 20 s` or `2 h 5 min`: the two largest units. */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const at = units.findIndex(([, length]) => seconds >= length);
  const [[name, length] = ['s', 1], next] = units.slice(at, at + 2);
  // Rounded to the smaller unit first: 59.9 min and a bit are 1 h, not 60 min.
  const rounded = next ? Math.round(seconds / next[1]) * next[1] : Math.round(seconds);
  if (at > 0 && rounded >= (units[at - 1]?.[1] ?? 0)) return durationText(rounded);
  const rest = next ? Math.round((rounded % length) / next[1]) : 0;
  return `${Math.floor(rounded / length)} ${name}${next && rest > 0 ? ` ${rest} ${next[0]}` : ''}`;
}

function timesText(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(1) : String(Math.round(ratio));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
