import type { SettingName } from '../../src/server/config/config.ts';
import type { Unit } from '../../src/server/config/setting.ts';
import { declared, longest } from './declared.ts';
import { withUnit } from './units.ts';

export interface Limit {
  readonly what: string;
  /** As the source declares it; absent where a setting says it. */
  readonly value?: number | string;
  /** `bytes` and `ms` are shown in the largest unit that fits; another one stands behind the number. */
  readonly unit?: string;
  /** The setting whose default it is. */
  readonly by?: SettingName;
  /** Stands behind the value. */
  readonly more?: string;
  /** Reasons of errors, or what happens instead. */
  readonly beyond: readonly string[];
}

export type Subject = readonly [heading: string, limits: readonly Limit[]];

export const REFUSED = ['FIELD_INVALID'];
export const DAY_MS = 86_400_000;

/** A constant of a file of the transport. */
export function grpc(file: string, constant: string): number {
  return declared(`src/server/grpc/${file}.ts`, constant);
}

/** The longest id that a pattern of the transport takes. */
export function idLength(file: string, pattern: string): number {
  return longest(`src/server/grpc/${file}.ts`, pattern);
}

export function range(min: number, max: number, unit: Unit): string {
  return `${withUnit(min, unit)} to ${withUnit(max, unit)}`;
}
