import { useMemo, useState } from 'preact/hooks';
import type { Parameters } from '../../app/navigation.ts';
import { goWith, usePlace } from '../../app/router.ts';
import { countOf, countText } from '../../ui/format.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { FilterField } from '../memories/filter-field.tsx';
import { TiersPanel } from '../overview/memory-panels.tsx';
import { overviewOf } from '../overview/overview.ts';
import { PlacePanels } from './place-panels.tsx';
import { plottedMemories, type TimeField } from './plotted.ts';
import { type Colouring, Legend, seriesOf } from './series.tsx';
import { TimePanel } from './time-panel.tsx';

/** Memories as pictures: over time, by tier, and where they happened; the address has the filter and the choices. */
export function PlotsPage({ parameters }: { readonly parameters: Parameters }) {
  const { namespace = '' } = parameters;
  const { query } = usePlace();
  const filter = query.get('filter') ?? '';
  const timeField: TimeField = query.get('time') === 'stored' ? 'create_time' : 'event_time';
  const colouring: Colouring = query.get('colour') === 'tier' ? 'tier' : 'type';
  return (
    <Page title="Plots">
      <div class="list-head plots-head">
        <FilterField key={filter} namespace={namespace} filter={filter} />
        <Choice
          label="Time"
          value={timeField === 'create_time' ? 'stored' : ''}
          options={{ '': 'when it happened', stored: 'when it was stored' }}
          choose={(time) => goWith({ time }, { replace: true })}
        />
        <Choice
          label="Colours"
          value={colouring === 'tier' ? 'tier' : ''}
          options={{ '': 'colours by type', tier: 'colours by tier' }}
          choose={(colour) => goWith({ colour }, { replace: true })}
        />
      </div>
      <Plots {...{ namespace, filter, timeField, colouring }} step={query.get('step') ?? ''} />
      <Tiers namespace={namespace} />
    </Page>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly choose: (value: string) => void;
}

function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label>
      <span class="unseen">{label}</span>
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {Object.entries(options).map(([word, text]) => (
          <option key={word} value={word}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PlotsProps {
  readonly namespace: string;
  readonly filter: string;
  readonly timeField: TimeField;
  readonly colouring: Colouring;
  readonly step: string;
}

function Plots({ namespace, filter, timeField, colouring, step }: PlotsProps) {
  const [readCount, setReadCount] = useState(0);
  const { value, failure, again } = useAsked(
    (signal) => plottedMemories({ namespace, filter, timeField }, setReadCount, signal),
    [namespace, filter, timeField],
  );
  const memories = value?.memories ?? [];
  const series = useMemo(() => seriesOf(memories, colouring), [value, colouring]);
  if (failure) return <Failure failure={failure} again={again} />;
  if (!value) return <Loading>Loading … {readCount > 0 && countText(readCount)}</Loading>;
  if (memories.length === 0) {
    const isAll = filter === '';
    return (
      <Empty>
        {isAll ? 'The namespace has no memories.' : 'No memory matches the filter.'}{' '}
        <button type="button" class="link" onClick={isAll ? again : () => goWith({ filter: '' })}>
          {isAll ? 'Load again' : 'Plot all memories'}
        </button>
      </Empty>
    );
  }
  const shared = { memories, series, namespace, filter };
  return (
    <>
      <div class="row">
        <span>{extentText(memories.length, value.total)}</span>
        <button type="button" onClick={again}>
          Load again
        </button>
      </div>
      <Legend series={series} />
      <TimePanel {...shared} timeField={timeField} step={step} />
      <PlacePanels {...shared} />
    </>
  );
}

function extentText(shown: number, total: number): string {
  const all = countOf(total, 'memory', 'memories');
  return shown < total ? `The latest ${countText(shown)} of ${all}` : all;
}

/** Sizes of the tiers of the whole namespace with their limits. */
function Tiers({ namespace }: { readonly namespace: string }) {
  const { value, failure, again } = useAsked((signal) => overviewOf(namespace, signal), [namespace]);
  if (failure) return <Failure failure={failure} again={again} />;
  return value?.ofNamespace ? <TiersPanel {...value} namespace={namespace} /> : null;
}
