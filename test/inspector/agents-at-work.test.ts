import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { Identities } from '../server/grpc/support/identities.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';
import { type Inspected, startInspected } from './support/inspected.ts';

let inspected: Inspected;
let mneme: Mneme;
beforeAll(async () => {
  inspected = await startInspected({ webhookHosts: '127.0.0.1' });
  mneme = connect(inspected.address);
});
afterAll(async () => {
  await mneme.close();
  await inspected.stop();
});

describe('sessions', () => {
  it('show what an agent works on as it changes; a checkpoint is compared, restored and forked', async () => {
    const hostile = '<img src=x onerror=alert(1)> \u202e';
    const session = mneme.session('trip to Bern');
    await mneme.lifecycle.spawn({ sessionId: 'trip to Bern', metadata: { channel: hostile } });
    await session.set('hotel', 'Bellevue');
    await session.setTaskState({ description: 'Plan a trip', status: 'in_progress', progressPercent: 40 });
    const page = await inspected.open('/n/default/sessions');
    await page.getByRole('link', { name: /trip to Bern/ }).click();
    await page.getByText('Plan a trip').waitFor();
    await page.getByText('onerror').waitFor();
    await page.getByRole('button', { name: 'New checkpoint' }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill('before the change');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('before the change').waitFor();
    await session.set('hotel', 'Krone');
    await page.getByRole('cell', { name: '"Krone"' }).waitFor();
    await page.getByRole('button', { name: 'Compare with now' }).click();
    await page.locator('del', { hasText: 'Bellevue' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('cell', { name: '"Bellevue"' }).waitFor();

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('listitem').filter({ hasText: 'resumed' }).waitFor();
    await page.getByRole('button', { name: 'Fork' }).last().click();
    await page.getByRole('textbox', { name: 'Id of the new session' }).fill('other/trip');
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click();
    await page.getByRole('heading', { name: 'other/trip' }).waitFor();
    await page.getByRole('cell', { name: '"Bellevue"' }).waitFor();
    expect(inspected.faults).toEqual([]);
  });
});

describe('agents', () => {
  it('have snapshots that are compared with now, restored and forked', async () => {
    await mneme.store({ text: 'Ada plays the cello.', scope: { agent: 'ada' } });
    const page = await inspected.open('/n/default/agents');
    await page.getByText('No snapshot of an agent yet').waitFor();
    await page.getByRole('button', { name: 'New snapshot' }).click();
    await page.getByRole('textbox', { name: 'Agent' }).fill('ada');
    await page.getByRole('textbox', { name: 'Description' }).fill('first');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('heading', { name: 'ada' }).waitFor();
    await mneme.store({ text: 'Ada plays the viola.', scope: { agent: 'ada' } });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByText('1 memory added').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByText('1 memory added').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByRole('textbox', { name: 'Name of the new agent' }).fill('bea');
    await page.getByRole('dialog').getByRole('button', { name: 'Fork' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const texts = async (agent: string) => {
      const found: string[] = [];
      for await (const { text } of mneme.list({ filter: `scope.agent = "${agent}"` })) found.push(text);
      return found;
    };
    expect([await texts('ada'), await texts('bea')]).toEqual([['Ada plays the cello.'], ['Ada plays the cello.']]);
    expect(inspected.faults).toEqual([]);
  });
});

describe('subscriptions', () => {
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    receiver = await WebhookReceiver.started();
  });
  afterEach(() => receiver.close());

  it('show a parked webhook with its reason, which delivers again when it is told to', async () => {
    receiver.answer = (response, n) => void response.writeHead(n === 1 ? 410 : 200).end();
    await mneme.subscriptions.create('hook', { webhook: { url: receiver.url } });
    await mneme.store({ text: 'The harbour is closed.' });
    const page = await inspected.open('/n/default/live');
    await page.getByText('webhook parked').waitFor();
    await page.getByText('answered with status 410').waitFor();
    await page.getByRole('button', { name: 'Deliver again now' }).click();
    await page.getByText('webhook active').waitFor();
    await receiver.until(({ length }) => length === 2);
    expect(receiver.texts()).toContain('The harbour is closed.');
    expect(inspected.faults).toEqual([]);
  });
});

describe('access', () => {
  it('shows an identity its own namespaces and no other, and what is denied in plain words', async () => {
    const identities = new Identities({
      owner: [{ namespaces: ['*'], verbs: ['read', 'write', 'delete', 'admin'] }],
      reader: [{ namespaces: ['default'], verbs: ['read'] }],
    });
    const other = await startInspected(identities.flags);
    try {
      const owner = connect(other.address, { token: identities.keyOf('owner') });
      await owner.store({ text: 'Ada plays the cello.', scope: { agent: 'ada' } });
      await owner.withNamespace('hidden').store({ text: 'x' });
      await owner.close();
      const page = await other.open('/access');
      await page.getByLabel('API key, JWT or token').fill(identities.keyOf('reader'));
      await page.getByRole('button', { name: 'Use this token' }).click();
      await page.getByRole('link', { name: 'default', exact: true }).waitFor();
      await page.getByRole('rowheader', { name: 'ada' }).waitFor();
      expect(await page.getByText('hidden').count()).toBe(0);
      await page.getByText('No scope is private, isolated or read-only.').waitFor();
      await page.goto(`http://${other.address}/n/hidden/sessions`);
      await page.getByText('The identity reader may not read in namespaces/hidden').waitFor();
      expect(other.faults).toEqual([]);
    } finally {
      await other.stop();
      identities.remove();
    }
  });
});
