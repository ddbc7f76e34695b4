import { type Command, Option } from 'commander';
import type { Subscription } from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { addFilterFlags, type FilterFlags, filterOf } from './filter-flags.ts';
import { examples } from './help.ts';
import { eventBlock, eventJson, layoutOf } from './memory-output.ts';
import { reportBreaks } from './notices.ts';
import { durationMs, wholeNumber } from './parse-flag.ts';
import { paint, print, printEach, printJson } from './terminal.ts';
import { addHeader, defineWebhookCommands, printSecret, printWebhook, shown } from './webhook-commands.ts';

export function defineSubscriptions(command: Command): void {
  command.description('Manage change feeds whose place in the log the server remembers.');
  const create = command
    .command('create <id>')
    .description('Create a subscription. It begins with the next change.')
    .option('--work-queue', 'each change goes to one consumer (every consumer gets all)')
    .option('--moved', 'also deliver moves between tiers that the filter does not ask for')
    .addOption(
      new Option('--ack-deadline <span>', 'time to acknowledge before another worker gets it (30s)').argParser(
        durationMs,
      ),
    )
    .addOption(
      new Option('--consumer-ttl <span>', 'time after which a silent consumer is forgotten (7d)').argParser(durationMs),
    )
    .option('--webhook <url>', 'the server itself delivers the changes to this URL, in signed requests')
    .addOption(
      new Option('--webhook-header <name:value>', 'further header of its requests, such as authorization').argParser(
        addHeader,
      ),
    )
    .addHelpText(
      'after',
      examples(
        'mneme subscriptions create mailer --type fact',
        'mneme subscriptions create jobs --work-queue --ack-deadline 5m',
        'mneme subscriptions create hook --webhook https://example.com/mneme',
      ),
    )
    .action(createOne);
  addFilterFlags(create);
  const list = command
    .command('list')
    .description('List the subscriptions of the namespace.')
    .addHelpText('after', examples('mneme subscriptions list'))
    .action(listAll);
  const get = command
    .command('get <id>')
    .description('Show a subscription and the place of each consumer.')
    .addHelpText('after', examples('mneme subscriptions get jobs'))
    .action(getOne);
  const remove = command
    .command('delete <id>')
    .description('Delete a subscription. Its consumers end.')
    .addHelpText('after', examples('mneme subscriptions delete jobs'))
    .action(deleteOne);
  const [rotate, resume] = defineWebhookCommands(command);
  const consumed = command
    .command('consume <id>')
    .description('Print changes and acknowledge each. Ends with Ctrl-C.')
    .requiredOption('--consumer <name>', 'name of the consumer, whose place is remembered')
    .addOption(
      new Option('--from <revision>', 'move to this revision first').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .option('--skip-lost', 'continue with the oldest change kept when older ones are gone')
    .addOption(new Option('--count <n>', 'end after so many changes').argParser(wholeNumber(1, 1_000_000_000)))
    .addHelpText('after', examples('mneme subscriptions consume jobs --consumer worker-1'))
    .action(consume);
  for (const each of [create, list, get, remove, rotate, resume, consumed]) addClientFlags(addJsonFlag(each));
  command.addHelpText('after', EXAMPLES);
}

const EXAMPLES = `
Examples:
  $ mneme subscriptions create mailer --type fact
  $ mneme subscriptions create jobs --work-queue --ack-deadline 5m
  $ mneme subscriptions consume jobs --consumer worker-1
  $ mneme subscriptions list
  $ mneme subscriptions get jobs
  $ mneme subscriptions delete jobs
  $ mneme subscriptions create hook --webhook https://example.com/mneme
  $ mneme subscriptions resume hook`;

interface CreateFlags extends ClientFlags, FilterFlags {
  readonly workQueue?: boolean;
  readonly moved?: boolean;
  readonly ackDeadline?: number;
  readonly consumerTtl?: number;
  readonly webhook?: string;
  readonly webhookHeader?: Readonly<Record<string, string>>;
}

async function createOne(id: string, flags: CreateFlags): Promise<void> {
  const filter = filterOf(flags);
  const settings = {
    mode: flags.workQueue ? 'work_queue' : 'broadcast',
    ...(filter ? { filter } : {}),
    includeMoved: flags.moved ?? false,
    ...(flags.ackDeadline === undefined ? {} : { ackDeadlineMs: flags.ackDeadline }),
    ...(flags.consumerTtl === undefined ? {} : { consumerTtlMs: flags.consumerTtl }),
    ...(flags.webhook === undefined ? {} : { webhook: { url: flags.webhook, headers: flags.webhookHeader } }),
  } as const;
  await withClient(flags, async (mneme) => {
    const made = await mneme.subscriptions.create(id, settings);
    if (flags.json) return printJson(shown(made));
    await print(made.id);
    if (made.webhook?.secret) await printSecret(made.webhook.secret);
  });
}

async function listAll(flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await printEach(await mneme.subscriptions.list(), 'no subscriptions', (one) =>
      flags.json ? printJson(shown(one)) : print(`${one.id}  ${paint('dim', summaryOf(one))}`),
    );
  });
}

async function getOne(id: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const one = await mneme.subscriptions.get(id);
    if (flags.json) return printJson(shown(one));
    await print(`${one.id}  ${paint('dim', summaryOf(one))}`);
    if (one.webhook) await printWebhook(one.webhook);
    for (const { consumer, acknowledgedRevision, seenTime } of one.cursors) {
      const shared = one.webhook ? 'webhook' : 'all workers';
      const name = consumer === '' ? shared : consumer;
      await print(`  ${name}  up to revision ${acknowledgedRevision}, last seen ${seenTime.toISOString()}`);
    }
  });
}

async function deleteOne(id: string, flags: ClientFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    await mneme.subscriptions.delete(id);
    if (!flags.json) await print(`${id} deleted`);
  });
}

function summaryOf({ mode, cursors, ackDeadlineMs, filter, webhook }: Subscription): string {
  const consumers = mode === 'work_queue' ? `work queue, ${ackDeadlineMs / 1000} s to acknowledge` : 'broadcast';
  const named = cursors.filter(({ consumer }) => consumer !== '').length;
  const count = mode === 'broadcast' ? `, ${named} consumers` : '';
  const to = webhook ? `, webhook ${webhook.state}` : '';
  return `${consumers}${count}${to}${filter ? ', with a filter' : ''}`;
}

export interface ConsumeFlags extends ClientFlags {
  readonly consumer: string;
  readonly from?: number;
  readonly skipLost?: boolean;
  readonly count?: number;
}

/** A printed change is acknowledged: one that could not be printed is delivered again. */
export async function consume(id: string, flags: ConsumeFlags): Promise<void> {
  const query = {
    ...(flags.from === undefined ? {} : { startRevision: flags.from }),
    onCompacted: flags.skipLost ? 'skip' : 'fail',
  } as const;
  await withClient(flags, async (mneme) => {
    const layout = layoutOf({});
    let count = 0;
    const deliveries = mneme.subscriptions.consume(id, flags.consumer, query, reportBreaks());
    for await (const { acknowledge, ...change } of deliveries) {
      await (flags.json ? printJson(eventJson(change)) : print(eventBlock(change, layout)));
      acknowledge();
      if (++count === flags.count) return;
    }
  });
}
