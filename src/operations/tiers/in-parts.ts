export interface PartLimits {
  readonly size: number;
  /** Parts that are under way side by side. */
  readonly atOnce: number;
}

/** Works on a list part by part. Gives what each part gave, in order; after one has failed no other is begun. */
export async function inParts<I, O>(
  items: readonly I[],
  { size, atOnce }: PartLimits,
  work: (part: readonly I[]) => Promise<O>,
): Promise<O[]> {
  const outcomes: O[] = [];
  let taken = 0;
  let hasFailed = false;
  const take = async (): Promise<void> => {
    while (taken < items.length && !hasFailed) {
      const from = taken;
      taken += size;
      try {
        outcomes[from / size] = await work(items.slice(from, from + size));
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: atOnce }, take));
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return outcomes;
}
