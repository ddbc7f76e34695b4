import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Identities } from '../server/grpc/support/identities.ts';
import { type Inspected, startInspected } from './support/inspected.ts';

let identities: Identities;
let inspected: Inspected;
beforeAll(async () => {
  identities = new Identities({
    writer: [{ namespaces: ['*'], verbs: ['read', 'write', 'delete', 'admin'] }],
    reader: [{ namespaces: ['default'], verbs: ['read'] }],
  });
  inspected = await startInspected(identities.flags);
});
afterAll(async () => {
  await inspected.stop();
  identities.remove();
});

describe('a server with credentials', () => {
  it('shows nothing until a token is entered, which only this tab keeps', async () => {
    const page = await inspected.open('/n/default/memories');
    await page.getByRole('heading', { name: 'This server wants a bearer token' }).waitFor();
    await page.getByLabel('API key, JWT or token').fill('wrong');
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('heading', { name: 'The server refuses this bearer token' }).waitFor();
    await page.getByLabel('API key, JWT or token').fill(identities.keyOf('writer'));
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByText('Store the first memory').waitFor();

    const kept: unknown = await page.evaluate(
      '[sessionStorage.length, localStorage.length, document.cookie, location.href]',
    );
    expect(kept).toEqual([1, 0, '', `http://${inspected.address}/n/default/memories`]);
    await page.reload();
    await page.getByText('Store the first memory').waitFor();
    const other = await inspected.open('/n/default/memories');
    await other.getByRole('heading', { name: 'This server wants a bearer token' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('lets an identity that may only read look at everything and change nothing', async () => {
    await inspected.store({ text: 'Ada plays the cello.' }, 'one', identities.keyOf('writer'));
    const page = await inspected.open('/n/default/memories/one');
    await page.getByLabel('API key, JWT or token').fill(identities.keyOf('reader'));
    await page.getByRole('button', { name: 'Use this token' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Ada plays the viola.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The identity reader may not write in namespaces/default').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('heading', { name: 'Memories of default' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });
});
