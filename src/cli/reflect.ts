import { type Command, Option } from 'commander';
import type { EpisodeFinding, Insight, Reflection, SuccessFactor } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help.ts';
import { endTime, numberFrom, time, wholeNumber } from './parse-flag.ts';
import { columnsOf, counted, paint, print, printable, printJson, wrapped } from './terminal.ts';

interface ReflectFlags extends ClientFlags {
  readonly since?: Date;
  readonly until?: Date;
  readonly task?: string;
  readonly minSupport?: number;
  readonly minConfidence?: number;
  readonly maxEpisodes?: number;
  readonly limit?: number;
  readonly phrase?: boolean;
  readonly details?: boolean;
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly session?: string;
}

export function defineReflect(command: Command): void {
  const scope = (flags: string, description: string) => new Option(flags, description).helpGroup('Whose episodes:');
  command
    .description(
      'Show what recorded episodes teach: what goes with success, what fails, what is unusual. Changes nothing.',
    )
    .addOption(new Option('--since <time>', 'episodes from then on (30 days before the end)').argParser(time))
    .addOption(
      new Option('--until <time>', 'episodes before then (now); a day is included, see "mneme help times"').argParser(
        endTime,
      ),
    )
    .addOption(new Option('--task <words>', 'only episodes whose task has these words'))
    .option('--details', 'every result, with its numbers, instead of the advice')
    .option('--phrase', 'have the model of the server word the advice')
    .addOption(
      new Option('--min-support <n>', 'results of at least so many episodes (3)').argParser(wholeNumber(2, 1000)),
    )
    .addOption(
      new Option('--min-confidence <share>', 'results at least so certain (0.95)').argParser(numberFrom(0.5, 0.999)),
    )
    .addOption(new Option('--max-episodes <n>', 'read so many, the newest (5000)').argParser(wholeNumber(1, 20_000)))
    .addOption(new Option('--limit <n>', 'at most so many of each kind (20)').argParser(wholeNumber(1, 100)))
    .addOption(scope('--project <name>', 'of this project'))
    .addOption(scope('--agent-type <name>', 'of agents of this type'))
    .addOption(scope('--agent <name>', 'of this agent'))
    .addOption(scope('--session <name>', 'of this session'))
    .addHelpText('after', examples('mneme reflect', 'mneme reflect --task deploy --since 2026-11-01 --details'))
    .action(run);
  addClientFlags(addJsonFlag(command));
}

async function run(flags: ReflectFlags): Promise<void> {
  const { since, until, task, minSupport, minConfidence, maxEpisodes, limit, phrase } = flags;
  const { project, agentType, agent, session } = flags;
  const parts = Object.entries({ project, agentType, agent, session }).filter(([, part]) => part !== undefined);
  const query = {
    ...(parts.length > 0 && { scope: Object.fromEntries(parts) }),
    startTime: since,
    endTime: until,
    task,
    minSupport,
    minConfidence,
    maxEpisodes,
    limit,
    ...(phrase && { phrase }),
  };
  await withClient(flags, async (mneme) => {
    const reflection = await mneme.episodes.reflect(query);
    if (flags.json) return printJson(reflection);
    for (const line of summaryLines(reflection)) await print(line);
    if (reflection.counts.episodes === 0) return;
    const lines = flags.details ? detailLines(reflection) : adviceLines(reflection);
    for (const line of lines) await print(line);
    if (lines.length === 0) await print(`\n${NOTHING}`);
    if (reflection.phrasingFailure !== '') process.stderr.write(`${printable(reflection.phrasingFailure)}\n`);
  });
}

const NOTHING =
  'Nothing stands out: no difference is clearer than chance. --min-confidence 0.8 shows less certain results.';

function summaryLines(reflection: Reflection): string[] {
  const { startTime, endTime, truncated, counts, unknownOutcomeCount, damagedCount } = reflection;
  const { episodes, successes, failures, partials } = counts;
  const range = `${day(startTime)} to ${day(new Date(endTime.getTime() - 1))}`;
  if (episodes === 0) {
    return [`no episodes with a known outcome from ${range}`, ...leftOut(unknownOutcomeCount, damagedCount)];
  }
  const partly = partials === 0 ? '' : `, ${partials} succeeded in part`;
  const { actionsRecordedCount, durationRecordedCount, tokensRecordedCount } = reflection;
  return [
    `${counted(episodes, 'episode')} from ${range}: ${successes} succeeded, ${failures} failed${partly}`,
    ...(truncated ? [paint('dim', 'there are more: --max-episodes reads more, up to 20000')] : []),
    paint(
      'dim',
      `recorded with actions: ${actionsRecordedCount}, with duration: ${durationRecordedCount}, ` +
        `with tokens: ${tokensRecordedCount}`,
    ),
    ...leftOut(unknownOutcomeCount, damagedCount),
  ];
}

function leftOut(unknown: number, damaged: number): string[] {
  return [
    ...(unknown === 0 ? [] : [paint('dim', `left out: ${counted(unknown, 'episode')} without a known outcome`)]),
    ...(damaged === 0 ? [] : [paint('dim', `left out: ${counted(damaged, 'damaged memory', 'damaged memories')}`)]),
  ];
}

const STYLES: Partial<Record<Insight['kind'], 'yellow' | 'green' | 'cyan'>> = {
  warning: 'yellow',
  recommendation: 'green',
  learning: 'cyan',
};

function adviceLines({ insights }: Reflection): string[] {
  return insights.flatMap((insight) => [
    '',
    paint(STYLES[insight.kind] ?? 'bold', insight.kind),
    ...body(insight, counted(insight.supportCount, 'episode')),
  ]);
}

function detailLines(reflection: Reflection): string[] {
  const { patterns, successFactors, efficiencyFactors, anomalies, trends } = reflection;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['patterns', patterns.flatMap((pattern) => body(pattern, counted(pattern.counts.episodes, 'episode')))],
    ['success factors', successFactors.flatMap(factorLines)],
    ['efficiency', efficiencyFactors.flatMap((factor) => body(factor, counted(factor.presentCount, 'episode')))],
    ['anomalies', anomalies.flatMap((anomaly) => body(anomaly, day(anomaly.time)))],
    ['trends', trends.flatMap((trend) => body(trend, counted(trend.earlierCount + trend.laterCount, 'episode')))],
  ];
  return sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : ['', paint('bold', title), ...lines]));
}

/** Features that the factor explains stay visible: one of them may be the cause. */
function factorLines(factor: SuccessFactor): string[] {
  const related = factor.related.map(
    ({ kind, value }) => `${kind.replaceAll('_', ' ')}${value === '' ? '' : ` “${value}”`}`,
  );
  return [
    ...body(factor, `lift ${factor.lift.toFixed(1)}, ${counted(factor.present.episodes, 'episode')}`),
    ...(related.length === 0 ? [] : dimmed(`related: ${related.join(', ')}`)),
  ];
}

const INDENT = '  ';
const CITED = 3;
/** A more certain result is not shown as 100 %. */
const CERTAIN = 0.999;
function body({ text, confidence, episodeIds }: EpisodeFinding, note: string): string[] {
  const more = episodeIds.length > CITED ? ' …' : '';
  const ids = episodeIds.slice(0, CITED).map((id) => id.slice(0, 8));
  const percent = confidence > CERTAIN ? 'over 99.9 %' : `${(100 * confidence).toFixed(1)} %`;
  const source = `${percent} certain, ${note}${ids.length === 0 ? '' : `: ${ids.join(', ')}${more}`}`;
  return [...wrapped(text, columnsOf() - INDENT.length).map((line) => `${INDENT}${line}`), ...dimmed(source)];
}

function dimmed(text: string): string[] {
  return wrapped(text, columnsOf() - INDENT.length).map((line) => paint('dim', `${INDENT}${line}`));
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
