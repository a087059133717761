// doctor: is everything there that the service needs? A table; exit status 1 where something is broken.
import { examine } from '#lib/management/index.ts';
import { type Command, print, printTable } from '../command.ts';
import { MIGRATIONS } from './migrate.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  args: [],
  about: 'check settings, database, schema, keys, clock, external verifiers and brokers',
  options: { json: { type: 'boolean', about: 'print JSON' } },
  needs: 'database',
  async run({ flag }) {
    const findings = await examine(MIGRATIONS);
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else
      printTable(
        ['CHECK', 'STATE', 'DETAIL'],
        findings.map((one) => [one.check, one.state, one.detail]),
      );
    return findings.some((one) => one.state === 'broken') ? 1 : 0;
  },
};
