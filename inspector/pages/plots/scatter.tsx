import { useMemo, useRef, useState } from 'preact/hooks';
import { getMemory } from '../../api/calls.ts';
import { idOf } from '../../api/names.ts';
import { timestampOf } from '../../api/times.ts';
import { go } from '../../app/router.ts';
import { tierText } from '../../ui/enums.ts';
import { countOf, countText, timeText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import { memoryAddress } from '../memories/address.ts';
import { DataTable } from './data-table.tsx';
import type { Plotted } from './plotted.ts';
import type { Series } from './series.tsx';

export interface Point {
  readonly memory: Plotted;
  /** To the right. */
  readonly x: number;
  /** Upwards. */
  readonly y: number;
  /** Coordinates as people read them. */
  readonly text: string;
}

interface ScatterProps {
  readonly title: string;
  /** What the axes are: to the right, upwards. */
  readonly axes: readonly [x: string, y: string];
  readonly points: readonly Point[];
  readonly series: readonly Series[];
  readonly namespace: string;
}

const WIDTH = 1000;
const HEIGHT = 500;
const MARGIN = 20;
const SHEET = `0 0 ${WIDTH} ${HEIGHT}`;
/** More points have smaller dots. */
const DENSE = 1000;
/** Farther from the pointer no point is meant, in pixels. */
const NEAR = 24;
const ROWS_MAX = 500;

/** Points of memories to scale. The pointer and the arrow keys choose one, whose text is shown below. */
export function Scatter({ title, axes, points, series, namespace }: ScatterProps) {
  const placed = useMemo(() => placedOf(points), [points]);
  const dots = useMemo(
    () => series.map(({ colour, has }) => ({ colour, path: dotsOf(placed.filter(({ memory }) => has(memory))) })),
    [placed, series],
  );
  const [at, setAt] = useState<number>();
  const svg = useRef<SVGSVGElement>(null);
  const chosen = at === undefined ? undefined : placed[at];
  const open = ({ memory }: Point) => go(memoryAddress(namespace, idOf(memory.name)));
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextAt(event.key, at, placed.length);
    if (next !== undefined) setAt(next);
    else if (event.key === 'Enter' && chosen) open(chosen);
    else return;
    event.preventDefault();
  };
  const nearest = ({ clientX, clientY }: PointerEvent) =>
    svg.current && nearestAt(placed, svg.current, clientX, clientY);
  return (
    <section class="panel">
      <h2>{title}</h2>
      <p class="quiet small">
        {countOf(points.length, 'memory', 'memories')}; {axes[0]} to the right, {axes[1]} upwards, to one scale
      </p>
      <div
        class="scatter"
        role="application"
        aria-label={`${title}: ${countText(points.length)} points. The arrow keys choose one, Enter opens it.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => at === undefined && setAt(0)}
        onPointerMove={(event) => setAt(nearest(event) ?? at)}
        onPointerUp={(event) => {
          if (event.button !== 0) return;
          const found = nearest(event) ?? undefined;
          const point = found === undefined ? undefined : placed[found];
          // A finger has no way to look first.
          if (point && event.pointerType === 'mouse') open(point);
          else if (point) setAt(found);
        }}
      >
        <svg ref={svg} viewBox={SHEET} class={placed.length > DENSE ? 'dense' : ''} aria-hidden="true">
          {dots.map(({ colour, path }) => (
            <path key={colour} class={colour} d={path} />
          ))}
        </svg>
        {/* A drawing of its own: another choice leaves the thousands of dots as they are. */}
        <svg viewBox={SHEET} class="mark" aria-hidden="true">
          {chosen && <path class="chosen" d={dotsOf([chosen])} />}
          {chosen && <path class={series.find(({ has }) => has(chosen.memory))?.colour} d={dotsOf([chosen])} />}
        </svg>
      </div>
      <div class="chosen-text" aria-live="polite">
        {chosen ? (
          <Chosen point={chosen} namespace={namespace} />
        ) : (
          <span class="quiet">Point at a memory, or use the arrow keys, to read it.</span>
        )}
      </div>
      {placed.length > ROWS_MAX && <p class="quiet small">The table has the first {countText(ROWS_MAX)} points.</p>}
      <DataTable
        label={title}
        heads={['Memory', 'Place', 'Type', 'Tier', 'Time']}
        rows={() =>
          placed.slice(0, ROWS_MAX).map(({ memory, text }) => [
            <a href={memoryAddress(namespace, idOf(memory.name))}>
              <PlainText text={idOf(memory.name)} />
            </a>,
            text,
            <PlainText text={memory.type} />,
            tierText(memory.tier),
            timeText(timestampOf(new Date(memory.atMs))),
          ])
        }
      />
    </section>
  );
}

/** Time for which the choice rests before its text is asked for. */
const REST_MS = 120;

function Chosen({ point, namespace }: { readonly point: Point; readonly namespace: string }) {
  const { name, type, tier, atMs } = point.memory;
  const { value, failure } = useAsked(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      signal.throwIfAborted();
      return getMemory({ name }, signal);
    },
    [name],
  );
  const text = value?.memory?.text ?? failure?.message ?? '…';
  return (
    <>
      <a href={memoryAddress(namespace, idOf(name))}>
        <PlainText text={text === '' ? '(no text)' : text} max={300} />
      </a>
      <span class="quiet small">
        <PlainText text={type} />, {tierText(tier)}, {point.text}, {timeText(timestampOf(new Date(atMs)))}
      </span>
    </>
  );
}

interface Placed extends Point {
  readonly left: number;
  readonly top: number;
}

/** Points on the sheet, both axes to the same scale, from left to right. */
function placedOf(points: readonly Point[]): readonly Placed[] {
  const [x, y] = [rangeOf(points.map((point) => point.x)), rangeOf(points.map((point) => point.y))];
  const scale = Math.min((WIDTH - 2 * MARGIN) / (x.length || 1), (HEIGHT - 2 * MARGIN) / (y.length || 1));
  return points
    .map((point) => ({
      ...point,
      left: WIDTH / 2 + (point.x - x.middle) * scale,
      top: HEIGHT / 2 - (point.y - y.middle) * scale,
    }))
    .sort((one, two) => one.left - two.left || one.top - two.top);
}

function rangeOf(values: readonly number[]): { readonly middle: number; readonly length: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  // Halves first: the difference of the largest numbers is no number.
  return { middle: least / 2 + most / 2, length: most - least };
}

/** One path for all: a line of no length with round ends is a dot. */
function dotsOf(placed: readonly Placed[]): string {
  return placed.map(({ left, top }) => `M${left.toFixed(1)} ${top.toFixed(1)}h0`).join('');
}

function nextAt(key: string, at: number | undefined, count: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowDown') return at === undefined ? 0 : Math.min(count - 1, at + 1);
  if (key === 'ArrowLeft' || key === 'ArrowUp') return Math.max(0, (at ?? 0) - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

function nearestAt(
  placed: readonly Placed[],
  svg: SVGSVGElement,
  clientX: number,
  clientY: number,
): number | undefined {
  const matrix = svg.getScreenCTM();
  if (!matrix) return undefined;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  let best = NEAR / matrix.a;
  let found: number | undefined;
  for (const [at, { left, top }] of placed.entries()) {
    const distance = Math.hypot(left - x, top - y);
    if (distance < best) [best, found] = [distance, at];
  }
  return found;
}
