// user …: manages users of the local method and of the console. people import: imports the users of another service.
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { randomToken } from '#lib/kit/random.ts';
import type { SourceFile } from '#lib/kit/source-file.ts';
import { importPeople, importTokens, undoImport } from '#lib/management/moving-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type Command, option, pagedVerb, print, stateOf, switchVerbs, toggle, verb } from '../command.ts';
import type { Json } from '../service.ts';
import { CommandFailed, firstLine, WrongUsage } from '../typed.ts';

/**
 * Maximum milliseconds to wait for the first data on standard input, because a parent program may keep it open and
 * never send anything.
 */
const SILENT_MS = 2_000;

/**
 * Address of a user in the management API. An email address, a user name or an imported subject can replace the id.
 */
const addressOf = (email: string | undefined) => `/people/${encodeURIComponent(email ?? '')}`;

const waiting = (email: string | undefined, decision: string) =>
  `/registrations/${encodeURIComponent(email ?? '')}/${decision}`;
const BY = option(
  'EMAIL',
  'the person who decides, and must have the role; with --server, the person of the token',
);

export const peopleCommands: Command[] = [
  verb(
    'user create EMAIL',
    'create a person',
    async ({ args, text, texts, service }) => {
      const typedPassword = await firstLine({ patience: SILENT_MS });
      const password = typedPassword ?? randomToken('').slice(0, 24);
      const person = { email: args[0], name: text('name'), roles: texts('role'), password };
      const { email } = await service.call('POST', '/people', person);
      print(`created ${email}`);
      if (typedPassword === null) print(`password: ${password}`);
      // without a sign-in method, users cannot sign in
      if ((await service.list('/auth-methods', { limit: '1' })).rows.length === 0)
        process.stderr.write('warning: there is no sign-in method yet; apply a file that has one\n');
    },
    {
      options: {
        name: option('NAME', 'the name shown'),
        role: option('ROLE', 'administrator, approver or developer; can be repeated', { multiple: true }),
      },
      notes:
        'The password is read from standard input. If standard input is empty, a password is generated and printed once.',
      remote: true,
    },
  ),
  pagedVerb(
    'user list',
    'list people',
    { EMAIL: (row) => row['email'] ?? row['id'], NAME: 'name', ROLES: 'roles', STATE: stateOf },
    { path: '/people', orders: 'people' },
  ),
  verb(
    'user invite EMAIL…',
    'invite people: each person gets a link that creates an account, once',
    async ({ args, text, service }) => {
      const file = text('file');
      const lines = file === undefined ? [] : (await readFile(file, 'utf8')).split(/\r?\n/);
      const emails = [...args, ...lines.map((line) => line.trim()).filter((line) => line !== '')];
      if (emails.length === 0)
        throw new WrongUsage('specify at least one address, or a --file with one per line');
      let refused = 0;
      for (let from = 0; from < emails.length; from += 500) {
        const invitation = {
          emails: emails.slice(from, from + 500),
          auth_method_id: text('method'),
          name: text('name'),
        };
        const { rows } = (await service.call('POST', '/invitations', invitation)) as { rows: Json[] };
        for (const { place, email, outcome, message } of rows) {
          if (outcome === 'invalid') refused += 1;
          const at = `${from + Number(place)}: `;
          print(
            outcome === 'invalid'
              ? `${at}${email} ${message}`
              : `${String(outcome).replace('-', ' ')}: ${email}`,
          );
        }
      }
      return refused > 0 ? 1 : 0;
    },
    {
      options: {
        file: option('FILE', 'a file with more addresses, one per line'),
        method: option('ID', 'the method; required if several methods accept invited people'),
        name: option('NAME', 'the initial value of the name field'),
      },
      notes: 'Exit status 1: one of the values is not an address.',
      remote: true,
    },
  ),
  pagedVerb(
    'user waiting',
    'list people who are waiting for an account',
    {
      EMAIL: 'email',
      NAME: 'name',
      METHOD: 'auth_method_id',
      CLIENT: 'client_id',
      API: 'api_id',
      SINCE: 'created_at',
    },
    { path: '/registrations', orders: 'waiting' },
  ),
  verb(
    'user approve EMAIL',
    'approve a person who is waiting for an account',
    async ({ args, text, service }) => {
      const { email } = await (await service.as(text('by'))).call('POST', waiting(args[0], 'approval'));
      print(`approved ${email}`);
    },
    { options: { by: BY }, remote: true },
  ),
  verb(
    'user reject EMAIL',
    'reject a person who is waiting for an account',
    async ({ args, text, service }) => {
      const because = { reason: text('reason') };
      await (await service.as(text('by'))).call('POST', waiting(args[0], 'rejection'), because);
      print(`rejected ${args[0]}`);
    },
    { options: { by: BY, reason: option('TEXT', 'the reason, which the mail contains') }, remote: true },
  ),
  ...switchVerbs('user', 'EMAIL', addressOf, {
    disable: 'disable a person, everywhere and immediately',
    enable: 'enable a disabled person',
  }),
  verb(
    'user set-password EMAIL',
    'set a password, read from standard input; ends the person’s sessions and tokens',
    async ({ args, service }) => {
      const password = await firstLine();
      if (password === null) throw new CommandFailed('no password on standard input');
      await service.call('PUT', `${addressOf(args[0])}/password`, { password });
      print(`password of ${args[0]} set`);
    },
    { remote: true },
  ),
  verb(
    'user reset-factors EMAIL',
    'remove passkeys, authenticator app and recovery codes of a person who lost them; ends the person’s sessions and tokens, and notifies them by mail',
    async ({ args, service }) => {
      const {
        passkeys,
        totp_count: totps,
        sessions,
      } = await service.call('POST', `${addressOf(args[0])}/reset-factors`);
      const factors = `${passkeys} passkey${passkeys === 1 ? '' : 's'}, ${totps} authenticator app${totps === 1 ? '' : 's'}`;
      print(`reset ${args[0]}: ${factors}, ${sessions} session${sessions === 1 ? '' : 's'} ended`);
    },
    { remote: true },
  ),
  roleVerb('grant-role', 'give a role to a person', 'PUT', 'granted'),
  roleVerb('revoke-role', 'remove a role from a person', 'DELETE', 'revoked'),
];

function roleVerb(name: string, about: string, method: 'PUT' | 'DELETE', done: string): Command {
  return verb(
    `user ${name} EMAIL ROLE`,
    about,
    async ({ args, service }) => {
      await service.call(method, `${addressOf(args[0])}/roles/${encodeURIComponent(args[1] ?? '')}`);
      print(`${done} ${args[1]}: ${args[0]}`);
    },
    { remote: true },
  );
}

// people import: imports the users of another service, from a file that `import` wrote.

export const importPeopleCommand = verb(
  'people import DIR…',
  'import the people of DIR/people.jsonl, with their ids, subjects and passwords; no mail is sent',
  async ({ args: [folder, more], text, flag }) => {
    const undone = text('undo');
    if (undone !== undefined) {
      if (folder !== undefined) throw new WrongUsage('--undo RUN cannot be combined with DIR');
      return undo(undone);
    }
    if (folder === undefined || more !== undefined)
      throw new WrongUsage('specify one DIR that contains people.jsonl');
    return carryOut(path.join(folder, 'people.jsonl'), flag('dry-run'));
  },
  {
    options: {
      'dry-run': toggle('print the result of each line without writing anything'),
      undo: option('RUN', 'remove the people of this run who have not used their account since'),
    },
    notes:
      'People who were already imported from the same line are not changed, so an interrupted import can be repeated. Exit status 1: a line was not imported; each such line is listed.',
  },
);

/** Returns a function that prints the faults of lines. `where`: text before the line number. */
const printFaults = (where: string) => (faults: readonly { line: number; because: string }[]) => {
  for (const { line, because } of faults) print(`${where}line ${line}: ${because}`);
};

async function carryOut(name: string, dryRun: boolean): Promise<number> {
  const file: SourceFile = { name, chunks: () => createReadStream(name) };
  const begun = ({ run, lines, seconds }: { run: string; lines: number; seconds: number }) => {
    const wait = seconds > 0 ? `; hashing takes about ${seconds} s` : '';
    print(`run ${run}: ${lines} lines${dryRun ? ', without writing anything' : wait}`);
  };
  const progress = printFaults('');
  const totals = await importPeople(OPERATOR, { file, dryRun, begun, progress });
  const { imported, unchanged, refused, unkept } = totals;
  const did = dryRun ? 'would be imported' : 'imported';
  print(`${imported} ${did}, ${unchanged} unchanged, ${refused} rejected`);
  if (unkept > 0)
    print(
      `claims, given_name and family_name of ${unkept} were omitted: they have no identity to store them`,
    );
  const tokens = path.join(path.dirname(name), 'tokens.jsonl');
  const more = existsSync(tokens) ? await carryOutTokens(tokens, dryRun) : 0;
  return refused + more > 0 ? 1 : 0;
}

/** Imports the refresh tokens of a file. Returns the number of lines that failed. */
async function carryOutTokens(name: string, dryRun: boolean): Promise<number> {
  const file: SourceFile = { name, chunks: () => createReadStream(name) };
  const progress = printFaults('tokens.jsonl, ');
  const { imported, unchanged, refused } = await importTokens(OPERATOR, { file, dryRun, progress });
  const did = dryRun ? 'would be imported' : 'imported';
  print(`refresh tokens: ${imported} ${did}, ${unchanged} unchanged, ${refused} rejected`);
  return refused;
}

async function undo(run: string): Promise<number> {
  const { removed, stayed } = await undoImport(OPERATOR, { run });
  print(`${removed} removed, ${stayed} kept, because they used their account or own clients`);
  return 0;
}
