import { abstractOf } from './abstract.ts';
import type { Body } from './body-layout.ts';
import { packBody, unpackBody } from './pack-body.ts';
import type { Resolution } from './resolution.ts';

/** A body as a lower tier keeps it: what is scanned, and beside it the packed rest where there is one. */
export interface LoweredBody extends Body {
  readonly packed?: Uint8Array;
}

type BodyResolution = Pick<Resolution, 'abstractBytesMax' | 'compressionLevel'>;

/**
 * The abstract and, packed, the body; or the body as it is, where packing would save nothing and the whole text may be
 * scanned. `restoreBody` gives the body back bit for bit.
 */
export function lowerBody(body: Body, { abstractBytesMax, compressionLevel }: BodyResolution): LoweredBody {
  const { text, content } = body;
  const abstract = abstractOf(text, abstractBytesMax);
  if (abstract !== text) return { text: abstract, packed: packBody(body, compressionLevel || undefined) };
  if (compressionLevel === 0 || !content) return body;
  // A text that is scanned whole is not kept a second time.
  const packed = packBody({ text: '', content }, compressionLevel);
  return packed.byteLength < content.data.byteLength ? { text, packed } : body;
}

/** Fails with CHECKSUM_MISMATCH on damaged bytes. */
export function restoreBody({ text, content, packed }: LoweredBody): Body {
  if (!packed) return content ? { text, content } : { text };
  const body = unpackBody(packed);
  return body.text === '' ? { ...body, text } : body;
}
