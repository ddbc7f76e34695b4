import { placesOf, valuesAt } from './entry-place.ts';
import { instantOfValue } from './instant.ts';
import type { Scorer, WindowScoring } from './scoring.ts';

export function windowScorer({ path, fromUs, isFromExcluded, toUs, oldestFirst }: WindowScoring): Scorer {
  const places = placesOf(path);
  return (memory, json) => {
    for (const value of valuesAt(places, memory, json)) {
      const atUs = instantOfValue(value);
      if (atUs === undefined || atUs > toUs || atUs < fromUs || (isFromExcluded && atUs === fromUs)) continue;
      return { score: (oldestFirst ? -atUs : atUs) / 1e6 };
    }
    return undefined;
  };
}
