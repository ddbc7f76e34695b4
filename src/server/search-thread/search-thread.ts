import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { toThrown } from '../../memory/errors.ts';
import type { Steps } from '../../memory/slices.ts';
import { STATE_MODEL } from '../../memory/states/state-vector.ts';
import { SENTENCE_MODEL } from '../../search/embedding/sentence/encoder-file.ts';
import { LazyEncoder } from '../../search/embedding/sentence/lazy-encoder.ts';
import { StaticTexts } from '../../search/embedding/static/static-embedder.ts';
import { STATIC_MODEL } from '../../search/embedding/static/token-table.ts';
import { Meanings } from '../../search/ranking/meanings.ts';
import { RankedMemories } from '../../search/ranking/ranked-memories.ts';
import { LearnedLane } from '../../search/recall/learned-lane.ts';
import { LocalEngine } from '../../search/recall/local-engine.ts';
import { NamespaceTexts } from '../../search/recall/namespace-texts.ts';
import type { RecallQuery, RecallResult } from '../../search/recall/recall-engine.ts';
import { type EngineRequest, isFastRecall } from '../../search/recall/remote-engine.ts';
import { SearchLoop } from '../../search/recall/search-loop.ts';
import { SearchInterrupted, SearchProgress } from '../../search/recall/search-progress.ts';
import { evaluated } from '../../search/standing/evaluate.ts';
import { StandingIndex } from '../../search/standing/standing-index.ts';
import type { Evaluation, StandingQuery } from '../../search/standing/standing-query.ts';
import type { ThreadAnswer, ThreadRequest } from '../../search/threads/thread-calls.ts';
import { ThreadServer } from '../../search/threads/thread-server.ts';
import { NOT_NEEDED, type ThreadData } from '../../search/threads/thread-source.ts';
import { ColumnFolder } from '../../search/vectors/column-folder.ts';
import { GraphFolder } from '../../search/vectors/graph-folder.ts';
import { IndexFolder } from '../../search/vectors/index-folder.ts';
import type { OnRefused } from '../../search/vectors/snapshot-files.ts';
import { TextFolder } from '../../search/vectors/text-folder.ts';
import { DAMAGED_PART, type DamageKind, damageOf } from '../../storage/sqlite/damage/found-damage.ts';
import { openReadOnly } from '../../storage/sqlite/database.ts';
import { isPageDamage, translated } from '../../storage/sqlite/driver-error.ts';
import { SqliteKeywordIndex } from '../../storage/sqlite/keyword-index.ts';
import { memoryReaders, SqliteRecallSource } from '../../storage/sqlite/recall-source.ts';
import { type ScanRequest, scanSteps } from '../../storage/sqlite/scan.ts';
import { encodedHits } from '../grpc/recall/encoded-hits.ts';
import type { PausedRequest } from './fair-calls.ts';
import { PausedSteps } from './paused-work.ts';

export interface SearchThreadOptions {
  /** Data folder. */
  readonly folder: string;
  /** The namespaces of this thread: those that `ownerOf` gives to `index`. */
  readonly share: { readonly index: number; readonly count: number };
  /** Vectors of a namespace up to which a search is exact. */
  readonly exactVectorsMax: number;
  readonly memoryBytesMax: number;
  readonly saveIntervalMs: number;
  /** Makes vectors of the texts of queries with the static table. */
  readonly embedTexts: boolean;
  /** Orders keyword candidates by the learned model. */
  readonly isLearned: boolean;
}

export type StandingRequest =
  | { readonly kind: 'put_query'; readonly id: number; readonly query: StandingQuery; readonly afterRevision: number }
  | { readonly kind: 'remove_query'; readonly id: number }
  | { readonly kind: 'affected'; readonly read: { readonly afterRevision: number; readonly count: number } }
  | { readonly kind: 'evaluate'; readonly evaluations: readonly Evaluation[] };

export type SearchRequest =
  | EngineRequest
  | StandingRequest
  | PausedRequest
  | { readonly kind: 'prepare' }
  | { readonly kind: 'scan'; readonly scan: ScanRequest };

/** A failure of a part, for the server's log; the answer that it spoiled, if any, names the part. */
export interface SearchFault {
  readonly fault: {
    readonly part: string;
    readonly message: string;
    readonly stack: string;
    /** What is damaged in the data folder, where that is the cause. */
    readonly damage?: DamageKind;
  };
}

/** A line for the server's log where no part has failed. */
export interface SearchNotice {
  readonly notice: { readonly level: 'info' | 'warn'; readonly part: string; readonly message: string };
}

/** Tables and weights of the models, which all data folders of the thread share. */
const staticTexts = new StaticTexts();
const encoder = new LazyEncoder();
/** The order for the first data folder, made while the thread waits for its options. */
let preparedLane = (workerData as ThreadData | null)?.preparesOrder === true ? newLearnedLane() : undefined;

if (parentPort) awaitOptions(parentPort);

function awaitOptions(port: MessagePort): void {
  port.once('message', (options: SearchThreadOptions | typeof NOT_NEEDED) => {
    if (options === NOT_NEEDED) port.close();
    else serve(port, options);
  });
}

/** Serves calls one at a time; between calls the loop works in the background. */
function serve(port: MessagePort, options: SearchThreadOptions): void {
  const answer = openedOrDamaged(port, options);
  const { isReused } = workerData as ThreadData;
  let lastCall: number | undefined;
  const send = (answers: readonly ThreadAnswer[]): void => {
    port.postMessage(answers);
    if (!isReused && answers.some(({ call }) => call === lastCall)) port.close();
  };
  const server = new ThreadServer<SearchRequest>({ send, answer: withTranslatedErrors(answer), isFast: isFastRecall });
  const receive = (requests: readonly ThreadRequest<SearchRequest>[]): void => {
    const last = requests.at(-1);
    if (last?.request.kind === 'close') {
      lastCall = last.call;
      port.off('message', receive);
      if (isReused) awaitOptions(port);
    }
    server.receive(requests);
  };
  port.on('message', receive);
}

type Answers = (request: SearchRequest) => unknown;
type OnFault = (part: string, error: unknown) => void;

/**
 * Opens the store. Where a damaged page prevents it, each request fails with the damage: a thread that ended would be started
 * again for each of them.
 */
function openedOrDamaged(port: MessagePort, options: SearchThreadOptions): Answers {
  const onFault = faultsTo(port);
  try {
    return opened(port, options, onFault);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    onFault(DAMAGED_PART, error);
    return ({ kind }) => {
      if (kind !== 'close' && kind !== 'prepare') throw error;
      return [];
    };
  }
}

function faultsTo(port: MessagePort): OnFault {
  let damagedPart = '';
  return (part, error) => {
    // Background work meets the same damaged page again and again.
    if (isPageDamage(error)) {
      if (damagedPart === part) return;
      damagedPart = part;
    }
    const { message, stack } = toThrown(error);
    port.postMessage({ fault: { part, message, stack, damage: damageOf(error) } } satisfies SearchFault);
  };
}

function opened(port: MessagePort, options: SearchThreadOptions, onFault: OnFault): Answers {
  const db = openReadOnly(options.folder);
  encoder.spillFolder ??= options.folder;
  const source = new SqliteRecallSource(db, memoryReaders(db), (error) => onFault(DAMAGED_PART, error));
  const keywords = new SqliteKeywordIndex(db);
  const texts = options.embedTexts ? staticTexts : undefined;
  const engine = new LocalEngine({
    source,
    keywords,
    ...filesOf(options, port),
    bytesMax: options.memoryBytesMax,
    onFault,
    encodeHits: encodedHits,
    texts,
    ...textOptions(options),
  });
  const standing = new StandingIndex(source);
  const loop = new SearchLoop({
    engine,
    source,
    share: options.share,
    saveIntervalMs: options.saveIntervalMs,
    onFault,
  });
  const paused = new PausedSteps();
  return (request) => {
    switch (request.kind) {
      case 'recall':
        return paused.run(recallSteps(loop, engine, request.query));
      case 'scan':
        return paused.run(scanSteps(db, request.scan));
      case 'resume':
      case 'forget':
        return paused.answer(request);
      case 'put_query':
        return standing.put(request.id, request.query, request.afterRevision);
      case 'remove_query':
        return standing.remove(request.id);
      case 'affected':
        // Indexes need the same changes before the queries are asked again: they are read once.
        return standing.inOneState(() => {
          loop.follow();
          return standing.affected(request.read);
        });
      case 'evaluate':
        return evaluated(standing, engine, request.evaluations);
      case 'index_states':
        return engine.indexStates();
      case 'prepare':
        if (options.isLearned) encoder.load();
        return loop.openRecent();
      case 'close':
        return loop.stop().then(() => db.close());
    }
  };
}

/** Snapshots of what recall keeps in memory. Those that are refused are in the server's log. */
function filesOf({ folder, exactVectorsMax }: SearchThreadOptions, port: MessagePort) {
  /** `then`: what is done without the files. */
  const refusalOf =
    (part: string, then: string): OnRefused =>
    (namespace, reason, isFormer) => {
      const message = `namespaces/${namespace}: ${reason}; ${then}`;
      port.postMessage({
        notice: { level: isFormer ? 'info' : 'warn', part, message },
      } satisfies SearchNotice);
    };
  const onVectorsRefused = refusalOf('vector snapshot', 'building the index from the store');
  const onTextsRefused = refusalOf('text snapshot', 'reading the texts again');
  const onGraphRefused = refusalOf('graph snapshot', 'growing the graph again');
  return {
    files: new IndexFolder(folder, { exactMax: exactVectorsMax }, onVectorsRefused),
    columnFiles: new ColumnFolder(folder, refusalOf('column snapshot', 'reading the columns again')),
    textFiles: new TextFolder(folder, `${STATIC_MODEL} ${SENTENCE_MODEL}`, onTextsRefused),
    graphFiles: new GraphFolder(folder, { texts: STATIC_MODEL, states: STATE_MODEL }, onGraphRefused),
  };
}

/** Reads what the query looks for, then searches. */
function* recallSteps(loop: SearchLoop, engine: LocalEngine, query: RecallQuery): Steps<RecallResult> {
  if (query.text !== '') yield* loop.passageSteps(query.namespace, query.deadlineAtMs);
  if (query.state) yield* loop.stateSteps(query.namespace, query.deadlineAtMs);
  const progress = new SearchProgress();
  for (;;) {
    try {
      return engine.search(query, { progress });
    } catch (error) {
      if (!(error instanceof SearchInterrupted)) throw error;
    }
    yield;
  }
}

/** Errors of SQLite become errors for callers. */
function withTranslatedErrors(answer: (request: SearchRequest) => unknown): (request: SearchRequest) => unknown {
  const fail = (error: unknown): never => {
    throw translated(error);
  };
  return (request) => {
    try {
      const answered = answer(request);
      return answered instanceof Promise ? answered.catch(fail) : answered;
    } catch (error) {
      return fail(error);
    }
  };
}

/** The learned order and the vectors of texts read the same table. */
function textOptions({ embedTexts, isLearned }: SearchThreadOptions) {
  if (!embedTexts && !isLearned) return {};
  const { table, tokenizer } = staticTexts.load();
  const newTexts = (): NamespaceTexts =>
    new NamespaceTexts(new RankedMemories(table, tokenizer), isLearned ? new Meanings(encoder) : undefined);
  if (!isLearned) return { newTexts };
  const learned = preparedLane ?? newLearnedLane();
  preparedLane = undefined;
  return { newTexts, learned };
}

function newLearnedLane(): LearnedLane {
  const { table, tokenizer } = staticTexts.load();
  return new LearnedLane(table, tokenizer);
}
