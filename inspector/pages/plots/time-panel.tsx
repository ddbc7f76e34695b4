import { useMemo } from 'preact/hooks';
import { goWith } from '../../app/router.ts';
import { countOf, countText } from '../../ui/format.ts';
import { listAddress, narrowed } from '../memories/address.ts';
import { type Bucket, bucketCondition, bucketsOf, bucketText, fittingStep, STEPS } from './buckets.ts';
import { DataTable } from './data-table.tsx';
import type { Plotted, TimeField } from './plotted.ts';
import type { Series } from './series.tsx';

interface TimePanelProps {
  readonly memories: readonly Plotted[];
  readonly series: readonly Series[];
  readonly namespace: string;
  readonly filter: string;
  readonly timeField: TimeField;
  /** Word of the address; empty: the step that fits. */
  readonly step: string;
}

/** Widths of a stack and of all, in rem: few stacks are no wide walls. */
const STACK_MAX = 4;
const WIDTH_MIN = 20;

/** Memories over time: a stack for each day, week or month; each part leads to its memories. */
export function TimePanel({ memories, series, namespace, filter, timeField, step: word }: TimePanelProps) {
  const fitting = useMemo(() => fittingStep(memories), [memories]);
  const step = STEPS.find((one) => one === word) ?? fitting;
  const { buckets, earlierCount } = useMemo(() => bucketsOf(memories, step), [memories, step]);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.memories.length));
  const addressOf = (bucket: Bucket, condition = '') => {
    const time = bucketCondition(bucket, timeField);
    return listAddress(namespace, narrowed(filter, condition === '' ? time : `${time} AND ${condition}`));
  };
  const stacks = buckets.map((bucket) => ({
    bucket,
    text: bucketText(bucket, step),
    parts: series.map((one) => ({ ...one, count: bucket.memories.filter(one.has).length })),
  }));
  return (
    <section class="panel">
      <div class="row">
        <h2>Memories over time</h2>
        <span class="spring" />
        <label>
          <span class="unseen">Bars</span>
          <select
            value={step}
            onChange={({ currentTarget }) => goWith({ step: currentTarget.value }, { replace: true })}
          >
            {STEPS.map((one) => (
              <option key={one} value={one}>
                by {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div style={{ maxWidth: `${Math.max(WIDTH_MIN, stacks.length * STACK_MAX)}rem` }}>
        <span class="quiet small">{countText(most)}</span>
        {/* The table has the same links for the keyboard. */}
        <div class="stacks" aria-hidden="true">
          {stacks.map(({ bucket, text, parts }) => (
            <div key={bucket.fromMs} class="stacked">
              {parts.map(
                ({ label, count, condition, colour }) =>
                  count > 0 && (
                    // biome-ignore lint/a11y/useAnchorContent: the stacks are hidden from screen readers
                    <a
                      key={label}
                      tabIndex={-1}
                      class={colour}
                      style={{ height: `${(100 * count) / most}%` }}
                      title={`${text}: ${countText(count)} ${label}`}
                      href={addressOf(bucket, condition)}
                    />
                  ),
              )}
            </div>
          ))}
        </div>
        <div class="row quiet small">
          <span>{stacks.at(0)?.text}</span>
          <span class="spring" />
          {stacks.length > 1 && <span>{stacks.at(-1)?.text}</span>}
        </div>
      </div>
      {earlierCount > 0 && (
        <p class="quiet small">
          {countOf(earlierCount, 'earlier memory has', 'earlier memories have')} no bar: there are at most{' '}
          {buckets.length}.
        </p>
      )}
      <DataTable
        label="Memories over time"
        heads={[`From the ${step}`, 'All', ...series.map(({ label }) => label)]}
        rows={() =>
          stacks.map(({ bucket, text, parts }) => [
            text,
            <a href={addressOf(bucket)}>{countText(bucket.memories.length)}</a>,
            ...parts.map(({ count, condition }) =>
              count === 0 ? '0' : <a href={addressOf(bucket, condition)}>{countText(count)}</a>,
            ),
          ])
        }
      />
    </section>
  );
}
