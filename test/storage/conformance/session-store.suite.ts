import { afterEach, beforeEach, describe } from '@jest/globals';
import type { SessionStore } from '../../../src/storage/session-store.ts';
import { checkpoints } from './session-store/checkpoints.ts';
import { endedCalls } from './session-store/ended-calls.ts';
import { ends } from './session-store/ends.ts';
import { hazards } from './session-store/hazards.ts';
import { listing } from './session-store/listing.ts';
import type { StoreOfTest } from './session-store/session-of-test.ts';
import { taskAndFeed } from './session-store/task-and-feed.ts';
import { values } from './session-store/values.ts';

export interface SessionStoreSubject {
  readonly name: string;
  /** A store with the namespaces `space` and `space-2`. */
  create(): Promise<{ store: SessionStore; close(): Promise<void> }>;
}

/** Contract of all `SessionStore`s. */
export function sessionStoreSuite({ name, create }: SessionStoreSubject): void {
  describe(`session store (${name})`, () => {
    let store: SessionStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ store, close } = await create());
    });
    afterEach(() => close());

    const current: StoreOfTest = () => store;
    describe('values', () => values(current));
    describe('lists, notes and other sessions', () => listing(current));
    describe('checkpoints', () => checkpoints(current));
    describe('hazards of the former module', () => hazards(current));
    describe('calls that end early', () => endedCalls(current));
    describe('ends: pauses, idle sessions, deletion', () => ends(current));
    describe('task state, changes, sessions', () => taskAndFeed(current));
  });
}
