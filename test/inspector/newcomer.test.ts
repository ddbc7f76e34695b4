import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Inspected, startInspected } from './support/inspected.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
});
afterAll(() => inspected.stop());

describe('a newcomer', () => {
  it('sees three memories arrive, corrects one, and undoes it', async () => {
    const page = await inspected.open('/');
    await page.getByText('Store the first memory').waitFor();
    await page.getByRole('tab', { name: 'Rust' }).click();
    await page.getByText('NewMemory::text').waitFor();
    await page.getByRole('link', { name: 'Memories', exact: true }).click();
    await page.getByText('Store the first memory').waitFor();
    await inspected.store({ text: 'Ada plays the cello.' });
    await page.getByRole('link', { name: 'Ada plays the cello.' }).waitFor();
    await inspected.store({ text: 'Ben bakes bread on Sunday.' });
    await inspected.store({ text: 'The harbour is closed in winter.' });
    await page.getByRole('link', { name: 'The harbour is closed in winter.' }).waitFor();
    await page.getByText('3 memories').waitFor();

    await page.getByRole('link', { name: 'Ada plays the cello.' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Ada plays the viola.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('ins', { hasText: 'viola' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('ins', { hasText: 'cello' }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'current' }).textContent()).toContain('cello');

    await page.getByRole('button', { name: 'Supersede' }).click();
    await page.getByRole('textbox', { name: 'What is true now' }).fill('Ada plays the double bass.');
    await page.getByRole('dialog').getByRole('button', { name: 'Supersede' }).click();
    await page.getByRole('heading', { name: 'Supersedes' }).waitFor();
    await page.getByRole('link', { name: 'Ada plays the cello.' }).click();
    await page.getByRole('heading', { name: 'Superseded by' }).waitFor();
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByRole('button', { name: 'Supersede' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('finds, selects, tags and deletes memories after a preview', async () => {
    const page = await inspected.open('/n/default/memories');
    await page.getByText('3 memories').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('te');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type(':"harbour"');
    await page.keyboard.press('Enter');
    await page.getByText('1 memory matches the filter').waitFor();
    expect(new URL(page.url()).searchParams.get('filter')).toBe('text :"harbour"');
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Add a tag' }).click();
    await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('places');
    await page.getByRole('button', { name: 'Add the tag' }).click();
    await page.getByRole('button', { name: 'tag #places' }).click();
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 memory with all revisions will be erased: 1 short term.').waitFor();
    await page.getByRole('button', { name: 'Erase 1 memory' }).click();
    await page.getByText('No memory matches the filter.').waitFor();
    await page.goBack();
    await page.getByText('No memory matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Show all memories' }).click();
    await page.getByText('2 memories').waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('follows the changes of a namespace, and misses none while they are paused', async () => {
    const page = await inspected.open('/n/default/live');
    await page.getByText('live', { exact: true }).waitFor();
    await inspected.store({ text: 'A change that is seen.' });
    await page.getByRole('row', { name: /A change that is seen/ }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await inspected.store({ text: 'A change during the pause.' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('row', { name: /A change during the pause/ }).waitFor();
    await page.getByText('2 changes since the page was opened').waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('exports the memories of a filter as lines that import reads', async () => {
    const page = await inspected.open('/n/default/memories?filter=text:"bread"');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export these' }).click(),
    ]);
    const text = await new Response(await download.createReadStream()).text();
    const [line = '', rest] = text.split('\n');

    expect(JSON.parse(line)).toMatchObject({ type: 'statement', text: 'Ben bakes bread on Sunday.', importance: 0.5 });
    expect(rest).toBe('');
  });
});
