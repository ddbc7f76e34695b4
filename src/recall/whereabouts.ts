import type { GeoPoint, Point } from '../memory/memory.ts';
import { type NearPlace, straightDistance } from '../memory/nearness.ts';
import { distanceM } from '../memory/within-area.ts';
import { SparseColumn } from './sparse-column.ts';

/** Steps and coordinates by sequence. */
export class Whereabouts {
  private readonly steps = new SparseColumn();
  private readonly x = new SparseColumn();
  private readonly y = new SparseColumn();
  private readonly z = new SparseColumn();
  private readonly latitude = new SparseColumn();
  private readonly longitude = new SparseColumn();

  put(sequence: number, row: { readonly step?: number; readonly point?: Point; readonly geo?: GeoPoint }): void {
    this.steps.set(sequence, row.step);
    this.x.set(sequence, row.point?.x);
    this.y.set(sequence, row.point?.y);
    this.z.set(sequence, row.point?.z);
    this.latitude.set(sequence, row.geo?.latitudeDeg);
    this.longitude.set(sequence, row.geo?.longitudeDeg);
  }

  /** `NaN` where the memory has no step. */
  step(sequence: number): number {
    return this.steps.at(sequence);
  }

  /** `NaN` where the memory has no such coordinates. */
  distance(sequence: number, near: NearPlace): number {
    if (near.kind === 'geo') {
      const [latitudeDeg, longitudeDeg] = [this.latitude.at(sequence), this.longitude.at(sequence)];
      return Number.isNaN(latitudeDeg) ? Number.NaN : distanceM({ latitudeDeg, longitudeDeg }, near.geo);
    }
    const z = this.z.at(sequence);
    return straightDistance({ x: this.x.at(sequence), y: this.y.at(sequence), z: Number.isNaN(z) ? 0 : z }, near.point);
  }

  get bytes(): number {
    const columns = [this.steps, this.x, this.y, this.z, this.latitude, this.longitude];
    return columns.reduce((sum, column) => sum + column.bytes, 0);
  }
}
