import { foundation } from './001-foundation.ts';
import { reembedding } from './002-reembedding.ts';
import { planner } from './003-planner.ts';
import { sessions } from './004-sessions.ts';
import { streams } from './005-streams.ts';
import { tiers } from './006-tiers.ts';
import { replicas } from './009-replicas.ts';
import { namedPlaces } from './010-named-places.ts';
import { valueWords } from './013-value-words.ts';
import { outcomes } from './014-outcomes.ts';
import { moves } from './015-moves.ts';
import { logTerms } from './016-log-terms.ts';
import { idleSessions } from './017-idle-sessions.ts';

/** In order; a migration that has been released is never changed. The number of each is its place, from 1. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  reembedding,
  planner,
  sessions,
  streams,
  tiers,
  replicas,
  namedPlaces,
  valueWords,
  outcomes,
  moves,
  logTerms,
  idleSessions,
];
