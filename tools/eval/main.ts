import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, parse } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { connect, type Mneme } from '../../clients/typescript/src/index.ts';
import { addConnectionFlags, addJsonFlag, type ClientFlags, withClient } from '../../src/cli/client-flags.ts';
import { refuseEmptyValues } from '../../src/cli/empty-values.ts';
import { CommandFailure, reportFailure } from '../../src/cli/failure.ts';
import { examples, styleHelp } from '../../src/cli/help.ts';
import { numberFrom, setting, wholeNumber } from '../../src/cli/parse-flag.ts';
import { progressBar } from '../../src/cli/progress-bar.ts';
import { print, printJson } from '../../src/cli/terminal.ts';
import { RELEVANT_MIN } from '../../src/memory/recall-settings.ts';
import { compareRuns, readFormerRun } from './compare.ts';
import { mulberry32 } from './mulberry32.ts';
import { startOwnServer } from './own-server.ts';
import { type Conversation, FeatureFile, readQuestionSet } from './question-set.ts';
import { questionReports, reportLines, reportOf, runLines } from './report.ts';
import { type Run, runSet } from './run-set.ts';

interface EvalFlags extends Omit<ClientFlags, 'server' | 'namespace'> {
  readonly server?: string;
  readonly pooled?: boolean;
  readonly smallTiers?: boolean;
  readonly set?: Readonly<Record<string, string>>;
  readonly out?: string;
  readonly against?: string;
  readonly perQuestion?: boolean;
  readonly features?: string;
  readonly limit: number;
  readonly questions?: number;
  readonly unanswerable?: boolean;
  readonly threshold: number;
}

function evalCommand(): Command {
  const command = styleHelp(new Command('tools/eval.sh'));
  command
    .description(
      'Measure recall on a set of questions: store its conversations, ask every question with default settings, and ' +
        'report how much of the evidence came back. tools/eval/README.md documents the file. Without --server a temporary ' +
        'server is started; with --server, namespaces are created there and deleted afterwards.',
    )
    .argument('<set>', 'file of conversations with questions')
    .option('--pooled', 'put all conversations into one namespace (one each)')
    .option(
      '--small-tiers',
      'keep only 50 short-term and 150 intermediate memories in each namespace, and check that none is lost',
    )
    .addOption(
      new Option('--set <key=value>', 'with --small-tiers: setting of the tiers; may be repeated').argParser(setting),
    )
    .option('--unanswerable', 'ask each question of the next conversation as well, where it has no answer')
    .addOption(
      new Option('--threshold <r>', 'with --unanswerable: relevance from which on a hit is an answer')
        .default(RELEVANT_MIN)
        .argParser(numberFrom(0, 1)),
    )
    .option('--out <file>', 'write the rankings as JSON lines, for a scorer')
    .option('--against <run>', 'compare with the rankings of an earlier run, as --out wrote them')
    .option('--per-question', 'print the results of each question')
    .option('--features <path>', 'write what the ranker saw to <path>.bin and <path>.json')
    .addOption(new Option('--limit <n>', 'hits to ask for per question').default(50).argParser(wholeNumber(1, 1000)))
    .addOption(
      new Option('--questions <n>', 'ask only the first n of each conversation').argParser(wholeNumber(1, 1e9)),
    )
    .option('--server <address>', 'server to measure (a temporary one)')
    .addHelpText('after', EXAMPLES)
    .action(evaluate);
  addConnectionFlags(addJsonFlag(command));
  refuseEmptyValues(command);
  // Errors are printed once, in one place: failure.ts.
  return command.configureOutput({ outputError: () => {} }).exitOverride();
}

const EXAMPLES = examples(
  'tools/eval.sh locomo-dev.json',
  'tools/eval.sh locomo-dev.json --pooled --out run.jsonl',
  'tools/eval.sh locomo-dev.json --pooled --against run.jsonl',
  'tools/eval.sh locomo-dev.json --server 127.0.0.1:50051 --json',
);

async function evaluate(file: string, flags: EvalFlags): Promise<void> {
  const { conversations: set, faults } = await readQuestionSet(file);
  if (flags.unanswerable && (flags.pooled || set.length < 2)) {
    throw new CommandFailure('--unanswerable needs two conversations in namespaces of their own');
  }
  const former = flags.against === undefined ? undefined : await readFormerRun(flags.against);
  const refused: string[] = [];
  for (const fault of faults) reportRefused(refused, `${basename(file)}: ${fault}`);
  const asked = set.map((part) => ({ ...part, questions: part.questions.slice(0, flags.questions) }));
  const stop = new AbortController();
  const interrupt = () => stop.abort('interrupted');
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const features = flags.features === undefined ? undefined : new FeatureFile(parse(flags.features).name);
  const { run, server } = await onSomeServer(flags, async (mneme) => {
    const info = await mneme.admin.getServerInfo({ timeoutMs: 30_000, signal: stop.signal });
    return {
      run: await measured(mneme, asked, { ...flags, refused, taken: features }, stop.signal),
      server: info.version,
    };
  });
  if (flags.features !== undefined) await features?.write(flags.features);
  if (flags.out !== undefined) await writeFile(flags.out, runLines(run));
  const memoryCount = set.reduce((count, { memories }) => count + memories.length, 0);
  const skippedCount = refused.length;
  const about = {
    set: basename(file),
    pooled: flags.pooled ?? false,
    server,
    skippedCount,
    threshold: flags.threshold,
  };
  const random = mulberry32(BOOTSTRAP_SEED);
  const report = {
    ...reportOf(run, { ...about, memoryCount: memoryCount + faults.length - skippedCount }),
    ...(flags.perQuestion && { questions: questionReports(run.rankings) }),
    ...(former && {
      comparison: compareRuns(run.rankings, former, { against: basename(flags.against ?? ''), random }),
    }),
  };
  if (flags.json) await printJson(report);
  else await print(reportLines(report).join('\n'));
}

/** Two comparisons of the same runs print the same interval. */
const BOOTSTRAP_SEED = 1;

function reportRefused(refused: string[], what: string): void {
  refused.push(what);
  process.stderr.write(`mneme: not stored: ${what}\n`);
}

/** A late answer of a busy machine must not end the run: its duration is printed anyway. */
const TIMEOUT_MS = 30_000;

async function onSomeServer<Result>(flags: EvalFlags, use: (mneme: Mneme) => Promise<Result>): Promise<Result> {
  const { timeout = TIMEOUT_MS } = flags;
  if (flags.server !== undefined) {
    return withClient({ ...flags, server: flags.server, namespace: 'default', timeout }, use);
  }
  const own = await startOwnServer();
  const mneme = connect(own.address, { timeoutMs: timeout, recallTimeoutMs: timeout });
  try {
    return await Promise.race([use(mneme), own.ended]);
  } finally {
    await mneme.close();
    await own.stop();
  }
}

async function measured(
  mneme: Mneme,
  set: readonly Conversation[],
  {
    pooled = false,
    smallTiers = false,
    unanswerable = false,
    set: settings = {},
    limit,
    server,
    taken,
    refused,
  }: EvalFlags & { readonly taken?: FeatureFile; readonly refused: string[] },
  signal: AbortSignal,
): Promise<Run> {
  const total = (of: (part: Conversation) => number) => set.reduce((count, part) => count + of(part), 0);
  const memoryCount = total(({ memories }) => memories.length);
  const questionCount = total(({ questions }) => questions.length);
  let bar = progressBar('storing');
  let stored = 0;
  let asked = 0;
  try {
    return await runSet(mneme, set, {
      pooled,
      smallTiers,
      unanswerable,
      settings,
      limit,
      cleanUp: server !== undefined,
      runId: randomBytes(4).toString('hex'),
      signal,
      features: taken,
      onStored(count) {
        stored += count;
        bar.update(stored, memoryCount);
        if (stored === memoryCount) bar = progressBar('asking ');
      },
      onRefused(what) {
        bar.stop();
        reportRefused(refused, what);
      },
      onAsked(count) {
        asked += count;
        bar.update(asked, questionCount);
      },
    });
  } finally {
    bar.stop();
  }
}

/** A reader of a pipe that ends early, as `head`, ends this program. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await evalCommand().parseAsync();
} catch (error) {
  // Help that was asked for has been printed.
  const isHelp = error instanceof CommanderError && error.exitCode === 0;
  process.exitCode = isHelp ? 0 : reportFailure(error, { json: process.argv.includes('--json') });
}
