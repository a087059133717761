// user …: people of the local store and of the console.
import { randomToken } from '#lib/kit/index.ts';
import { Refused } from '#lib/management/index.ts';
import { type Command, cell, print, printTable } from '../command.ts';
import { firstLine } from '../standard-input.ts';

/** A program that started us may hold its end of standard input open for ever, and mean nothing by it. */
const SILENT_MS = 2_000;

export const peopleCommands: Command[] = [
  {
    name: 'user create',
    args: ['EMAIL'],
    about: 'create a person',
    options: {
      name: { type: 'string', value: 'NAME', about: 'the name shown' },
      role: {
        type: 'string',
        value: 'ROLE',
        multiple: true,
        about: 'administrator, approver or developer; may be repeated',
      },
    },
    notes:
      'The password is read from standard input; where nothing is piped in, one is made and printed once.',
    needs: 'migrated',
    remote: true,
    async run({ args, text, texts, service }) {
      const given = await firstLine({ patience: SILENT_MS });
      const password = given ?? randomToken('').slice(0, 24);
      const person = { email: args[0], name: text('name'), roles: texts('role'), password };
      const { email } = await service.call('POST', '/people', person);
      print(`created ${email}`);
      if (given === null) print(`password: ${password}`);
    },
  },
  {
    name: 'user list',
    args: [],
    about: 'list people',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    remote: true,
    async run({ flag, service }) {
      const people = await service.list('/people');
      if (flag('json')) return print(JSON.stringify(people, null, 2));
      const rows = people.map((one) => [
        cell(one['email'] ?? one['id']),
        cell(one['name']),
        cell(one['roles']),
        one['disabled'] === true ? 'disabled' : 'active',
      ]);
      printTable(['EMAIL', 'NAME', 'ROLES', 'STATE'], rows);
    },
  },
  simple('disable', 'shut a person out, everywhere and at once'),
  simple('enable', 'let a disabled person in again'),
  {
    name: 'user set-password',
    args: ['EMAIL'],
    about: 'set a password, read from standard input; ends the person’s sessions and tokens',
    needs: 'migrated',
    remote: true,
    async run({ args, service }) {
      const password = await firstLine();
      if (password === null) throw new Refused('no password on standard input: pipe it in');
      await service.call('PUT', `${addressOf(args[0])}/password`, { password });
      print(`password of ${args[0]} set`);
    },
  },
  role('grant-role', 'give a role', 'PUT', 'granted'),
  role('revoke-role', 'take a role away', 'DELETE', 'revoked'),
];

/** An address stands for an id there. */
function addressOf(email: string | undefined): string {
  return `/people/${encodeURIComponent(email ?? '')}`;
}

function simple(action: 'disable' | 'enable', about: string): Command {
  return {
    name: `user ${action}`,
    args: ['EMAIL'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, service }) {
      await service.call('POST', `${addressOf(args[0])}/${action}`);
      print(`${action}d ${args[0]}`);
    },
  };
}

function role(verb: string, about: string, method: 'PUT' | 'DELETE', done: string): Command {
  return {
    name: `user ${verb}`,
    args: ['EMAIL', 'ROLE'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, service }) {
      await service.call(method, `${addressOf(args[0])}/roles/${encodeURIComponent(args[1] ?? '')}`);
      print(`${done} ${args[1]}: ${args[0]}`);
    },
  };
}
