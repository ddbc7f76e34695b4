import type { Content } from '../../../gen/ts/mneme/v1/memory.ts';
import { bytesText } from '../../ui/format.ts';
import { LongText } from '../../ui/plain-text.tsx';

/** The content in its own format: JSON with line breaks, texts as they are, the size of other bytes. */
export function ContentPanel({ content: { mediaType, body } }: { readonly content: Content }) {
  return (
    <section class="panel">
      <h2>
        Content <span class="badge">{mediaType}</span>
      </h2>
      {body?.$case === 'data' && <p class="quiet">{bytesText(body.value.length)} that are no text</p>}
      {body?.$case === 'text' && <LongText text={body.value} />}
      {body?.$case === 'json' && (
        <div class="mono">
          <LongText text={pretty(body.value)} />
        </div>
      )}
    </section>
  );
}

const PRETTY_LENGTH_MAX = 200_000;

/** With line breaks where that keeps every value: numbers that would be rounded stay in the written form. */
function pretty(json: string): string {
  if (json.length > PRETTY_LENGTH_MAX || /\d{16}/.test(json)) return json;
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return json;
  }
}
