import { type ChildProcess, spawn } from 'node:child_process';
import { type Command, Option } from 'commander';
import type {
  ExtractedClaim,
  ExtractedNote,
  ExtractionAnswer,
  ExtractionJob,
} from '../../clients/typescript/src/index.ts';
import { addClientFlags, addJsonFlag, type ClientFlags, withClient } from './client-flags.ts';
import { examples } from './help.ts';
import { reportBreaks } from './notices.ts';
import { isoTime, wholeNumber } from './parse-flag.ts';
import { counted, print, printable, printJson } from './terminal.ts';

interface ExtractFlags extends ClientFlags {
  readonly exec: string;
  readonly name?: string;
  readonly maxJobs?: number;
}

/** Bytes of the output of one command. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const JOBS_MAX = 64;

export function defineExtract(command: Command): void {
  const extract = command
    .command('extract')
    .description(
      'Serve the extractor client of the namespace: run a command for each job, with the job as JSON on its input ' +
        'and claims and notes as JSON on its output. Ends with Ctrl-C.',
    )
    .requiredOption('--exec <command>', 'command of the shell to run')
    .option('--name <name>', 'name in errors and in the origin of notes')
    .addOption(
      new Option('--max-jobs <n>', 'commands that run at once (default: 4)').argParser(wholeNumber(1, JOBS_MAX)),
    )
    .addHelpText('after', examples("mneme chat extract --exec './facts-by-my-model'"))
    .action(extractByCommand);
  addClientFlags(addJsonFlag(extract));
}

async function extractByCommand(flags: ExtractFlags): Promise<void> {
  await withClient(flags, async (mneme) => {
    const { name, maxJobs, exec, json = false } = flags;
    const handler = async (job: ExtractionJob, signal: AbortSignal): Promise<ExtractionAnswer> => {
      const answer = answerIn(await outputOf(exec, JSON.stringify(job), signal));
      await report(job, answer, json);
      return answer;
    };
    const onRejected = ({ conversation }: ExtractionJob, reason: string) => {
      process.stderr.write(`${printable(conversation)}: refused: ${printable(reason)}\n`);
    };
    const query = {
      name,
      maxJobs,
      onRejected,
    };
    const served = await mneme.conversations.serveExtractor(handler, query, reportBreaks());
    if (served.extractor !== 'client') {
      process.stderr.write(
        `the extractor of the namespace is ${served.extractor}: no job comes until extraction.extractor is client\n`,
      );
    }
    process.once('SIGINT', served.stop).once('SIGTERM', served.stop);
    await served.closed;
  });
}

async function report(job: ExtractionJob, answer: ExtractionAnswer, json: boolean): Promise<void> {
  const { id, conversation, messages } = job;
  if (json) return printJson({ id, conversation, messageCount: messages.length, ...answer });
  const read = `${printable(conversation)}: ${counted(messages.length, 'message')}`;
  if (answer && 'failure' in answer) return print(`${read}, failed: ${printable(answer.failure)}`);
  const { claims = [], notes = [] } = answer ?? {};
  return print(`${read}, ${counted(claims.length, 'claim')}, ${counted(notes.length, 'note')}`);
}

/** What a command prints. Fails where it ends with another code than 0; it is ended when the signal is aborted. */
async function outputOf(command: string, input: string, signal: AbortSignal): Promise<string> {
  const child = spawn(command, { shell: true, signal, stdio: ['pipe', 'pipe', 'inherit'] });
  // A command need not read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = endOf(child);
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of child.stdout as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > OUTPUT_BYTES_MAX) {
      child.kill();
      break;
    }
    parts.push(part);
  }
  const code = await ended;
  if (bytes > OUTPUT_BYTES_MAX) throw new Error(`the command prints more than ${OUTPUT_BYTES_MAX} bytes`);
  if (code !== 0) throw new Error(`the command ended with ${code === null ? 'a signal' : `code ${code}`}`);
  return Buffer.concat(parts).toString();
}

function endOf(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  promise.catch(() => undefined);
  return promise;
}

type Fields = Readonly<Record<string, unknown>>;

/** `{"claims": [...], "notes": [...]}` or `{"failure": "why"}`; the server checks the rest. */
function answerIn(output: string): ExtractionAnswer {
  let answer: unknown;
  try {
    answer = output.trim() === '' ? {} : JSON.parse(output);
  } catch (error) {
    return { failure: `the output is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof answer !== 'object' || answer === null) return { failure: 'the output is not a JSON object' };
  const { failure, claims = [], notes = [] } = answer as Fields;
  if (typeof failure === 'string') return { failure };
  try {
    return {
      claims: itemsOf(claims, 'claims').map(claimOf),
      notes: itemsOf(notes, 'notes') as unknown as ExtractedNote[],
    };
  } catch (error) {
    if (error instanceof TypeError) return { failure: error.message };
    throw error;
  }
}

/** Objects with sources, as what follows relies on. */
function itemsOf(items: unknown, field: string): Fields[] {
  if (!Array.isArray(items)) throw new TypeError(`${field} of the output must be an array`);
  return items.map((item: unknown, at) => {
    if (typeof item === 'object' && item !== null && Array.isArray((item as Fields).sources)) return item as Fields;
    throw new TypeError(`${field}[${at}] of the output must be an object with sources, an array of sequence numbers`);
  });
}

function claimOf({ validFrom, validUntil, ...rest }: Fields, at: number): ExtractedClaim {
  const time = (value: unknown, field: string) => {
    if (value === undefined || value === null) return {};
    const read = typeof value === 'string' ? isoTime(value) : undefined;
    if (!read) throw new TypeError(`claims[${at}].${field} of the output must be an ISO 8601 time`);
    return { [field]: read };
  };
  return {
    ...(rest as unknown as ExtractedClaim),
    ...time(validFrom, 'validFrom'),
    ...time(validUntil, 'validUntil'),
  };
}
