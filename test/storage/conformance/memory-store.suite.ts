import { afterEach, beforeEach, describe } from '@jest/globals';
import type { WholeStore } from '../../support/whole-store.ts';
import { changing } from './memory-store/changing.ts';
import { deleting } from './memory-store/deleting.ts';
import { embedding } from './memory-store/embedding.ts';
import { endedCalls } from './memory-store/ended-calls.ts';
import { filtering } from './memory-store/filtering.ts';
import { listing } from './memory-store/listing.ts';
import { namespaces } from './memory-store/namespaces.ts';
import { repeating } from './memory-store/repeating.ts';
import type { StoreOfTest } from './memory-store/store-of-test.ts';
import { storing } from './memory-store/storing.ts';
import { superseding } from './memory-store/superseding.ts';

export interface MemoryStoreSubject {
  readonly name: string;
  /** A store that keeps outcomes of repeated requests for an hour. */
  create(): Promise<{ store: WholeStore; close(): Promise<void> }>;
}

/** Contract of all `Records` with a `View` of their memories. */
export function memoryStoreSuite({ name, create }: MemoryStoreSubject): void {
  describe(`memory store (${name})`, () => {
    let store: WholeStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ store, close } = await create());
    });
    afterEach(() => close());

    const current: StoreOfTest = () => store;
    describe('store and get', () => storing(current));
    describe('update and revisions', () => changing(current));
    describe('superseding', () => superseding(current));
    describe('delete and expiry', () => deleting(current));
    describe('list and count', () => listing(current));
    describe('filters', () => filtering(current));
    describe('late embeddings', () => embedding(current));
    describe('namespaces, scopes, statistics', () => namespaces(current));
    describe('repeated requests', () => repeating(current));
    describe('calls that end early', () => endedCalls(current));
  });
}
