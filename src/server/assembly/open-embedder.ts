import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../../memory/clock.ts';
import { type Embedder, noEmbedder } from '../../search/embedding/embedder.ts';
import type { OnDownload } from '../../search/embedding/hub-model.ts';
import type { StaticTexts } from '../../search/embedding/static/static-embedder.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { WatchedEmbedder } from './watched-embedder.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export interface OpeningEmbedder {
  readonly logger: Logger;
  /** Cancels the download of a model. */
  readonly signal: AbortSignal;
  /** Called with the progress of the download of a model's file. */
  readonly onDownload?: OnDownload;
}

/** The embedder of the settings, or the replacement of a test, with the state that health reports. */
export async function openWatchedEmbedder(
  config: Config,
  texts: StaticTexts,
  opening: OpeningEmbedder & { readonly clock?: Clock; readonly embedder?: Embedder },
): Promise<WatchedEmbedder> {
  const { clock = systemClock, embedder, logger } = opening;
  const opened = embedder ?? (await openEmbedder(config, texts, opening));
  return new WatchedEmbedder(opened, clock, logger.child({ part: 'embedder' }));
}

/** The embedder of the settings. Only its own files are loaded, to keep the start short. */
export async function openEmbedder(config: Config, texts: StaticTexts, opening: OpeningEmbedder): Promise<Embedder> {
  switch (config.embedder) {
    case 'none':
      return noEmbedder;
    case 'static':
      return new (await import('../../search/embedding/static/static-embedder.ts')).StaticEmbedder(texts);
    case 'hashing':
      return new (await import('../../search/embedding/hashing.ts')).HashingEmbedder();
    case 'http':
      return new (await import('../../search/embedding/http.ts')).HttpEmbedder({
        url: config.embedderUrl,
        model: config.embedderModel,
        apiKey: config.embedderApiKey,
        dimension: config.embedderDimension,
        timeoutMs: config.embedderTimeoutMs,
        batch: { countMax: config.embedderBatchSize },
      });
    case 'transformers':
      return (await import('../../search/embedding/transformers.ts')).TransformersEmbedder.load({
        model: config.embedderModel,
        path: config.embedderPath,
        hub: config.embedderHub,
        token: config.embedderHubToken,
        folder: join(config.data, 'models'),
        silenceMs: config.embedderTimeoutMs,
        packageFolder: PROJECT,
        signal: opening.signal,
        onProgress: loggedProgress(config, opening),
      });
  }
}

/** Logs the source and the size of each file, for logs without a progress bar. */
function loggedProgress(config: Config, { logger, onDownload }: OpeningEmbedder): OnDownload {
  const { embedderModel: model, embedderHub: hub } = config;
  let isBegun = false;
  return (file, loadedBytes, totalBytes) => {
    if (!isBegun) logger.info({ part: 'embedder', model, hub }, 'downloading a model');
    isBegun = true;
    onDownload?.(file, loadedBytes, totalBytes);
    if (loadedBytes === 0 && totalBytes !== undefined) {
      logger.info({ part: 'embedder', file, bytes: totalBytes }, 'downloading');
    }
  };
}
