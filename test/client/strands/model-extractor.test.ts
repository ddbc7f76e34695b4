import { describe, expect, test } from '@jest/globals';
import { type ExtractorContext, type MessageData, ModelExtractor } from '@strands-agents/sdk';
import { ScriptedModel, type Turn } from './support.ts';

const SAID: MessageData[] = [{ role: 'user', content: [{ text: 'I like tea' }] }];
const likesTea = [{ content: 'likes tea' }];

const extracted = (answer: Turn, context?: ExtractorContext) =>
  new ModelExtractor({ model: new ScriptedModel([answer]) }).extract(SAID, context);

/** The row numbers are those of section 7.3 of the reference. */
describe('the extractor that asks a model', () => {
  test.each([
    ['1: an array', '[{"content": "likes tea"}]', likesTea],
    ['2: an array in prose and a fence', 'Here:\n```json\n[{"content": "likes tea"}]\n```', likesTea],
    ['3: metadata', '[{"content": " x ", "metadata": {"k": 1}}]', [{ content: 'x', metadata: { k: 1 } }]],
    ['4: no array, or half of one', '[{', []],
    ['5: no text, an empty one, a loose one', '[{"content": 1}, {"content": " "}, "loose"]', []],
  ])('%s', async (_, answer, facts) => {
    expect(await extracted(answer)).toEqual(facts);
  });

  test('6: no messages, no call of the model', async () => {
    const model = new ScriptedModel(['[]']);
    expect(await new ModelExtractor({ model }).extract([])).toEqual([]);
    expect(model.seen).toEqual([]);
  });

  test('7-8: the default model is asked; without any the extraction fails', async () => {
    const defaultModel = new ScriptedModel(['[{"content": "likes tea"}]']);
    expect(await new ModelExtractor().extract(SAID, { defaultModel })).toEqual(likesTea);
    await expect(new ModelExtractor().extract(SAID)).rejects.toThrow('no model');
  });

  test('9-11: the call of the model is a span, which ends with the answer or with the error; none is needed', async () => {
    const ended: string[] = [];
    const span = {};
    const tracer = {
      startModelInvokeSpan: () => span,
      endModelInvokeSpan: (of: unknown, { error }: { readonly error?: Error }) => {
        expect(of).toBe(span);
        ended.push(error?.message ?? 'answered');
      },
    } as unknown as NonNullable<ExtractorContext['tracer']>;
    await extracted('[]', { tracer });
    await expect(extracted(new Error('away'), { tracer })).rejects.toThrow('away');
    expect(ended).toEqual(['answered', 'away']);
    expect(await extracted('[]')).toEqual([]);
  });
});
