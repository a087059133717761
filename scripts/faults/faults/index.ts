import type { Fault } from '../support/context.ts';
import { addressesByTheClock } from './addresses-by-the-clock.ts';
import { anonymousFloods } from './anonymous-floods.ts';
import { connectionsExhausted } from './connections-exhausted.ts';
import { documentFlood } from './document-flood.ts';
import { endedInFlight } from './ended-in-flight.ts';
import { fourOnAnEmptyDatabase } from './four-on-an-empty-database.ts';
import { guessedByTheClock } from './guessed-by-the-clock.ts';
import { hostileInput } from './hostile-input.ts';
import { inventedRequests } from './invented-requests.ts';
import { killBetweenCommitAndAnswer } from './kill-between-commit-and-answer.ts';
import { killService } from './kill-service.ts';
import { killWorkers } from './kill-workers.ts';
import { knownBrowserFlood } from './known-browser-flood.ts';
import { leaderCutOff } from './leader-cut-off.ts';
import { leaderKilled } from './leader-killed.ts';
import { loginStorm } from './login-storm.ts';
import { migrationFails } from './migration-fails.ts';
import { olderBackup } from './older-backup.ts';
import { oneToken500Times } from './one-token-500-times.ts';
import { pgbouncerRestarted } from './pgbouncer-restarted.ts';
import { postgresFrozen } from './postgres-frozen.ts';
import { postgresKilled } from './postgres-killed.ts';
import { postgresReadOnly } from './postgres-read-only.ts';
import { randomMix } from './random-mix.ts';
import { registrationFlood } from './registration-flood.ts';
import { registryFlood } from './registry-flood.ts';
import { rollingRestart } from './rolling-restart.ts';
import { rotation } from './rotation.ts';
import { roundRobin } from './round-robin.ts';
import { slowSockets } from './slow-sockets.ts';
import { switchOver } from './switch-over.ts';
import { wrongClock } from './wrong-clock.ts';

export const FAULTS: readonly Fault[] = [
  killService,
  killWorkers,
  killBetweenCommitAndAnswer,
  postgresKilled,
  postgresFrozen,
  postgresReadOnly,
  connectionsExhausted,
  leaderKilled,
  leaderCutOff,
  switchOver,
  pgbouncerRestarted,
  oneToken500Times,
  endedInFlight,
  randomMix,
  fourOnAnEmptyDatabase,
  migrationFails,
  roundRobin,
  rollingRestart,
  rotation,
  loginStorm,
  registryFlood,
  registrationFlood,
  knownBrowserFlood,
  documentFlood,
  wrongClock,
  olderBackup,
  slowSockets,
  guessedByTheClock,
  addressesByTheClock,
  inventedRequests,
  hostileInput,
  anonymousFloods,
];
