/** Those who wait until something has come to a revision. */
export class ReachedRevisions {
  private waiting: { readonly revision: number; readonly resolve: () => void }[] = [];

  wait(revision: number): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ revision, resolve }));
  }

  /** `Infinity` lets go of all. */
  tell(reached: number): void {
    if (this.waiting.length === 0) return;
    for (const { revision, resolve } of this.waiting) if (revision <= reached) resolve();
    this.waiting = this.waiting.filter(({ revision }) => revision > reached);
  }
}
