import { useMemo } from 'preact/hooks';
import { countText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { listAddress, narrowed } from '../memories/address.ts';
import { quoted } from '../memories/memory-row.tsx';
import type { Plotted } from './plotted.ts';
import { type Point, Scatter } from './scatter.tsx';
import type { Series } from './series.tsx';

interface PlacesProps {
  readonly memories: readonly Plotted[];
  readonly series: readonly Series[];
  readonly namespace: string;
  readonly filter: string;
}

/** Where memories happened: on a plane, on a map, and by the names of places. */
export function PlacePanels({ memories, series, namespace, filter }: PlacesProps) {
  const onPlane = useMemo(() => memories.flatMap(planePoint), [memories]);
  const onEarth = useMemo(() => earthPoints(memories), [memories]);
  const locations = useMemo(() => locationsOf(memories), [memories]);
  const shared = { series, namespace };
  if (onPlane.length + onEarth.length + locations.length === 0) {
    return (
      <section class="panel">
        <h2>Places</h2>
        <Empty>
          None of these memories has a place. A memory gets one from its field <code>place</code>, or from a{' '}
          <code>position</code> in JSON content.
        </Empty>
      </section>
    );
  }
  return (
    <>
      {onPlane.length > 0 && <Scatter title="Places on a plane" axes={['x', 'y']} points={onPlane} {...shared} />}
      {onEarth.length > 0 && <Scatter title="Places on Earth" axes={['east', 'north']} points={onEarth} {...shared} />}
      {locations.length > 0 && (
        <section class="panel">
          <h2>Names of places</h2>
          <ul class="row">
            {locations.slice(0, LOCATIONS_SHOWN).map(([location, count]) => (
              <li key={location}>
                <a class="badge" href={listAddress(namespace, narrowed(filter, `location = ${quoted(location)}`))}>
                  <PlainText text={location} max={40} /> {countText(count)}
                </a>
              </li>
            ))}
          </ul>
          {locations.length > LOCATIONS_SHOWN && (
            <p class="quiet">and {countText(locations.length - LOCATIONS_SHOWN)} more</p>
          )}
        </section>
      )}
    </>
  );
}

const LOCATIONS_SHOWN = 50;

function planePoint(memory: Plotted): readonly Point[] {
  const point = memory.place?.point;
  if (!point) return [];
  const { x, y, z } = point;
  const numbers = [x, y, ...(z === undefined ? [] : [z])];
  return [{ memory, x, y, text: numbers.map((value) => Number(value.toPrecision(6))).join(', ') }];
}

/** North is up; a degree of longitude is as long as it is in the middle of the points. */
function earthPoints(memories: readonly Plotted[]): readonly Point[] {
  const placed = memories.flatMap((memory) => (memory.place?.geo ? [{ memory, geo: memory.place.geo }] : []));
  const latitude = placed.reduce((sum, { geo }) => sum + geo.latitudeDeg, 0) / placed.length;
  const shrink = Math.max(0.1, Math.cos((latitude * Math.PI) / 180));
  return placed.map(({ memory, geo: { latitudeDeg, longitudeDeg } }) => ({
    memory,
    x: longitudeDeg * shrink,
    y: latitudeDeg,
    text: `${degrees(latitudeDeg, 'N', 'S')} ${degrees(longitudeDeg, 'E', 'W')}`,
  }));
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`;
}

/** Names with the number of their memories, largest first. */
function locationsOf(memories: readonly Plotted[]): readonly (readonly [location: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { place } of memories) {
    if (place && place.location !== '') counts.set(place.location, (counts.get(place.location) ?? 0) + 1);
  }
  return [...counts].sort(([one, ones], [two, twos]) => twos - ones || (one < two ? -1 : 1));
}
