/** The newest revision that a client has seen, by which its reads see what it has seen. */
export class SeenRevision {
  #newest = 0;

  get newest(): number {
    return this.#newest;
  }

  note(revision: number): number {
    this.#newest = Math.max(this.#newest, revision);
    return revision;
  }

  /** For a store that went back to an older state: what was seen of it beyond its newest revision is lost. */
  wentBack(newestOfStore: number): void {
    this.#newest = Math.min(this.#newest, newestOfStore);
  }
}
