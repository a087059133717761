export { batched } from './batch.ts';
export { connectTo } from './connection.ts';
export { type DatabaseFacts, inspectDatabase, MigrationError, refusePooler } from './database.ts';
export { EpochCache } from './epoch-cache.ts';
export {
  anyOf,
  BY_NAME,
  begins,
  contains,
  containsEmail,
  type DayRange,
  equals,
  inRange,
  isHash,
  isUuid,
  type List,
  list,
  PARTS,
} from './list.ts';
export {
  closePool,
  DatabaseUnavailable,
  isTimeout,
  isUniqueFault,
  poolStats,
  query,
  type Run,
  transaction,
  tried,
  whyUnreachable,
} from './pool.ts';
export {
  afterCommit,
  currentConnection,
  type Db,
  database,
  first,
  inTransaction,
  lockName,
  some,
  tryLockName,
} from './prisma.ts';
export {
  isSealedByOlder,
  knownSealingKeys,
  openFromRow,
  resealRow,
  type SealedTable,
  sealForRow,
} from './sealed.ts';
export {
  assigned,
  type Column,
  columnsOf,
  columnText,
  columnValue,
  displayed,
  inserted,
  joined,
  jsonOrNull,
  jsonValue,
  raw,
  type Sql,
  type Stored,
  selected,
  sql,
  textsOf,
} from './sql.ts';
export { statement } from './statement.ts';
