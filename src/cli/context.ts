import { type Command, Option } from 'commander';
import type { Context, ContextFormat, ContextKind, ContextQuery } from '../../clients/typescript/src/index.ts';
import { machineZone } from '../memory/time/zone.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { usage } from './failure.ts';
import { numberFrom, time, timeZone, wholeNumber } from './parse-flag.ts';
import { print, printable, printJson, readStdin } from './terminal.ts';

interface ContextFlags extends ClientFlags {
  readonly budget?: number;
  readonly window?: number;
  readonly share?: number;
  readonly format?: 'xml' | 'markdown' | 'json-messages';
  readonly tokenizer?: string;
  readonly kind?: readonly ContextKind[];
  readonly session?: string;
  readonly project?: string;
  readonly agent?: string;
  readonly referenceTime?: Date;
  readonly timeZone?: string;
  readonly minRelevance?: number;
  readonly explain?: boolean;
}

const KINDS = ['working', 'fact', 'procedure', 'episode', 'message', 'other'];

export function defineContext(command: Command): void {
  command
    .description(
      'Print the memories that answer a question, quoted for a model, within a budget of tokens. With "-" the ' +
        'question is read from stdin.',
    )
    .argument('[text...]', 'question, in plain language')
    .addOption(new Option('--budget <tokens>', 'most tokens (1500)').argParser(wholeNumber(1, 100_000)))
    .addOption(
      new Option('--window <tokens>', 'size of the context window of the model; the budget is a share of it')
        .argParser(wholeNumber(1, 10_000_000))
        .conflicts('budget'),
    )
    .addOption(new Option('--share <part>', 'with --window: share of it (0.15)').argParser(numberFrom(0, 1)))
    .addOption(new Option('--format <word>', 'form of the text (xml)').choices(['xml', 'markdown', 'json-messages']))
    .addOption(
      new Option('--tokenizer <name>', 'tokenizer (o200k_base)').choices(['o200k_base', 'cl100k_base', 'wordpiece']),
    )
    .addOption(new Option('--kind <kind...>', 'only these kinds of memories').choices(KINDS))
    .option('--session <id>', 'put the working memory of this session first')
    .option('--project <name>', 'only what this project sees')
    .option('--agent <name>', 'only what this agent sees')
    .addOption(
      new Option('--reference-time <time>', 'time that "yesterday" and recency are counted from (now)').argParser(time),
    )
    .addOption(new Option('--time-zone <name>', 'time zone of the question (that of this machine)').argParser(timeZone))
    .addOption(
      new Option(
        '--min-relevance <p>',
        'leave out memories less likely to answer than this, 0 to 1 (0.07, or as the namespace says)',
      ).argParser(numberFrom(0, 1)),
    )
    .option('--explain', 'list included and omitted entries on stderr, with reasons')
    .addHelpText('after', EXAMPLES)
    .action(context);
  addClientFlags(addJsonFlag(command));
}

const EXAMPLES = `
Examples:
  $ mneme context "Where is the brass key?"
  $ mneme context "What did we decide?" --budget 500 --format markdown
  $ mneme context "What is next?" --session s1 --window 128000 --explain`;

async function context(words: readonly string[], flags: ContextFlags): Promise<void> {
  const provided = words.join(' ');
  const query = queryOf(provided === '-' ? await readStdin() : provided, flags);
  await withClient(flags, async (mneme) => {
    const built = await mneme.buildContext(query);
    if (flags.json) return printJson(built);
    if (flags.explain) process.stderr.write(explanation(built));
    for (const { part, reason } of built.degraded)
      process.stderr.write(printable(`not done in full: ${part}: ${reason}\n`));
    if (built.text === '') process.stderr.write('nothing to put into a context\n');
    else await print(built.text);
    if (!flags.explain && flags.minRelevance === undefined) reportIrrelevant(built);
  });
}

function reportIrrelevant({ omitted }: Context): void {
  const count = omitted.filter(({ reason }) => reason === 'low_relevance').length;
  if (count === 0) return;
  process.stderr.write(`${count} less relevant left out; --min-relevance 0 takes them in\n`);
}

function queryOf(text: string, flags: ContextFlags): ContextQuery {
  const { budget, window, share, format, tokenizer, kind, session, project, agent } = flags;
  if (share !== undefined && window === undefined) throw usage('--share applies only to --window');
  const scope = { ...(project !== undefined && { project }), ...(agent !== undefined && { agent }) };
  return {
    ...(text !== '' && { query: text }),
    tokenBudget: budget,
    modelTokens: window,
    share,
    format: format === undefined ? undefined : (format.replace('-', '_') as ContextFormat),
    tokenizer,
    kinds: kind,
    session,
    ...(Object.keys(scope).length > 0 && { scope }),
    referenceTime: flags.referenceTime,
    timeZone: flags.timeZone ?? machineZone(),
    minRelevance: flags.minRelevance,
  };
}

function explanation({ entries, omitted, tokens, budget, tokenizer }: Context): string {
  const lines = [
    `${tokens} of ${budget} tokens (${tokenizer})`,
    ...entries.map((one) => `+ ${named(one)}  ${one.tokens} tokens  ${one.reason}`),
    ...omitted.map((one) => `- ${named(one)}  ${one.reason}${one.duplicateOf ? ` of ${idOf(one.duplicateOf)}` : ''}`),
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function named({ name, part }: { readonly name: string; readonly part: string }): string {
  return part === '' ? idOf(name) : part;
}

function idOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
