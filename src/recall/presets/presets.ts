import { attribute } from './attribute.ts';
import { combinedOf } from './combined.ts';
import { compound } from './compound.ts';
import { content } from './content.ts';
import { hybrid } from './hybrid.ts';
import { importance } from './importance.ts';
import {
  attributes,
  byStep,
  customFilter,
  lastDays,
  lastHours,
  lastMinutes,
  oldest,
  recent,
  stepRange,
  tag,
  timeRange,
} from './listed.ts';
import { match } from './match.ts';
import { path } from './path.ts';
import type { Preset } from './preset.ts';
import { sequence } from './sequence.ts';
import { similarity } from './similarity.ts';
import { stepBased } from './step-based.ts';
import { temporal } from './temporal.ts';
import { window } from './window.ts';

const SINGLE = byName([
  attribute,
  attributes,
  byStep,
  compound,
  content,
  customFilter,
  hybrid,
  importance,
  lastDays,
  lastHours,
  lastMinutes,
  match,
  oldest,
  path,
  recent,
  sequence,
  similarity,
  stepBased,
  stepRange,
  tag,
  temporal,
  timeRange,
  window,
]);

/** Every retrieval form, by name. */
export const PRESETS: ReadonlyMap<string, Preset> = byName([...SINGLE.values(), combinedOf(SINGLE)]);

function byName(presets: readonly Preset[]): ReadonlyMap<string, Preset> {
  const sorted = presets.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return new Map(sorted.map((preset) => [preset.name, preset]));
}
