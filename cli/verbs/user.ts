// user …: people of the local store and of the console.
import { readFile } from 'node:fs/promises';
import { randomToken } from '#lib/kit/random.ts';
import { type Command, option, pagedVerb, print, stateOf, switchVerbs, verb } from '../command.ts';
import type { Json } from '../service.ts';
import { firstLine } from '../standard-input.ts';
import { CommandFailed, WrongUsage } from '../typed.ts';

/** A program that started us may hold its end of standard input open for ever, and mean nothing by it. */
const SILENT_MS = 2_000;

/** An e-mail address, a user name or a kept subject is accepted in place of an id. */
const addressOf = (email: string | undefined) => `/people/${encodeURIComponent(email ?? '')}`;

const waiting = (email: string | undefined, decision: string) =>
  `/registrations/${encodeURIComponent(email ?? '')}/${decision}`;
const BY = option('EMAIL', 'who decides, and must hold the role; with --server the token says');

export const peopleCommands: Command[] = [
  verb(
    'user create EMAIL',
    'create a person',
    async ({ args, text, texts, service }) => {
      const given = await firstLine({ patience: SILENT_MS });
      const password = given ?? randomToken('').slice(0, 24);
      const person = { email: args[0], name: text('name'), roles: texts('role'), password };
      const { email } = await service.call('POST', '/people', person);
      print(`created ${email}`);
      if (given === null) print(`password: ${password}`);
      // without one no person can sign in to add it
      if ((await service.list('/auth-methods', { limit: '1' })).rows.length === 0)
        process.stderr.write('warning: there is no sign-in method yet; apply a file that has one\n');
    },
    {
      options: {
        name: option('NAME', 'the name shown'),
        role: option('ROLE', 'administrator, approver or developer; may be repeated', { multiple: true }),
      },
      notes:
        'The password is read from standard input; where nothing is piped in, one is made and printed once.',
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
    'invite people: each gets a link that makes an account, once',
    async ({ args, text, service }) => {
      const file = text('file');
      const lines = file === undefined ? [] : (await readFile(file, 'utf8')).split(/\r?\n/);
      const emails = [...args, ...lines.map((line) => line.trim()).filter((line) => line !== '')];
      if (emails.length === 0) throw new WrongUsage('name at least one address, or a --file with one a line');
      let refused = 0;
      for (let from = 0; from < emails.length; from += 500) {
        const asked = {
          emails: emails.slice(from, from + 500),
          auth_method_id: text('method'),
          name: text('name'),
        };
        const { rows } = (await service.call('POST', '/invitations', asked)) as { rows: Json[] };
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
        file: option('FILE', 'more addresses, one a line'),
        method: option('ID', 'the method; needed where several let invited people in'),
        name: option('NAME', 'what the field for the name begins with'),
      },
      notes: 'Exit status 1: one of them is no address.',
      remote: true,
    },
  ),
  pagedVerb(
    'user waiting',
    'list people who wait for an account',
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
    'let a person in who waits for an account',
    async ({ args, text, service }) => {
      const { email } = await (await service.as(text('by'))).call('POST', waiting(args[0], 'approval'));
      print(`approved ${email}`);
    },
    { options: { by: BY }, remote: true },
  ),
  verb(
    'user reject EMAIL',
    'reject a person who waits for an account',
    async ({ args, text, service }) => {
      const because = { reason: text('reason') };
      await (await service.as(text('by'))).call('POST', waiting(args[0], 'rejection'), because);
      print(`rejected ${args[0]}`);
    },
    { options: { by: BY, reason: option('TEXT', 'why; the mail says it') }, remote: true },
  ),
  ...switchVerbs('user', 'EMAIL', addressOf, {
    disable: 'shut a person out, everywhere and at once',
    enable: 'let a disabled person in again',
  }),
  verb(
    'user set-password EMAIL',
    'set a password, read from standard input; ends the person’s sessions and tokens',
    async ({ args, service }) => {
      const password = await firstLine();
      if (password === null) throw new CommandFailed('no password on standard input: pipe it in');
      await service.call('PUT', `${addressOf(args[0])}/password`, { password });
      print(`password of ${args[0]} set`);
    },
    { remote: true },
  ),
  verb(
    'user reset-factors EMAIL',
    'take away passkeys, authenticator app and recovery codes of a person who lost them; ends the person’s sessions and tokens, and tells them by mail',
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
  roleVerb('grant-role', 'give a role', 'PUT', 'granted'),
  roleVerb('revoke-role', 'take a role away', 'DELETE', 'revoked'),
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
