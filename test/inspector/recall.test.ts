import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Inspected, startInspected } from './support/inspected.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
  await inspected.store({ text: 'Ada plays the cello.' }, 'cello');
  await inspected.store({ text: 'The harbour is closed in winter.' }, 'harbour');
});
afterAll(() => inspected.stop());

describe('whoever asks why', () => {
  it('sees why a memory is a hit, why another is not, and what a model would get', async () => {
    const page = await inspected.open('/n/default/recall');
    await page.getByRole('textbox', { name: 'Question' }).fill('Who plays the cello?');
    await page.getByRole('button', { name: 'Ask' }).click();
    const hit = page.getByRole('listitem').filter({ hasText: 'Ada plays the cello.' });
    await hit.getByText('Why').click();
    await hit.getByRole('rowheader', { name: 'Recent' }).waitFor();
    await hit.locator('mark', { hasText: 'cello' }).waitFor();

    await page.getByRole('textbox', { name: 'Filter' }).fill('type = "message"');
    await page.getByRole('textbox', { name: 'Filter' }).press('Enter');
    await page.getByText('Nothing was found.').waitFor();
    await page.getByRole('textbox', { name: 'Id of a memory' }).fill('cello');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('The filter takes it out.').waitFor();
    await page.getByRole('textbox', { name: 'Filter' }).fill('');
    await page.getByRole('textbox', { name: 'Filter' }).press('Enter');
    await hit.waitFor();
    await page.getByRole('textbox', { name: 'Id of a memory' }).fill('nothing');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('There is no such memory in this namespace').waitFor();

    await page.getByText('What a model would see').click();
    await page.getByRole('region', { name: 'Context' }).getByText('Ada plays the cello.').waitFor();
    await page.getByRole('tab', { name: 'Python' }).click();
    await page.getByText('client.recall("Who plays the cello?"').waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('compares two settings, and runs a question again as a case', async () => {
    const page = await inspected.open(
      '/n/default/recall?q=Who+plays+the+cello%3F&compare=yes&b.filter=type+%3D+%22fact%22',
    );
    await page.getByRole('group', { name: 'Settings B' }).waitFor();
    await page.getByText('Nothing was found.').waitFor();
    expect(await page.getByRole('link', { name: 'Ada plays the cello.' }).count()).toBe(1);
    await page.getByText('Why', { exact: true }).click();
    await page.getByRole('region', { name: 'Parts of the score of hit 1 of A' }).waitFor();
    await page.getByRole('button', { name: 'Save this question as a case' }).click();
    await page.getByRole('button', { name: 'Run all cases' }).click();
    await page.getByText('as before').waitFor();
    expect(inspected.faults).toEqual([]);
  });
});
