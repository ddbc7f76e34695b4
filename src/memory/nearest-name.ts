/** Calls `say` with the known name closest in spelling to `name`; empty when none is close. */
export function nearestOf(name: string, known: readonly string[], say: (nearest: string) => string): string {
  let nearest = '';
  // Half of a short name at most: "foo" is not "room" misspelt.
  let least = Math.max(Math.min(2, Math.floor(name.length / 2)), Math.floor(name.length / 4)) + 1;
  for (const candidate of known) {
    // The length difference is a lower bound of the distance: very long names are skipped without computing it.
    if (Math.abs(name.length - candidate.length) >= least) continue;
    const distance = editDistance(name, candidate);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest === '' ? '' : say(nearest);
}

/** Letters to add, drop or change on the way from one word to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
