import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { type Inspected, startInspected } from './support/inspected.ts';

const PORTO_FROM = '2025-01-15T10:00:00.000Z';
const LISBON_FROM = '2026-01-15T10:00:00.000Z';

let inspected: Inspected;
beforeAll(async () => {
  inspected = await startInspected();
  const mneme = connect(inspected.server.address);
  await mneme.conversations.append('c1', [
    { role: 'user', text: 'My sister Mia lives in Oslo.' },
    { role: 'assistant', text: 'Noted.' },
  ]);
  await mneme.conversations.flush();
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Porto', validFrom: PORTO_FROM });
  await mneme.facts.assertFact({ subject: 'user', attribute: 'home_city', value: 'Lisbon', validFrom: LISBON_FROM });
  await mneme.close();
});
afterAll(() => inspected.stop());

describe('whoever asks what is known', () => {
  it('sees what a turn of a conversation gave', async () => {
    const page = await inspected.open('/n/default/conversations');
    await page.getByText('all messages are extracted').waitFor();
    await page.getByRole('link', { name: 'c1' }).click();
    await page.getByRole('heading', { name: 'Conversation c1' }).waitFor();
    const extracted = page.getByRole('list', { name: 'Extracted from turn 0' });
    await extracted.getByRole('link', { name: 'sister is Mia' }).click();
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });

  it('moves through the times at which something changed, with the keyboard', async () => {
    const page = await inspected.open('/n/default/facts?subject=user&attribute=home_city');
    await page.getByRole('link', { name: 'Lisbon' }).waitFor();
    const slider = page.getByRole('slider', { name: 'That held at' });
    await slider.press('Home');
    await page.getByRole('link', { name: 'Porto' }).waitFor();
    expect(await page.getByRole('link', { name: 'Lisbon' }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('at')).toBe(PORTO_FROM);
    await slider.press('ArrowRight');
    await page.getByRole('link', { name: 'Lisbon' }).waitFor();
    await slider.press('End');
    await page.waitForURL((url) => !url.searchParams.has('at'));
    expect(inspected.faults).toEqual([]);
  });

  it('sees what was true before, takes a change back, and forgets a fact', async () => {
    const page = await inspected.open('/n/default/facts');
    await page.getByRole('link', { name: 'Lisbon' }).waitFor();
    expect(await page.getByRole('link', { name: 'Porto' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Also those that do not hold then' }).check();
    await page.getByRole('link', { name: 'Porto' }).waitFor();
    await page.getByRole('button', { name: 'History' }).first().click();
    await page.getByText('known since').first().waitFor();
    await page.getByRole('button', { name: 'Undo the end of Porto' }).click();
    await page.getByRole('button', { name: 'Undo the end of Porto' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Forget Porto' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('button', { name: 'Forget Porto' }).waitFor({ state: 'detached' });
    expect(inspected.faults).toEqual([]);
  });
});
