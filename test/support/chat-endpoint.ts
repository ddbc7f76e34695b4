import { JsonEndpoint, type JsonReply, type JsonRequest } from './json-endpoint.ts';

export interface ChatRequest extends JsonRequest {
  readonly body: {
    readonly model: string;
    readonly temperature: number;
    readonly max_tokens: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format: { readonly json_schema: { readonly schema: object } };
  };
  /** Messages to extract from, or sentences to word, as the prompt has them. */
  readonly lines: readonly { readonly n: number; readonly text: string }[];
}

/** Reaction of the endpoint to a request: the model's text, a whole answer, or none. */
export type ChatReply = { readonly content: unknown; readonly finishReason?: string } | JsonReply;

/** Speaks OpenAI's chat protocol. It claims `subject attribute value` of three words; `reply` may answer differently. */
export class ChatEndpoint extends JsonEndpoint {
  readonly requests: ChatRequest[] = [];
  reply: (request: ChatRequest, count: number) => ChatReply | undefined = () => undefined;

  static started(): Promise<ChatEndpoint> {
    return new ChatEndpoint().start();
  }

  protected async replyTo(request: JsonRequest): Promise<JsonReply> {
    const body = request.body as ChatRequest['body'];
    const asked = { ...request, body, lines: linesIn(body) };
    this.requests.push(asked);
    const reply = this.reply(asked, this.requests.length) ?? { content: claimsOf(asked) };
    return typeof reply === 'object' && 'content' in reply ? { body: chat(reply) } : reply;
  }
}

function chat({ content, finishReason = 'stop' }: { readonly content: unknown; readonly finishReason?: string }) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { choices: [{ message: { role: 'assistant', content: text }, finish_reason: finishReason }] };
}

function linesIn({ messages }: ChatRequest['body']): ChatRequest['lines'] {
  const [, lines = ''] = (messages.at(-1)?.content ?? '').split(/^(?:MESSAGES|SENTENCES)\n/m);
  return lines.split('\n').map((line) => JSON.parse(line) as ChatRequest['lines'][number]);
}

export function claimsOf({ lines }: Pick<ChatRequest, 'lines'>) {
  const claims = lines.flatMap(({ n, text }) => {
    const [subject, attribute, value, ...more] = text.split(' ');
    if (value === undefined || more.length > 0) return [];
    const times = { valid_from: null, valid_until: null };
    return [{ subject, attribute, value, text, confidence: 0.9, ...times, retracts: false, sources: [n] }];
  });
  return { claims, notes: [] };
}
