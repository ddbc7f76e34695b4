import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Inspected, startInspected, type Theme, violationsOf } from './support/inspected.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
  const at = (x: number, y: number) => ({ place: { point: { x, y }, location: 'harbour' } });
  await inspected.store({
    text: 'The crane is broken.',
    type: 'state',
    eventTime: '2026-03-10T12:00:00Z',
    ...at(1, 2),
  });
  await inspected.store({ text: 'A ship has come.', type: 'state', eventTime: '2026-03-10T13:00:00Z', ...at(4, 3) });
  await inspected.store({ text: 'Ada plays the cello.', type: 'fact', eventTime: '2026-03-12T12:00:00Z' });
});
afterAll(() => inspected.stop());

describe('whoever looks at plots', () => {
  it('goes from a bar to its memories', async () => {
    const page = await inspected.open('/n/default/plots');
    await page.getByTitle('2026-03-10: 2 state').click();
    await page.getByText('2 memories match the filter').waitFor();
    await page.goBack();
    await page.getByText('Memories over time as a table').click();
    await page.getByRole('row', { name: '2026-03-12 1 0 1' }).getByRole('link').last().click();
    await page.getByRole('link', { name: 'Ada plays the cello.' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('reads the places with the keys, and opens one', async () => {
    const page = await inspected.open('/n/default/plots?filter=location+%3D+harbour');
    await page.getByRole('application', { name: 'Places on a plane: 2 points' }).focus();
    await page.getByRole('link', { name: 'The crane is broken.' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('link', { name: 'A ship has come.' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Revisions' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it.each<[Theme]>([['light'], ['dark']])('meets the rules of axe in %s colours', async (theme) => {
    const page = await inspected.open('/n/default/plots', { theme });
    for (const plot of ['Memories over time', 'Places on a plane']) await page.getByText(`${plot} as a table`).click();
    await page.getByRole('application').focus();
    await page.getByRole('link', { name: 'The crane is broken.' }).waitFor();
    await page.getByRole('heading', { name: 'Tiers' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
