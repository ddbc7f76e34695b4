import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Subscription, Webhook } from '../../clients/typescript/src/index.ts';
import { type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help.ts';
import { durationMs } from './parse-flag.ts';
import { print, printJson } from './terminal.ts';

export function defineWebhookCommands(command: Command): readonly [Command, Command] {
  const rotate = command
    .command('rotate-secret <id>')
    .description('Replace the secret that signs the requests to a webhook, and print the new one.')
    .addOption(
      new Option('--overlap <span>', 'time for which the former secret stays valid (24h)').argParser(durationMs),
    )
    .addHelpText('after', examples('mneme subscriptions rotate-secret hook --overlap 1h'))
    .action(rotateSecret);
  const resume = command
    .command('resume <id>')
    .description('Deliver to a webhook again at once, also when it is parked.')
    .option('--url <url>', 'deliver to another URL from now on')
    .addHelpText('after', examples('mneme subscriptions resume hook'))
    .action(resumeOne);
  return [rotate, resume];
}

/** Adds a header to those of earlier flags. */
export function addHeader(text: string, known: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, name, value] = /^([^:]+):(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('expected name:value');
  return { ...known, [name.trim()]: value.trim() };
}

interface RotateFlags extends ClientFlags {
  readonly overlap?: number;
}

async function rotateSecret(id: string, flags: RotateFlags): Promise<void> {
  const settings = flags.overlap === undefined ? {} : { overlapMs: flags.overlap };
  await withClient(flags, async (mneme) => {
    const rotated = await mneme.subscriptions.rotateWebhookSecret(id, settings);
    if (flags.json) return printJson(rotated);
    await printSecret(rotated.secret);
    const until = rotated.formerSecretExpireTime;
    if (until) await print(`the former secret is valid until ${until.toISOString()}`);
  });
}

interface ResumeFlags extends ClientFlags {
  readonly url?: string;
}

async function resumeOne(id: string, flags: ResumeFlags): Promise<void> {
  const settings = flags.url === undefined ? {} : { url: flags.url };
  await withClient(flags, async (mneme) => {
    const resumed = await mneme.subscriptions.resumeWebhook(id, settings);
    await (flags.json ? printJson(shown(resumed)) : print(`${id} delivers to ${resumed.webhook?.url}`));
  });
}

export async function printSecret(secret: string): Promise<void> {
  await print(`secret of the webhook, which is not shown again: ${secret}`);
}

export async function printWebhook({ url, state, failure, failureCount, nextAttemptTime }: Webhook): Promise<void> {
  await print(`  webhook  ${state}, ${url}`);
  if (failure === undefined) return;
  const next = nextAttemptTime ? `, next attempt ${nextAttemptTime.toISOString()}` : ', until it is resumed';
  await print(`  ${failureCount} failures in a row, the last: ${failure}${next}`);
}

/** The filter is for machines, and has a separate form. */
export function shown({ filter, ...one }: Subscription): object {
  return { ...one, hasFilter: filter !== undefined };
}
