import { type DescMessage, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import type { TestRandom } from '../support/random.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Requests that succeed when what they name is there: `$n` is a namespace, `$m` the id of a memory, `$s` a session, `$c` a
 * conversation, `$i`
 * another id, `$w` some words, and `$fact` and the like the name of one that an answer had. Messages of a stream are in
 * their order.
 */
const VALID: Readonly<Record<string, readonly string[]>> = {
  StoreMemory: [
    '{"parent":"$n","memory":{"text":"$w","scope":{"agent":"$i"},"type":"note","tags":["x"]},"memoryId":"$m"}',
    '{"parent":"$n","memory":{"content":{"mediaType":"application/json","json":"{\\"a\\":{\\"b\\":[1,2]}}"},"step":"3"}}',
  ],
  BatchStoreMemories: [
    '{"parent":"$n","requests":[{"memory":{"text":"$w"}},{"memory":{"text":"$w"},"memoryId":"$m"}]}',
  ],
  GetMemory: [
    '{"name":"$n/memories/$m"}',
    '{"name":"$n/memories/$m","view":"MEMORY_VIEW_FULL","touch":true,"focus":true}',
  ],
  BatchGetMemories: ['{"parent":"$n","names":["$n/memories/$m"]}'],
  UpdateMemory: ['{"memory":{"name":"$n/memories/$m","text":"$w","importance":0.5},"updateMask":"text,importance"}'],
  SupersedeMemory: ['{"name":"$n/memories/$m","memory":{"text":"$w"}}'],
  DeleteMemory: ['{"name":"$n/memories/$m"}'],
  ForgetMemories: ['{"parent":"$n","filterText":"type = \\"note\\"","dryRun":true}'],
  ListMemories: ['{"parent":"$n","pageSize":3}', '{"parent":"$n","filterText":"text MATCHES \\"[a-z]+\\""}'],
  ImportMemories: [
    '{"parent":"$n","memories":[{"name":"$n/memories/$m","text":"$w"}]}',
    '{"memories":[{"text":"$w"}]}',
  ],
  DemoteMemories: ['{"parent":"$n","names":["$n/memories/$m"],"toTier":"TIER_LONG_TERM"}'],
  PromoteMemories: ['{"parent":"$n","names":["$n/memories/$m"],"toTier":"TIER_SHORT_TERM"}'],
  Recall: [
    '{"parent":"$n","text":"$w"}',
    '{"parent":"$n","text":"$w","limit":5,"explain":true,"neighborCount":1,"tokenBudget":500,"diversity":0.5}',
    '{"parent":"$n","similarTo":"$n/memories/$m"}',
  ],
  RecallStream: ['{"query":{"parent":"$n","text":"$w"}}'],
  SubscribeRecall: ['{"query":{"parent":"$n","text":"$w"}}'],
  WatchMemories: ['{"parent":"$n","startRevision":"1"}'],
  BuildContext: ['{"parent":"$n","query":"$w","tokenBudget":500}'],
  IngestMemories: [
    '{"start":{"parent":"$n","streamId":"$i"}}',
    '{"batch":{"firstSequence":1,"items":[{"memory":{"text":"$w"}},{"memory":{"text":"$w"},"memoryId":"$m"}]}}',
  ],
  AppendMessages: [
    '{"conversation":"$c","messages":[{"role":"MESSAGE_ROLE_USER","blocks":[{"text":"I moved to Oslo. $w"}]}]}',
  ],
  ListMessages: ['{"conversation":"$c"}'],
  PopMessage: ['{"conversation":"$c"}'],
  ReplaceSuffix: [
    '{"conversation":"$c","firstSequence":1,"messages":[{"role":"MESSAGE_ROLE_USER","blocks":[{"text":"$w"}]}]}',
  ],
  ClearMessages: ['{"conversation":"$c"}'],
  AssertFact: ['{"parent":"$n","fact":{"subject":"Ada","attribute":"city","value":"$w"}}'],
  GetFact: ['{"name":"$fact"}'],
  UndoSupersession: ['{"name":"$fact"}'],
  RecordEpisode: [
    '{"parent":"$n","scope":{"agent":"$i"},"task":"$w","outcome":"TASK_OUTCOME_SUCCESS","actions":["$w"]}',
  ],
  RecordProcedure: ['{"parent":"$n","procedure":{"title":"$w","situation":"$w","steps":["$w","$w"]}}'],
  RecordOutcome: ['{"name":"$procedure","outcome":"TASK_OUTCOME_FAILURE","note":"$w"}'],
  UndoConsolidation: ['{"report":"$report"}'],
  CreateNamespace: ['{"namespace":{"name":"$n","description":"$w"}}'],
  UpdateNamespace: ['{"namespace":{"name":"$n","description":"$w"},"updateMask":"description"}'],
  SpawnSession: ['{"parent":"$n","sessionId":"$i","scope":{"agent":"$i"}}'],
  SetValue: ['{"session":"$s","key":"$i","value":{"mediaType":"application/json","json":"{\\"n\\":1}"}}'],
  TransactValues: [
    '{"session":"$s","operations":[{"set":{"key":"$i","value":{"mediaType":"application/json","json":"1"}}}]}',
  ],
  SetTaskState: ['{"session":"$s","task":{"taskId":"$i","description":"$w","totalSteps":"3"}}'],
  UpdateTaskProgress: ['{"session":"$s","currentStep":"1","detail":"$w"}'],
  AppendScratchpad: ['{"session":"$s","notes":[{"mediaType":"text/plain","text":"$w"}]}'],
  CreateCheckpoint: ['{"session":"$s","checkpointId":"$i"}'],
  GetCheckpoint: ['{"session":"$s","checkpointId":"$i"}'],
  RestoreCheckpoint: ['{"session":"$s","checkpointId":"$i"}'],
  KeepCheckpoint: ['{"session":"$s","checkpointId":"$i"}'],
  DeleteCheckpoint: ['{"session":"$s","checkpointId":"$i"}'],
  DiffCheckpoints: ['{"session":"$s","checkpointId":"$i","toCheckpointId":"$i"}'],
  ForkCheckpoint: ['{"session":"$s","checkpointId":"$i","targetSession":"$n/sessions/fork-$i"}'],
  ServeHook: ['{"registration":{"parent":"$n","hook":"$i","phases":["LIFECYCLE_PHASE_BEFORE"],"timeout":"0.05s"}}'],
  CreateAgentSnapshot: ['{"parent":"$n","scope":{"agent":"$i"},"snapshotId":"$i"}'],
  DiffAgentSnapshots: ['{"parent":"$n","snapshotId":"$i","toScope":{"agent":"$i"}}'],
  RestoreAgentSnapshot: ['{"parent":"$n","snapshotId":"$i"}'],
  ForkAgentSnapshot: ['{"parent":"$n","snapshotId":"$i","toScope":{"agent":"fork-$i"}}'],
  DeleteAgentSnapshot: ['{"parent":"$n","snapshotId":"$i"}'],
  CreateSubscription: [
    '{"parent":"$n","subscriptionId":"$i","subscription":{}}',
    '{"parent":"$n","subscriptionId":"$i","subscription":{"webhook":{"url":"http://hooks.invalid/$i"}}}',
  ],
  RotateWebhookSecret: ['{"name":"$n/subscriptions/$i"}'],
  ResumeWebhook: ['{"name":"$n/subscriptions/$i"}'],
  ConsumeSubscription: [
    '{"start":{"name":"$n/subscriptions/$i","consumer":"c"}}',
    '{"acknowledge":{"upToRevision":"3"}}',
  ],
  ClearTier: ['{"parent":"$n","tier":"TIER_SHORT_TERM","all":true}'],
  UpdateConfig: ['{"settings":{"short_term.memory_limit":"100"}}'],
};

/** Streams whose messages come in the order of the list. */
const IN_ORDER: ReadonlySet<string> = new Set(['IngestMemories', 'ConsumeSubscription', 'ImportMemories']);

/** A request of this method that may well succeed; `undefined` where none is known. `at`: its place in a stream. */
export function validRequest(
  { path, input }: { readonly path: string; readonly input: DescMessage },
  at: number,
  random: TestRandom,
  vocabulary: Vocabulary,
): Uint8Array | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const known = VALID[name];
  const text = known && (IN_ORDER.has(name) ? known[Math.min(at, known.length - 1)] : random.pick(known));
  if (text === undefined) return undefined;
  const filled = text.replace(/\$(\w+)/g, (_, kind: string) => vocabulary.filled(kind, random));
  return toBinary(input, fromJson(input, JSON.parse(filled) as JsonValue));
}

/** Methods for which a request is known that succeeds. */
export const ANSWERED_METHODS: readonly string[] = Object.keys(VALID);
