import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Json, RecallQuery, RecallWeights } from '../../clients/typescript/src/index.ts';
import { nearestOf } from '../memory/nearest-name.ts';
import { type CommandFailure, usage } from './failure.ts';
import {
  durationMs,
  finiteNumber,
  jsonObject,
  memoryId,
  numberFrom,
  numbers,
  time,
  timeZone,
  wholeNumber,
} from './parse-flag.ts';

/** Flags that determine the order of hits. */
export interface RankingFlags {
  readonly ranking?: 'learned' | 'fusion';
  readonly weight?: RecallWeights;
  readonly halfLife?: number;
  readonly diversity?: number;
  readonly groupBy?: 'session';
}

const PARTS = ['keyword', 'vector', 'recency', 'importance', 'session', 'time', 'place'] as const;

export function addRankingFlags(command: Command): Command {
  const group = (flags: string, description: string) => new Option(flags, description).helpGroup('Ranking:');
  return command
    .addOption(
      group('--ranking <word>', 'rank by the learned model, or by fusion of the scores of words and vectors').choices([
        'learned',
        'fusion',
      ]),
    )
    .addOption(
      group(
        '--weight <part=n>',
        `weight of a part of the score, 0 is off; may be repeated: ${PARTS.join(', ')}`,
      ).argParser(weight),
    )
    .addOption(group('--half-life <span>', 'age at which recency counts half (7d)').argParser(durationMs))
    .addOption(
      group('--diversity <d>', 'prefer hits unlike those above them, 0 (off) to 1').argParser(numberFrom(0, 1)),
    )
    .addOption(group('--group-by <word>', 'only the best memory of each session').choices(['session']));
}

export function rankingOf({ ranking, weight: weights, halfLife, diversity, groupBy }: RankingFlags): RecallQuery {
  return {
    ranking,
    weights,
    recencyHalfLifeMs: halfLife,
    diversity,
    groupBy,
  };
}

function weight(text: string, before: RecallWeights = {}): RecallWeights {
  const [, name = '', amount = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const value = amount.trim() === '' ? Number.NaN : Number(amount);
  const part = PARTS.find((known) => known === name);
  if (part === undefined && name !== '') {
    const meant = nearestOf(name, PARTS, (nearest) => ` Did you mean ${nearest}?`);
    throw new InvalidArgumentError(`${name} is not a part of the score: ${PARTS.join(', ')}.${meant}`);
  }
  if (part === undefined || !(value >= 0)) throw new InvalidArgumentError('Expected part=number, such as recency=0.5.');
  return { ...before, [part]: value };
}

/** Flags of the query and the number of hits. */
export interface CueFlags {
  readonly limit?: number;
  readonly example?: { readonly [key: string]: Json };
  readonly similarTo?: string;
  readonly preset?: string;
  readonly parameters?: { readonly [parameter: string]: unknown };
  readonly explain?: boolean;
  readonly minScore?: number;
  readonly minRelevance?: number;
  readonly minSimilarity?: number;
}

/** `limit` and `explain` describe the flags of these names. */
export function addCueFlags(command: Command, { limit, explain }: { limit: string; explain: string }): Command {
  return command
    .argument('[text...]', 'question or topic, in plain language')
    .addOption(new Option('--limit <n>', `${limit} (10, or as the preset says)`).argParser(wholeNumber(1, 1000)))
    .addOption(new Option('--example <json>', 'find memories like this state, a JSON object').argParser(jsonObject))
    .addOption(new Option('--similar-to <id>', 'find memories like this one').argParser(memoryId))
    .option('--preset <name>', 'use a named form of recall, see "mneme presets"')
    .addOption(new Option('--parameters <json>', 'parameters of the preset').argParser(jsonObject))
    .option('--explain', explain)
    .addOption(
      new Option(
        '--min-relevance <p>',
        'leave out hits less likely to answer than this, 0 to 1 (of a text 0.07, or as the namespace says)',
      ).argParser(numberFrom(0, 1)),
    )
    .addOption(new Option('--min-score <n>', 'leave out hits with a lower score').argParser(finiteNumber))
    .addOption(
      new Option('--min-similarity <n>', 'leave out vectors, or states, that are less similar, -1 to 1').argParser(
        numberFrom(-1, 1),
      ),
    );
}

/** Fails when the query has no cue. */
export function requireCue(query: RecallQuery): void {
  const { text, example, similarTo, filter, preset, nearTime, nearPlace, timeWindow } = query;
  const cues = [text, example, similarTo, filter, preset, nearTime, nearPlace, timeWindow];
  if (cues.some((cue) => cue !== undefined)) return;
  throw usage(
    'nothing to look for: use a text, --example, --similar-to, --preset, or flags such as --session (see --help)',
  );
}

/** Flags for nearness in time and place. */
export interface NearnessFlags {
  readonly nearTime?: Date;
  readonly nearStep?: number;
  readonly nearPoint?: readonly number[];
  readonly nearGeo?: readonly number[];
  readonly nearLocation?: string;
  readonly nearRoom?: string;
  readonly nearRegion?: string;
  readonly scale?: string;
  readonly last?: number;
  readonly during?: 'day' | 'week' | 'month' | 'year';
  readonly timeZone?: string;
}

const METRES_DEFAULT = 1000;

export function addNearnessFlags(command: Command): Command {
  const group = (flags: string, description: string) => new Option(flags, description).helpGroup('When and where:');
  const periods = ['day', 'week', 'month', 'year'];
  return command
    .addOption(group('--near-time <time>', 'rank higher what happened near this time').argParser(time))
    .addOption(group('--near-step <n>', 'rank memories of a near step higher').argParser(wholeNumber(0, 2 ** 53 - 1)))
    .addOption(
      group('--near-point <x,y>', 'rank memories near this point higher, x,y or x,y,z').argParser(numbers(2, 3)),
    )
    .addOption(group('--near-geo <lat,lon>', 'rank memories near this point higher on Earth').argParser(numbers(2, 2)))
    .addOption(group('--near-location <name>', 'rank higher what happened at this place'))
    .addOption(group('--near-room <name>', 'rank higher what happened in this room'))
    .addOption(group('--near-region <name>', 'rank higher what happened in this region'))
    .addOption(group('--scale <n>', 'distance at which nearness counts half (1d, 10 steps, 1 unit, 1000 metres)'))
    .addOption(group('--last <span>', 'only what happened in this last time, such as 2h or 7d').argParser(durationMs))
    .addOption(group('--during <period>', 'only what happened in the current period').choices(periods))
    .addOption(
      group('--time-zone <name>', 'time zone of the question and of --during (that of this machine)').argParser(
        timeZone,
      ),
    );
}

export function nearnessOf(flags: NearnessFlags): Pick<RecallQuery, 'nearTime' | 'nearPlace' | 'timeWindow'> {
  const { nearTime, nearStep, nearPoint, nearGeo, scale, last, during } = flags;
  const named = namesOf(flags);
  if (nearTime && nearStep !== undefined) throw exclusive('--near-time', '--near-step');
  if (nearPoint && nearGeo) throw exclusive('--near-point', '--near-geo');
  if (named && (nearPoint ?? nearGeo)) throw exclusive('names of a place', nearPoint ? '--near-point' : '--near-geo');
  if (last !== undefined && during) throw exclusive('--last', '--during');
  if (scale !== undefined && (nearTime ?? nearStep ?? nearPoint ?? nearGeo) === undefined) {
    throw usage('--scale applies only to --near-time, --near-step, --near-point and --near-geo');
  }
  const distance = () => (scale === undefined ? undefined : scaleOf(scale, finiteNumber));
  const duration = () => (scale === undefined ? undefined : scaleOf(scale, durationMs));
  return {
    nearTime: nearTime && { time: nearTime, timeScaleMs: duration() },
    ...(nearStep !== undefined && { nearTime: { step: nearStep, stepScale: distance() } }),
    nearPlace: nearPoint && { point: pointOf(nearPoint), scale: distance() ?? 1 },
    ...(nearGeo && { nearPlace: { geo: geoOf(nearGeo), scaleM: distance() ?? METRES_DEFAULT } }),
    ...(named && { nearPlace: { named } }),
    timeWindow: last === undefined ? undefined : { lastMs: last },
    ...(during && { timeWindow: { period: during } }),
  };
}

/** Its unit is that of what is near, which is known when all flags are read. */
function scaleOf(text: string, parse: (text: string) => number): number {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw usage(`option '--scale <n>' argument '${text}' is invalid. ${error.message}`);
  }
}

function exclusive(one: string, other: string): CommandFailure {
  return usage(`${one} and ${other} exclude each other`);
}

function pointOf([x = 0, y = 0, z]: readonly number[]): { x: number; y: number; z?: number } {
  return { x, y, z };
}

function namesOf({ nearLocation, nearRoom, nearRegion }: NearnessFlags) {
  if ((nearLocation ?? nearRoom ?? nearRegion) === undefined) return undefined;
  return { ...optional('location', nearLocation), ...optional('room', nearRoom), ...optional('region', nearRegion) };
}

function geoOf([latitudeDeg = 0, longitudeDeg = 0]: readonly number[]) {
  return { latitudeDeg, longitudeDeg };
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
