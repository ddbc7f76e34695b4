/** Lets those who work on the same thing do it one after the other. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined);
    this.last.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === settled) this.last.delete(name);
    }
  }
}
