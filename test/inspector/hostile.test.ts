import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Inspected, startInspected } from './support/inspected.ts';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
});
afterAll(() => inspected.stop());

const SCRIPT = '<img src=x onerror="alert(1)"><script>alert(2)</script> \u202egnp.exe \u0007 مرحبا';
const LONG = `${'long '.repeat(209_000)}end`;

describe('texts of memories', () => {
  it('are shown as text, whatever they hold', async () => {
    const source = { speaker: '"><script>alert(3)</script>', uri: 'javascript:alert(4)', origin: '' };
    await inspected.store({ text: SCRIPT, source, tags: ["');alert(5)//"] });
    await inspected.store({ text: LONG });
    const page = await inspected.open('/n/default/memories');
    await page.getByText('2 memories').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'onerror' });

    expect(await row.getByRole('link').textContent()).toContain('<script>alert(2)</script> U+202Egnp.exe U+0007');
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'Details' }).waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'javascript:alert(4)' }).getAttribute('href')).toContain('/n/default/');

    await page.goBack();
    await page.getByRole('link', { name: /^long long/ }).click();
    await page.getByRole('button', { name: 'Show all 1,045,003 characters' }).click();
    await page.getByText('long end').waitFor();
    expect(inspected.faults).toEqual([]);
  });
});

describe('addresses', () => {
  it('of nothing say so, and keep the navigation', async () => {
    const page = await inspected.open('/n/default/memories/%E0%A4%A');
    await page.getByText('This does not exist').or(page.getByText('The server did not accept the request')).waitFor();
    await page.goto(`http://${inspected.address}/n/a/b/c/d`);
    await page.getByText('is no page of the inspector').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('All parts work.').waitFor();
    expect(inspected.faults).toEqual([]);
  });
});
