// doctor: is everything there that the service needs? doctor mcp: how far does a client of MCP come? Tables; exit
// status 1 where something is broken.
import { examine } from '#lib/management/service/doctor.ts';
import { examineBeforeUpgrade } from '#lib/management/upkeep/before-upgrade.ts';
import { JSON_FLAG, print, printTable, toggle, verb } from '../command.ts';
import { examineMcp } from '../doctor-mcp/walk.ts';
import { PRISMA } from './migrate.ts';

export const doctorCommand = verb(
  'doctor',
  'check settings, database, schema, keys, clock, verifiers, brokers and what a proxy makes of our pages',
  async ({ flag }) => {
    const findings = await (flag('before-upgrade') ? examineBeforeUpgrade : examine)(PRISMA);
    const rows = findings.map((one) => [one.check, one.state, one.detail]);
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else printTable(['CHECK', 'STATE', 'DETAIL'], rows);
    return findings.some((one) => one.state === 'broken') ? 1 : 0;
  },
  {
    options: {
      ...JSON_FLAG,
      'before-upgrade': toggle(
        'what the upgrade to this version will meet; run it before `migrate`, it writes nothing',
      ),
    },
    notes: 'Exit status 1: something is broken.',
    needs: 'database',
  },
);

/** Listed before `doctor`, because both begin with the same word. */
export const doctorMcpCommand = verb(
  'doctor mcp URL',
  'walk as an MCP client does that knows only this address, and say where it would stop',
  async ({ args: [address = ''], flag }) => {
    const findings = await examineMcp(address, { privateNetwork: flag('private-network') });
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else {
      printTable(
        ['STEP', 'STATE', 'WHAT A CLIENT FINDS'],
        findings.map((one) => [one.check, one.state, one.detail]),
      );
      const end = findings.find((one) => one.state === 'broken');
      print(end ? `\nA client stops here: ${end.check}.` : '\nA client gets as far as the sign-in page.');
    }
    return findings.some((one) => one.state === 'broken') ? 1 : 0;
  },
  {
    options: {
      ...JSON_FLAG,
      'private-network': toggle('also call addresses that are not public, and http, wherever the walk leads'),
    },
    notes:
      'It asks and reads: nothing is registered, and nobody signs in. An address of this machine leads to others of it.',
    needs: 'nothing',
  },
);
