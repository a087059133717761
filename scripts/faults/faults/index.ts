import type { Fault } from '../support/context.ts';
import { connectionsExhausted } from './connections-exhausted.ts';
import { killBetweenCommitAndAnswer } from './kill-between-commit-and-answer.ts';
import { killService } from './kill-service.ts';
import { oneToken500Times } from './one-token-500-times.ts';
import { postgresFrozen } from './postgres-frozen.ts';
import { postgresKilled } from './postgres-killed.ts';
import { postgresReadOnly } from './postgres-read-only.ts';

export const FAULTS: readonly Fault[] = [
  killService,
  killBetweenCommitAndAnswer,
  postgresKilled,
  postgresFrozen,
  postgresReadOnly,
  connectionsExhausted,
  oneToken500Times,
];
