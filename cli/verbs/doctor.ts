// doctor: is everything there that the service needs? A table; exit status 1 where something is broken.
import { examine } from '#lib/management/index.ts';
import { JSON_FLAG, print, printTable, verb } from '../command.ts';
import { MIGRATIONS } from './migrate.ts';

export const doctorCommand = verb(
  'doctor',
  'check settings, database, schema, keys, clock, external verifiers and brokers',
  async ({ flag }) => {
    const findings = await examine(MIGRATIONS);
    const rows = findings.map((one) => [one.check, one.state, one.detail]);
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else printTable(['CHECK', 'STATE', 'DETAIL'], rows);
    return findings.some((one) => one.state === 'broken') ? 1 : 0;
  },
  { options: JSON_FLAG, needs: 'database' },
);
