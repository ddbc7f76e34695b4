/** Quantile: `share` of the values are less; `sorted` is in ascending order. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (quantile(sorted, 0.5) + (sorted[Math.ceil(middle) - 1] ?? Number.NaN)) / 2;
}
