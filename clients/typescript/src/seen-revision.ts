/** The newest revision that a client has seen: its reads require at least that revision. */
export class SeenRevision {
  #newest = 0;

  get newest(): number {
    return this.#newest;
  }

  note(revision: number): number {
    this.#newest = Math.max(this.#newest, revision);
    return revision;
  }

  /** For a store that was restored to an older state: revisions beyond its newest one are lost. */
  wentBack(newestOfStore: number): void {
    this.#newest = Math.min(this.#newest, newestOfStore);
  }
}
