import { Tier } from '../../../gen/ts/mneme/v1/memory.ts';
import { tierText, tierWord } from '../../ui/enums.ts';
import { countText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { quoted } from '../memories/memory-row.tsx';
import type { Plotted } from './plotted.ts';

/** Property of a memory that its colour shows. */
export type Colouring = 'type' | 'tier';

/** Memories of one colour. */
export interface Series {
  readonly label: string;
  /** Condition of a filter that selects them. */
  readonly condition: string;
  /** Class of the colour. */
  readonly colour: string;
  readonly count: number;
  readonly has: (memory: Plotted) => boolean;
}

/** More colours are not told apart; further types share one. */
const TYPES_MAX = 5;

export function seriesOf(memories: readonly Plotted[], colouring: Colouring): readonly Series[] {
  return colouring === 'tier' ? tierSeries(memories) : typeSeries(memories);
}

function tierSeries(memories: readonly Plotted[]): readonly Series[] {
  return [Tier.TIER_SHORT_TERM, Tier.TIER_INTERMEDIATE, Tier.TIER_LONG_TERM].map((tier, at) => {
    const has = (memory: Plotted) => memory.tier === tier;
    const condition = `tier = ${quoted(tierWord(tier))}`;
    return { label: tierText(tier), condition, colour: `series-${at}`, count: memories.filter(has).length, has };
  });
}

function typeSeries(memories: readonly Plotted[]): readonly Series[] {
  const counts = new Map<string, number>();
  for (const { type } of memories) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].sort(([one, ones], [two, twos]) => twos - ones || (one < two ? -1 : 1));
  const named = types.slice(0, types.length > TYPES_MAX + 1 ? TYPES_MAX : TYPES_MAX + 1);
  const series = named.map(([type, count], at) => ({
    label: type,
    condition: `type = ${quoted(type)}`,
    colour: `series-${at}`,
    count,
    has: (memory: Plotted) => memory.type === type,
  }));
  const names = new Set(named.map(([type]) => type));
  const count = types.slice(named.length).reduce((sum, [, each]) => sum + each, 0);
  if (count === 0) return series;
  const condition = `NOT type IN (${[...names].map(quoted).join(', ')})`;
  const others = { label: `${types.length - names.size} other types`, colour: `series-${TYPES_MAX}`, condition, count };
  return [...series, { ...others, has: ({ type }) => !names.has(type) }];
}

export function Legend({ series }: { readonly series: readonly Series[] }) {
  return (
    <ul class="row legend" aria-label="Colours">
      {series.map(({ label, colour, count }) => (
        <li key={label} class="row">
          <span class={`swatch ${colour}`} aria-hidden="true" />
          <PlainText text={label} max={40} /> <span class="quiet">{countText(count)}</span>
        </li>
      ))}
    </ul>
  );
}
