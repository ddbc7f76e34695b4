import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Memory } from '../../../../gen/ts/mneme/v1/memory.ts';
import { trustOf } from '../../../memory/memory-trust.ts';
import type { FoundHit } from '../../../search/recall/recall-engine.ts';
import { encode } from '../edge/codec.ts';
import { memoryName } from '../edge/request-checks.ts';
import { TRUST_NUMBERS } from '../knowledge/trust-numbers.ts';
import { memoryMessage } from '../memories/memory-messages.ts';

/** Tags of the fields of `RecallResponse.hits`, `RecallHit` and `MatchedPassage`: the number, and how the value is encoded. */
const TAGS = {
  hits: (1 << 3) | 2,
  memory: (1 << 3) | 2,
  score: (2 << 3) | 1,
  matchedTerms: (4 << 3) | 2,
  before: (5 << 3) | 2,
  after: (6 << 3) | 2,
  passage: (42 << 3) | 2,
  relevance: (43 << 3) | 1,
  trust: (44 << 3) | 0,
  equalCount: (45 << 3) | 0,
  outdatedBy: (46 << 3) | 2,
  passageText: (1 << 3) | 2,
  passageOffset: (2 << 3) | 0,
} as const;

/**
 * The field `hits` of a RecallResponse, byte for byte as its generated code encodes it. That code is not used, as it
 * loads the transport, which the search thread does not need. For hits without an explanation.
 */
export function encodedHits(hits: readonly FoundHit[]): Uint8Array {
  return encode(HITS, hits);
}

const HITS = {
  encode(hits: readonly FoundHit[], writer: BinaryWriter): BinaryWriter {
    for (const hit of hits) writeHit(hit, writer);
    return writer;
  },
};

function writeHit(
  { memory, score, relevance, equalCount, outdatedBy, matchedTerms, passage, before, after }: FoundHit,
  writer: BinaryWriter,
): void {
  writer.uint32(TAGS.hits).fork();
  Memory.encode(memoryMessage(memory), writer.uint32(TAGS.memory).fork()).join();
  if (score !== 0) writer.uint32(TAGS.score).double(score);
  if (relevance !== 0) writer.uint32(TAGS.relevance).double(relevance);
  for (const term of matchedTerms) writer.uint32(TAGS.matchedTerms).string(term);
  for (const one of before) Memory.encode(memoryMessage(one), writer.uint32(TAGS.before).fork()).join();
  for (const one of after) Memory.encode(memoryMessage(one), writer.uint32(TAGS.after).fork()).join();
  if (passage) {
    writer.uint32(TAGS.passage).fork();
    if (passage.text !== '') writer.uint32(TAGS.passageText).string(passage.text);
    if (passage.offsetBytes !== 0) writer.uint32(TAGS.passageOffset).int32(passage.offsetBytes);
    writer.join();
  }
  writer.uint32(TAGS.trust).int32(TRUST_NUMBERS[trustOf(memory)]);
  if (equalCount !== 0) writer.uint32(TAGS.equalCount).int32(equalCount);
  if (outdatedBy !== undefined) writer.uint32(TAGS.outdatedBy).string(memoryName(memory.namespace, outdatedBy));
  writer.join();
}
