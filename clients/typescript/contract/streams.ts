import type {
  ExtractionAnswer,
  ExtractionJob,
  HookAnswer,
  HookRegistration,
  ImportedMemory,
  LifecycleEvent,
  Mneme,
  NewMemory,
  RefusedMemory,
} from '../src/index.ts';
import { splitArguments } from './call-arguments.ts';
import { argumentOf } from './values.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Arguments of any call: their contents depend on the scenario. */
type Arguments = { readonly [name in string]: never };

/** A stream of the protocol. */
export interface Stream {
  next?(count: number): Promise<{ readonly items: unknown[]; readonly ended: boolean }>;
  send?(item: Fields): void;
  end(): Promise<unknown>;
}

type Open = (mneme: Mneme, args: Arguments, options: { signal: AbortSignal }) => Stream | Promise<Stream>;

/** Opens each stream. */
export const STREAMS: Readonly<Record<string, Open>> = {
  watch: (mneme, args, signal) => {
    const { query, options } = split('', 'watch', args, signal);
    return reading(mneme.watch({ ...query, progress: true }, options));
  },
  subscribe: (mneme, args, signal) => {
    const { query, options } = split('', 'subscribe', args, signal);
    return reading(mneme.subscribe(query, options));
  },
  recall_stream: (mneme, args, signal) => {
    const { query, options } = split('', 'recallStream', args, signal);
    return reading(mneme.recallStream(query, options));
  },
  'session.watch': (mneme, args, signal) => {
    const { session } = args as unknown as { session: string };
    const { query, options } = split('session', 'watch', args, signal);
    return reading(mneme.session(session).watch(query, options));
  },
  'conversations.watch_extraction': (mneme, args, signal) => {
    const { query, options } = split('conversations', 'watchExtraction', args, signal);
    return reading(mneme.conversations.watchExtraction(query, options));
  },
  'conversations.serve_extractor': extracting,
  'lifecycle.watch_events': (mneme, args, signal) => {
    const { query, options } = split('lifecycle', 'watchEvents', args, signal);
    return reading(mneme.lifecycle.watchEvents(query, options));
  },
  'subscriptions.consume': consuming,
  'lifecycle.serve_hook': hooking,
  ingest: ingesting,
  import_memories: importing,
};

/** The query and the options of a stream, from the arguments of a scenario. */
function split(group: string, name: string, args: Arguments, signal: { readonly signal: AbortSignal }) {
  const { query, options } = splitArguments(group, name, ['*'], args);
  return { query: query as Arguments, options: { ...options, ...signal } };
}

function reading<Item>(items: AsyncGenerator<Item, void, undefined>): Required<Pick<Stream, 'next' | 'end'>> {
  return {
    async next(count) {
      const taken: Item[] = [];
      while (taken.length < count) {
        const { value, done } = await items.next();
        if (done === true) return { items: taken, ended: true };
        taken.push(value);
      }
      return { items: taken, ended: false };
    },
    end: () => items.return(),
  };
}

function consuming(mneme: Mneme, args: Arguments, options: { signal: AbortSignal }): Stream {
  const { id, consumer } = args as unknown as { id: string; consumer: string };
  const acknowledge = new Map<number, () => void>();
  async function* deliveries() {
    const { id: _, consumer: __, ...own } = args as Record<string, never>;
    const { query, options: call } = split('subscriptions', 'consume', own, options);
    for await (const delivery of mneme.subscriptions.consume(String(id), String(consumer), query, call)) {
      acknowledge.set(delivery.revision, () => delivery.acknowledge());
      yield delivery;
    }
  }
  return { ...reading(deliveries()), send: (item) => acknowledge.get(Number(item['acknowledge']))?.() };
}

async function hooking(mneme: Mneme, args: Arguments, options: { signal: AbortSignal }): Promise<Stream> {
  const questions = new Queue<LifecycleEvent>();
  const replies = new Map<string, (reply: Fields) => void>();
  const handler = async (event: LifecycleEvent): Promise<HookAnswer | undefined> => {
    const reply = new Promise<Fields>((resolve) => replies.set(event.id, resolve));
    questions.push(event);
    const { veto, failure, proceed } = (await reply) as {
      veto?: string;
      failure?: string;
      proceed?: Record<string, string>;
    };
    if (failure !== undefined) throw new Error(failure);
    return veto === undefined ? { metadata: proceed ?? {} } : { veto };
  };
  const hook = await mneme.lifecycle.serveHook(args as unknown as HookRegistration, handler, options);
  return {
    ...reading(questions.read()),
    send: (item) => replies.get(String(item['event']))?.(item),
    async end() {
      hook.stop();
      await hook.closed;
    },
  };
}

async function extracting(mneme: Mneme, args: Arguments, options: { signal: AbortSignal }): Promise<Stream> {
  const jobs = new Queue<ExtractionJob>();
  const answers = new Map<string, (answer: Fields) => void>();
  const handler = async (job: ExtractionJob): Promise<ExtractionAnswer> => {
    const answered = new Promise<Fields>((resolve) => answers.set(job.id, resolve));
    jobs.push(job);
    const { job: _, error, noted: notes, ...answer } = argumentOf(await answered) as Fields;
    if (error !== undefined) throw new Error(error as string);
    return { ...answer, ...(notes ? { notes } : {}) } as ExtractionAnswer;
  };
  const { query, options: call } = split('conversations', 'serveExtractor', args, options);
  const served = await mneme.conversations.serveExtractor(handler, query, call);
  return {
    ...reading(jobs.read()),
    send: (item) => answers.get(String(item['job']))?.(item),
    async end() {
      served.stop();
      await served.closed;
    },
  };
}

function ingesting(mneme: Mneme, args: Arguments, options: { signal: AbortSignal }): Stream {
  const memories = new Queue<NewMemory>();
  const refused: unknown[] = [];
  const receipts: unknown[] = [];
  let last = {};
  async function* progress() {
    for await (const each of mneme.ingest(memories.read(), { ...args, ...options })) {
      refused.push(...each.refused);
      receipts.push(...each.receipts);
      last = each;
      yield each;
    }
  }
  const stream = reading(progress());
  return {
    ...stream,
    send: (item) => memories.push(argumentOf(item) as NewMemory),
    async end() {
      memories.close();
      while (!(await stream.next(1)).ended);
      return { ...last, refused, receipts };
    },
  };
}

function importing(mneme: Mneme, args: Arguments, options: { signal: AbortSignal }): Stream {
  const memories = new Queue<ImportedMemory>();
  const refused: unknown[] = [];
  const { skipRefused, ...given } = args as Arguments & { skipRefused?: boolean };
  const onRefused = ({ memory, error }: RefusedMemory) => refused.push({ id: memory.id, error });
  const imported = mneme.importMemories(memories.read(), { ...given, ...options, ...(skipRefused && { onRefused }) });
  imported.catch(() => {});
  return {
    send: (item) => memories.push(argumentOf(item) as ImportedMemory),
    async end() {
      memories.close();
      return { ...(await imported), ...(skipRefused && { refused }) };
    },
  };
}

/** Items pushed on one side are read on the other. */
class Queue<Item> {
  private readonly items: Item[] = [];
  private isClosed = false;
  private wake = () => {};

  push(item: Item): void {
    this.items.push(item);
    this.wake();
  }

  close(): void {
    this.isClosed = true;
    this.wake();
  }

  async *read(): AsyncGenerator<Item, void, undefined> {
    for (;;) {
      const item = this.items.shift();
      if (item !== undefined) {
        yield item;
      } else {
        if (this.isClosed) return;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }
}
