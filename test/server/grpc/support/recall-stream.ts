import type { Tier } from '../../../../gen/ts/mneme/v1/memory.ts';
import {
  type RecallHit,
  type RecallMerged,
  RecallStreamRequest,
  type RecallStreamResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Clients } from './test-server.ts';

type Asked = Parameters<typeof RecallStreamRequest.fromPartial>[0];

export interface Streamed {
  /** In order of arrival. */
  readonly parts: readonly RecallStreamResponse[];
  /** The last hits of each tier. */
  readonly hits: ReadonlyMap<Tier, readonly RecallHit[]>;
  readonly merged: RecallMerged | undefined;
}

/** The whole of a RecallStream; `onPart` is called for each message as it arrives. */
export async function streamed(
  { recalls }: Pick<Clients, 'recalls'>,
  asked: Asked,
  onPart: (part: RecallStreamResponse) => void | Promise<void> = () => undefined,
): Promise<Streamed> {
  const parts: RecallStreamResponse[] = [];
  const hits = new Map<Tier, readonly RecallHit[]>();
  let merged: RecallMerged | undefined;
  const deadline = Date.now() + 60_000;
  for await (const message of recalls.recallStream(RecallStreamRequest.fromPartial(asked), { deadline })) {
    const response = message as RecallStreamResponse;
    parts.push(response);
    await onPart(response);
    const { part } = response;
    if (part?.$case === 'hits') {
      const { tier, continued } = part.value;
      hits.set(tier, [...(continued ? (hits.get(tier) ?? []) : []), ...part.value.hits]);
    }
    if (part?.$case === 'merged') merged = part.value;
  }
  return { parts, hits, merged };
}
