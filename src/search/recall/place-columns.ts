import type { GeoPoint, Point } from '../../memory/memory.ts';
import {
  distanceM,
  type NearPoint,
  PLACE_NAMES,
  type PlaceNames,
  sharedNames,
  straightDistance,
} from '../../memory/place.ts';
import { NumberColumn } from '../filtering/number-column.ts';
import type { KeptColumns } from './kept-columns.ts';

interface Located {
  readonly step?: number;
  readonly point?: Point;
  readonly geo?: GeoPoint;
  readonly names?: PlaceNames;
}

/** Steps, coordinates and names of places by sequence. */
export class PlaceColumns {
  private readonly steps = new NumberColumn();
  private readonly x = new NumberColumn();
  private readonly y = new NumberColumn();
  private readonly z = new NumberColumn();
  private readonly latitude = new NumberColumn();
  private readonly longitude = new NumberColumn();
  private readonly names = { location: new NumberColumn(), room: new NumberColumn(), region: new NumberColumn() };
  private readonly nameNumbers = new Map<string, number>();

  put(sequence: number, row: Located): void {
    this.steps.set(sequence, row.step);
    this.x.set(sequence, row.point?.x);
    this.y.set(sequence, row.point?.y);
    this.z.set(sequence, row.point?.z);
    this.latitude.set(sequence, row.geo?.latitudeDeg);
    this.longitude.set(sequence, row.geo?.longitudeDeg);
    for (const part of PLACE_NAMES) this.names[part].set(sequence, this.numberOf(row.names?.[part] ?? ''));
  }

  /** A copy of the current state to persist, without the names. */
  toKeep(): Pick<KeptColumns, 'placeLengths' | 'places'> {
    const all = this.columns.map((column) => column.values);
    const places = new Float64Array(all.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const numbers of all) {
      places.set(numbers, at);
      at += numbers.length;
    }
    return { placeLengths: Uint32Array.from(all, ({ length }) => length), places };
  }

  /** Takes over persisted columns and names; only before the first `put`. */
  adopt({ placeLengths, places }: Pick<KeptColumns, 'placeLengths' | 'places'>, names: readonly string[]): void {
    let at = 0;
    for (const [number, column] of this.columns.entries()) {
      const length = placeLengths[number] ?? 0;
      column.values = places.slice(at, at + length);
      at += length;
    }
    for (const name of names) this.numberOf(name);
  }

  /** Names of places in the order of their numbers. */
  get nameList(): readonly string[] {
    return [...this.nameNumbers.keys()];
  }

  private get columns(): readonly NumberColumn[] {
    return [this.steps, this.x, this.y, this.z, this.latitude, this.longitude, ...Object.values(this.names)];
  }

  /** `NaN` where the memory has no step. */
  step(sequence: number): number {
    return this.steps.at(sequence);
  }

  /** `NaN` where the memory has no such coordinates. */
  distance(sequence: number, near: NearPoint): number {
    if (near.kind === 'geo') {
      const [latitudeDeg, longitudeDeg] = [this.latitude.at(sequence), this.longitude.at(sequence)];
      return Number.isNaN(latitudeDeg) ? Number.NaN : distanceM({ latitudeDeg, longitudeDeg }, near.geo);
    }
    const z = this.z.at(sequence);
    return straightDistance({ x: this.x.at(sequence), y: this.y.at(sequence), z: Number.isNaN(z) ? 0 : z }, near.point);
  }

  /** Share of the names asked for that the memory's place has. */
  namesShared(sequence: number, asked: PlaceNames): number {
    return sharedNames(asked, (part, name) => this.names[part].at(sequence) === this.nameNumbers.get(name));
  }

  /** Steps by sequence, up to the last memory that has one; `NaN` where there is none. Good until the next change. */
  get stepNumbers(): Float64Array {
    return this.steps.values;
  }

  /** The same of coordinates. */
  get coordinates(): Record<'x' | 'y' | 'z' | 'latitude' | 'longitude', Float64Array> {
    const { x, y, z, latitude, longitude } = this;
    return { x: x.values, y: y.values, z: z.values, latitude: latitude.values, longitude: longitude.values };
  }

  get bytes(): number {
    return this.columns.reduce((sum, column) => sum + column.bytes, 0);
  }

  private numberOf(name: string): number | undefined {
    if (name === '') return undefined;
    let number = this.nameNumbers.get(name);
    if (number === undefined) {
      number = this.nameNumbers.size;
      this.nameNumbers.set(name, number);
    }
    return number;
  }
}
