import { jsonOf } from './bad-input.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import { exactJson, type Json } from './exact-json.ts';

export type { Json };

/** Content in its own format: bytes and their media type. The server returns them bit for bit. */
export class Content {
  readonly mediaType: string;
  readonly data: Uint8Array;

  constructor(mediaType: string, data: Uint8Array | string) {
    this.mediaType = mediaType;
    // An encoder would replace half of a surrogate pair.
    refuseBrokenTexts(data, 'content');
    this.data = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  }

  static json(value: Json): Content {
    return new Content('application/json', jsonOf(value, 'content'));
  }

  static text(value: string): Content {
    return new Content('text/plain', value);
  }

  /** The bytes as UTF-8 text; throws `TypeError` when they are not. */
  text(): string {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.data);
  }

  /** The bytes as a JSON value, integers beyond ±(2^53 - 1) as bigints; throws `SyntaxError` when they are not JSON. */
  json(): Json {
    return exactJson(this.text());
  }
}
