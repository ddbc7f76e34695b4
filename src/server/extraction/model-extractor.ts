import type { ConversationMessage } from '../../memory/conversation.ts';
import type { ExtractedNote, FactClaim } from '../../memory/fact-claim.ts';
import { passagesOf } from '../../memory/passages.ts';
import { ChatModel, type ChatModelOptions } from './chat-model.ts';
import type { Capacity, Extracted, ExtractionBatch, Extractor } from './extractor.ts';
import { extractedIn } from './model-answer.ts';
import { ANSWER_SCHEMA, type Line, lineOf, PROMPT_VERSION, SYSTEM_PROMPT, userPrompt } from './model-prompt.ts';

export interface ModelExtractorOptions extends ChatModelOptions {
  /** Approximate tokens of the messages in one request; longer batches take several requests. */
  readonly inputTokensMax: number;
}

const CHARACTERS_PER_TOKEN = 4;
const EARLIER_LENGTH = 500;
/** Limit of one batch; the rest of a very long message is stored but not read. */
const REQUESTS_MAX = 16;

/** Asks a model behind an OpenAI-compatible chat endpoint, at temperature 0, for JSON of a schema. */
export class ModelExtractor implements Extractor {
  readonly name = `model.v${PROMPT_VERSION}`;
  private readonly options: ModelExtractorOptions;
  private readonly model: ChatModel;

  /** Throws when the address or the key could never be sent. */
  constructor(options: ModelExtractorOptions) {
    this.options = options;
    this.model = new ChatModel('the extractor', this.name, options);
  }

  capacity(): Capacity {
    return 'server';
  }

  async extract(batch: ExtractionBatch, signal: AbortSignal): Promise<Extracted> {
    const model = batch.settings.get('extraction.model') ?? this.options.model;
    const earlier = batch.earlier.map((message) =>
      lineOf(message, message.text.slice(0, EARLIER_LENGTH).toWellFormed()),
    );
    const claims: FactClaim[] = [];
    const notes: ExtractedNote[] = [];
    for (const lines of this.requestsOf(batch.messages)) {
      const extracted = await this.ask(model, earlier, lines, signal);
      claims.push(...extracted.claims);
      notes.push(...extracted.notes);
    }
    return { claims, notes };
  }

  /** The messages in portions of the token budget. A long message is read by its passages. */
  private requestsOf(messages: readonly ConversationMessage[]): Line[][] {
    const lengthMax = this.options.inputTokensMax * CHARACTERS_PER_TOKEN;
    const lines = messages.flatMap((message) => partsOf(message.text, lengthMax).map((part) => lineOf(message, part)));
    const requests: Line[][] = [];
    let length = Number.POSITIVE_INFINITY;
    for (const line of lines) {
      length += line.json.length;
      if (length > lengthMax) {
        requests.push([]);
        length = line.json.length;
      }
      requests.at(-1)?.push(line);
    }
    return requests.slice(0, REQUESTS_MAX);
  }

  private ask(
    model: string,
    earlier: readonly Line[],
    lines: readonly Line[],
    signal: AbortSignal,
  ): Promise<Extracted> {
    const question = {
      model,
      system: SYSTEM_PROMPT,
      user: userPrompt(earlier, lines),
      schema: ANSWER_SCHEMA,
      schemaName: 'extraction',
    };
    const provided = new Set(lines.map(({ sequence }) => sequence));
    return this.model.ask(question, (content) => extractedIn(content, provided), signal);
  }
}

/** Consecutive passages of a text, joined up to the length. */
function partsOf(text: string, lengthMax: number): string[] {
  if (text.length <= lengthMax) return [text];
  const parts: string[] = [];
  let from = 0;
  let end = 0;
  for (const passage of passagesOf(text)) {
    if (passage.end - from > lengthMax && end > from) {
      parts.push(text.slice(from, end));
      from = passage.from;
    }
    end = passage.end;
  }
  parts.push(text.slice(from, end));
  return parts;
}
