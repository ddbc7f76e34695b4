import type { Place } from './memory.ts';

/** A place that says nothing of where it is counts as none: one backend would give it back, and another not. */
export function isNowhere({ point, geo, location, room, region }: Place): boolean {
  return !point && !geo && location === '' && room === '' && region === '';
}
