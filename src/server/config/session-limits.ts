import type { SessionLimits } from '../../memory/session.ts';
import type { Config } from './config.ts';

/** Limits of sessions from the settings. */
export function sessionLimitsOf(config: Config): SessionLimits {
  return {
    keysMax: config.maxSessionKeys,
    valueBytesMax: config.maxSessionBytes,
    notesMax: config.maxSessionNotes,
    noteBytesMax: config.maxSessionNoteBytes,
    checkpointsMax: config.maxSessionCheckpoints,
    checkpointBytesMax: config.maxCheckpointBytes,
    changesMax: config.maxSessionChanges,
  };
}
