// user …: people of the local store and of the console.
import { randomToken } from '#lib/kit/index.ts';
import { Refused } from '#lib/management/index.ts';
import { type Command, listVerb, option, print, stateOf, switchVerbs, verb } from '../command.ts';
import { firstLine } from '../standard-input.ts';

/** A program that started us may hold its end of standard input open for ever, and mean nothing by it. */
const SILENT_MS = 2_000;

/** An e-mail address stands for an id there. */
const addressOf = (email: string | undefined) => `/people/${encodeURIComponent(email ?? '')}`;

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
  listVerb(
    'user list',
    'list people',
    { EMAIL: (row) => row['email'] ?? row['id'], NAME: 'name', ROLES: 'roles', STATE: stateOf },
    ({ service }) => service.list('/people'),
    { remote: true },
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
      if (password === null) throw new Refused('no password on standard input: pipe it in');
      await service.call('PUT', `${addressOf(args[0])}/password`, { password });
      print(`password of ${args[0]} set`);
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
