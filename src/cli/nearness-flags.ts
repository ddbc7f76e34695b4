import { type Command, Option } from 'commander';
import type { RecallQuery } from '../../clients/typescript/src/index.ts';
import { type CommandFailure, usage } from './failure.ts';
import { durationMs, finiteNumber, numbers, time, wholeNumber } from './parse-flag.ts';

/** Flags that say when and where. */
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
    .addOption(group('--near-step <n>', 'rank higher what is of a near step').argParser(wholeNumber(0, 2 ** 53 - 1)))
    .addOption(
      group('--near-point <x,y>', 'rank higher what is near this point, x,y or x,y,z').argParser(numbers(2, 3)),
    )
    .addOption(group('--near-geo <lat,lon>', 'rank higher what is near this point on Earth').argParser(numbers(2, 2)))
    .addOption(group('--near-location <name>', 'rank higher what happened at this place'))
    .addOption(group('--near-room <name>', 'rank higher what happened in this room'))
    .addOption(group('--near-region <name>', 'rank higher what happened in this region'))
    .addOption(group('--scale <n>', 'distance at which nearness counts half (1d, 10 steps, 1 unit, 1000 metres)'))
    .addOption(group('--last <span>', 'only what happened in this last time, such as 2h or 7d').argParser(durationMs))
    .addOption(group('--during <period>', 'only what happened in the current period').choices(periods))
    .addOption(group('--time-zone <name>', 'time zone of --during, such as Europe/Paris (UTC)'));
}

export function nearnessOf(flags: NearnessFlags): Pick<RecallQuery, 'nearTime' | 'nearPlace' | 'timeWindow'> {
  const { nearTime, nearStep, nearPoint, nearGeo, scale, last, during, timeZone } = flags;
  const named = namesOf(flags);
  if (nearTime && nearStep !== undefined) throw exclusive('--near-time', '--near-step');
  if (nearPoint && nearGeo) throw exclusive('--near-point', '--near-geo');
  if (named && (nearPoint ?? nearGeo)) throw exclusive('names of a place', nearPoint ? '--near-point' : '--near-geo');
  if (last !== undefined && during) throw exclusive('--last', '--during');
  const distance = () => (scale === undefined ? undefined : finiteNumber(scale));
  return {
    ...(nearTime && { nearTime: { time: nearTime, ...(scale !== undefined && { timeScaleMs: durationMs(scale) }) } }),
    ...(nearStep !== undefined && { nearTime: { step: nearStep, ...given('stepScale', distance()) } }),
    ...(nearPoint && { nearPlace: { point: pointOf(nearPoint), scale: distance() ?? 1 } }),
    ...(nearGeo && { nearPlace: { geo: geoOf(nearGeo), scaleM: distance() ?? METRES_DEFAULT } }),
    ...(named && { nearPlace: { named } }),
    ...(last !== undefined && { timeWindow: { lastMs: last } }),
    ...(during && { timeWindow: { period: during, ...given('timeZone', timeZone) } }),
  };
}

function exclusive(one: string, other: string): CommandFailure {
  return usage(`${one} and ${other} exclude each other`);
}

function pointOf([x = 0, y = 0, z]: readonly number[]): { x: number; y: number; z?: number } {
  return { x, y, ...given('z', z) };
}

function namesOf({ nearLocation, nearRoom, nearRegion }: NearnessFlags) {
  if ((nearLocation ?? nearRoom ?? nearRegion) === undefined) return undefined;
  return { ...given('location', nearLocation), ...given('room', nearRoom), ...given('region', nearRegion) };
}

function geoOf([latitudeDeg = 0, longitudeDeg = 0]: readonly number[]) {
  return { latitudeDeg, longitudeDeg };
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
