import { type NearPlace, type NearTime, nearnessOf } from '../memory/nearness.ts';
import type { NamespaceColumns } from './namespace-columns.ts';

/** 0 to 1. */
export function timeNearness(columns: NamespaceColumns, sequence: number, near: NearTime): number {
  if (near.kind === 'step') return nearnessOf(Math.abs(columns.whereabouts.step(sequence) - near.step), near.scale);
  return nearnessOf(Math.abs(columns.eventAtUs(sequence) - near.atUs), near.scaleUs);
}

/** 0 to 1. */
export function placeNearness(columns: NamespaceColumns, sequence: number, near: NearPlace): number {
  if (near.kind === 'named') return columns.whereabouts.namesShared(sequence, near.names);
  return nearnessOf(columns.whereabouts.distance(sequence, near), near.kind === 'geo' ? near.scaleM : near.scale);
}
