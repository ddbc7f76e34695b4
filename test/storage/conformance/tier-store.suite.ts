import { afterEach, beforeEach, describe } from '@jest/globals';
import { counting } from './tier-store/counting.ts';
import { members } from './tier-store/members.ts';
import { moving } from './tier-store/moving.ts';
import { settings } from './tier-store/settings.ts';
import type { TieredSubject } from './tier-store/tiered-subject.ts';

export interface TierStoreSubject {
  readonly name: string;
  create(): Promise<TieredSubject & { close(): Promise<void> }>;
}

/** The promises of records and their view about tiers. */
export function tierStoreSuite({ name, create }: TierStoreSubject): void {
  describe(`tier store (${name})`, () => {
    let subject: Awaited<ReturnType<typeof create>>;
    beforeEach(async () => {
      subject = await create();
    });
    afterEach(() => subject.close());

    const current = (): TieredSubject => subject;
    describe('moves', () => moving(current));
    describe('members', () => members(current));
    describe('totals', () => counting(current));
    describe('settings', () => settings(current));
  });
}
