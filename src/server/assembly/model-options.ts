import { RETRY } from '../../search/embedding/http.ts';
import type { Config } from '../config/config.ts';
import type { ChatModelOptions } from '../extraction/chat-model.ts';

/** The model that extracts and that words insights. */
export function modelOptions(config: Config): ChatModelOptions {
  return {
    url: config.extractorUrl,
    model: config.extractorModel,
    apiKey: config.extractorApiKey,
    timeoutMs: config.extractorTimeoutMs,
    outputTokensMax: config.extractorOutputTokens,
    retry: RETRY,
    nowMs: Date.now,
  };
}
