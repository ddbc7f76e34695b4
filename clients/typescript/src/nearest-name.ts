/** The known name closest in spelling to `name`, whatever its case and its underscores; undefined when none is close. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const asked = plain(name);
  let nearest: string | undefined;
  // Half of a short name at most: "foo" is not "room" misspelt.
  let least = Math.max(Math.min(2, Math.floor(asked.length / 2)), Math.floor(asked.length / 4)) + 1;
  for (const candidate of known) {
    const other = plain(candidate);
    if (Math.abs(asked.length - other.length) >= least) continue;
    const distance = distanceOf(asked, other);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Letters to insert, remove or replace on the way from one word to the other (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, place) => place);
  for (let at = 1; at <= from.length; at += 1) {
    const next = [at];
    for (let other = 1; other <= to.length; other += 1) {
      const replaced = (row[other - 1] ?? 0) + (from[at - 1] === to[other - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[other] ?? 0) + 1, (next[other - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
