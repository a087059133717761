// migrate, doctor, keys …, expiring, invalidate: commands about the service itself.
import path from 'node:path';
import { examineMcp } from '#doctor-mcp/doctor-mcp.ts';
import { now, utcMinute } from '#lib/kit/clock.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { examine, examineBeforeUpgrade } from '#lib/management/doctor.ts';
import { resealSecrets } from '#lib/management/keys.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { invalidateIssued } from '#lib/management/service.ts';
import { settings } from '#lib/settings/settings.ts';
import { refusePooler } from '#lib/store/database.ts';
import { grantServiceRole, migrate } from '#lib/store/migrate.ts';
import { type Command, JSON_FLAG, listVerb, option, print, printTable, toggle, verb } from '../command.ts';
import type { Json, Service } from '../service.ts';
import { inText, timeOf, WrongUsage, wholeNumber } from '../typed.ts';

const PRISMA = path.resolve(import.meta.dirname, '../../prisma');
const ROLES = path.join(PRISMA, 'roles.sql');

export const migrateCommand = verb(
  'migrate',
  'migrate the database to the schema of this version; safe when several instances start at once',
  async ({ text }) => {
    await refusePooler();
    const names = await migrate(settings().directUrl, PRISMA);
    await ensureManagementApi();
    for (const name of names) print(`+ ${name}`);
    const role = text('service-role');
    if (role !== undefined) {
      await grantServiceRole(role, ROLES);
      print(`${role} has exactly the rights that the service needs`);
    }
    print(names.length === 0 ? 'nothing to change' : `${names.length} applied`);
  },
  {
    options: {
      'service-role': option(
        'ROLE',
        'then grant this role the rights of the service: access to rows, no changes of tables',
      ),
    },
    notes: 'With --service-role, it then grants that role exactly the rights that the service needs.',
    needs: 'database',
  },
);

// doctor: checks everything that the service needs. doctor mcp: checks which steps an MCP client can complete. Both
// print tables, and exit with status 1 if something is broken.

export const doctorCommand = verb(
  'doctor',
  'check settings, database, schema, keys, clock, verifiers, brokers and the pages behind a proxy',
  async ({ flag }) => {
    const findings = await (flag('before-upgrade') ? examineBeforeUpgrade : examine)(PRISMA);
    const rows = findings.map((finding) => [finding.check, finding.state, finding.detail]);
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else printTable(['CHECK', 'STATE', 'DETAIL'], rows);
    return findings.some((finding) => finding.state === 'broken') ? 1 : 0;
  },
  {
    options: {
      ...JSON_FLAG,
      'before-upgrade': toggle(
        'check the upgrade to this version; run it before `migrate`, it writes nothing',
      ),
    },
    notes: 'Exit status 1: something is broken.',
    needs: 'database',
  },
);

/** This command must precede `doctor` in the list of commands, because both begin with the same word. */
export const doctorMcpCommand = verb(
  'doctor mcp URL',
  'test an MCP server with the steps of a client that knows only the server’s address, and show at which step the client would stop',
  async ({ args: [address = ''], flag }) => {
    const findings = await examineMcp(address, { privateNetwork: flag('private-network') });
    if (flag('json')) print(JSON.stringify(findings, null, 2));
    else {
      printTable(
        ['STEP', 'STATE', 'WHAT A CLIENT FINDS'],
        findings.map((finding) => [finding.check, finding.state, finding.detail]),
      );
      const end = findings.find((finding) => finding.state === 'broken');
      print(end ? `\nA client stops here: ${end.check}.` : '\nA client reaches the sign-in page.');
    }
    return findings.some((finding) => finding.state === 'broken') ? 1 : 0;
  },
  {
    options: {
      ...JSON_FLAG,
      'private-network': toggle('also call private addresses, and http'),
    },
    notes:
      'The test only reads: nothing is registered, and no one signs in. If the address is on this machine, other addresses of this machine are also called.',
    needs: 'nothing',
  },
);

// keys …: manages the signing keys.

const minuteOf = (instant: unknown) => utcMinute(new Date(String(instant)));

const listKeys = async (service: Service) => (await service.call('GET', '/keys'))['rows'] as Json[];

export const keysCommands: Command[] = [
  listVerb(
    'keys list',
    'list the signing keys',
    { KID: 'kid', ALG: 'alg', STATE: 'state', 'SIGNS FROM': 'signs_from', 'RETIRES AT': 'retires_at' },
    ({ service }) => listKeys(service),
  ),
  verb(
    'keys rotate',
    'create new signing keys; the old keys verify tokens until these tokens have expired',
    async ({ service }) => {
      await service.call('POST', '/keys/rotation');
      for (const row of await listKeys(service)) {
        if (row['state'] === 'next')
          print(`${row['alg']} ${row['kid']} signs from ${minuteOf(row['signs_from'])}`);
        if (row['state'] === 'signs')
          print(
            `${row['alg']} ${row['kid']} ${row['retires_at'] ? `is published until ${minuteOf(row['retires_at'])}` : 'signs'}`,
          );
      }
    },
  ),
  verb(
    'keys retire KID',
    'retire a key immediately: tokens that the key signed are then rejected',
    async ({ args: [kid = ''], service }) => {
      await service.call('DELETE', `/keys/${encodeURIComponent(kid)}`);
      print(`retired ${kid}`);
    },
  ),
  verb(
    'keys reseal',
    'reseal stored secrets with the first GATEHOUSE_SECRET, so that older secrets can be removed',
    async () => {
      const count = await resealSecrets(OPERATOR);
      print(count === 0 ? 'nothing to reseal' : `sealed ${count} again`);
    },
  ),
];

// expiring: lists what expires soon, like the console.

const what = ({ client_name: client, api_name: api, method_name: method, name, alg, kid }: Json) =>
  [client, api, method, name, alg, kid].map(inText).filter(Boolean).join(', ');

export const expiringCommand: Command = listVerb(
  'expiring',
  'list everything that expires: secrets, signing keys, delegations, invitations, …',
  { AT: 'at', KIND: 'kind', COUNT: 'count', WHAT: what },
  async ({ service, text }) => {
    const days = wholeNumber(text('days') ?? '90', '--days');
    return (await service.call('GET', `/expiring?days=${days}`))['rows'] as Json[];
  },
  {
    options: { ...JSON_FLAG, days: option('DAYS', 'the number of days, at most 366; default: 90') },
    remote: true,
  },
);

// invalidate: ends the sign-ins and tokens that were issued before a moment.

export const invalidateCommand = verb(
  'invalidate',
  'end every sign-in, and revoke every code and token, from before a given time; run this command after you restore a backup',
  async ({ text }) => {
    const before = timeOf(text('before') as string, '--before');
    // rejected, because a mistyped time in the future would also end later sign-ins
    if (before > now())
      throw new WrongUsage('--before is in the future: use now to end everything issued so far');
    const { families, codes, sessions } = await invalidateIssued(OPERATOR, { before });
    print(`ended ${families} token families, ${codes} codes and ${sessions} sessions`);
  },
  {
    options: { before: option('WHEN', 'a date, `now`, or how long ago: 30m, 12h, 7d', { required: true }) },
  },
);
