import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENTRIES } from '../../inspector/app/navigation.ts';
import { type Inspected, startInspected, type Theme, violationsOf } from './support/inspected.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
  for (const text of ['Ada plays the cello.', 'Ben bakes bread.', 'The harbour is closed.']) {
    await inspected.store({ text, tags: ['first'] }, text.slice(0, 3));
  }
});
afterAll(() => inspected.stop());

const PATHS = [
  ...ENTRIES.map(({ path }) => path.replace(':namespace', 'default')),
  '/n/default/memories/Ada',
  '/n/default/memories?filter=none+none',
  '/n/empty/memories',
  '/n/default/recall?q=cello&compare=yes',
  '/keys',
  '/n/default/nowhere',
];

describe.each<[Theme, number]>([
  ['light', 1280],
  ['dark', 360],
])('in %s colours and a window of %i pixels', (theme, width) => {
  it('no page violates a rule of axe', async () => {
    const page = await inspected.open('/', { theme, width });
    const found: Record<string, string[]> = {};
    for (const path of PATHS) {
      await page.goto(`http://${inspected.address}${path}`, { waitUntil: 'domcontentloaded' });
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading …').waitFor({ state: 'detached' });
      // Of two answers, one may be there before the other.
      await page.getByText('Searching …').first().waitFor({ state: 'detached' });
      await page.getByText('Searching …').waitFor({ state: 'detached' });
      const violations = await violationsOf(page);
      if (violations.length > 0) found[path] = violations;
    }

    expect(found).toEqual({});
    expect(inspected.faults).toEqual([]);
  });
});
