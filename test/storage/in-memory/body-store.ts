import type { Body, BodyStore, StoredBody } from '../../../src/storage/body-store.ts';

/** The reference of other stores. */
export class InMemoryBodies implements BodyStore {
  private readonly bodies = new Map<string, Body>();

  async put(bodies: readonly StoredBody[]): Promise<void> {
    for (const { key, body } of bodies) this.bodies.set(key, body);
  }

  async get(keys: readonly string[]): Promise<(Body | undefined)[]> {
    return keys.map((key) => this.bodies.get(key));
  }

  async missing(keys: readonly string[]): Promise<string[]> {
    return keys.filter((key) => !this.bodies.has(key));
  }

  async erase(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.bodies.delete(key);
  }

  async *keys(): AsyncIterable<readonly string[]> {
    yield [...this.bodies.keys()];
  }

  describe(): { technology: string; durability: string } {
    return { technology: 'memory', durability: 'nothing' };
  }
}
