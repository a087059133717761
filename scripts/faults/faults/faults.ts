import type { Fault } from '../support/context.ts';
import { addressesByTheClock } from './floods/addresses-by-the-clock.ts';
import { anonymousFloods } from './floods/anonymous-floods.ts';
import { documentFlood } from './floods/document-flood.ts';
import { guessedByTheClock } from './floods/guessed-by-the-clock.ts';
import { hostileInput } from './floods/hostile-input.ts';
import { inventedRequests } from './floods/invented-requests.ts';
import { knownBrowserFlood } from './floods/known-browser-flood.ts';
import { loginStorm } from './floods/login-storm.ts';
import { formerServiceFlood, longPasswordFlood, paceUnderLoad } from './floods/password-floods.ts';
import { registrationFlood } from './floods/registration-flood.ts';
import { registryFlood } from './floods/registry-flood.ts';
import { slowSockets } from './floods/slow-sockets.ts';
import { connectionsExhausted } from './postgres/connections-exhausted.ts';
import { leaderCutOff } from './postgres/leader-cut-off.ts';
import { leaderKilled } from './postgres/leader-killed.ts';
import { migrationFails } from './postgres/migration-fails.ts';
import { olderBackup } from './postgres/older-backup.ts';
import { pgbouncerRestarted } from './postgres/pgbouncer-restarted.ts';
import { postgresFrozen } from './postgres/postgres-frozen.ts';
import { postgresKilled } from './postgres/postgres-killed.ts';
import { postgresReadOnly } from './postgres/postgres-read-only.ts';
import { switchOver } from './postgres/switch-over.ts';
import { consoleMemory } from './processes/console-memory.ts';
import { fourOnAnEmptyDatabase } from './processes/four-on-an-empty-database.ts';
import { killBetweenCommitAndAnswer } from './processes/kill-between-commit-and-answer.ts';
import { killService } from './processes/kill-service.ts';
import { killWorkers } from './processes/kill-workers.ts';
import { rollingRestart } from './processes/rolling-restart.ts';
import { rotation } from './processes/rotation.ts';
import { roundRobin } from './processes/round-robin.ts';
import { wrongClock } from './processes/wrong-clock.ts';
import { endedInFlight } from './tokens/ended-in-flight.ts';
import { oneToken500Times } from './tokens/one-token-500-times.ts';
import { randomMix } from './tokens/random-mix.ts';

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
  longPasswordFlood,
  formerServiceFlood,
  paceUnderLoad,
  wrongClock,
  olderBackup,
  slowSockets,
  guessedByTheClock,
  addressesByTheClock,
  inventedRequests,
  consoleMemory,
  hostileInput,
  anonymousFloods,
];
