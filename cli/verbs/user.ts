// user …: people of the local store and of the console.
import { randomToken } from '#lib/kit/index.ts';
import { Refused } from '#lib/management/index.ts';
import { type Command, print, printTable } from '../command.ts';
import { firstLine } from '../standard-input.ts';

/** A program that started us may hold its end of standard input open for ever, and mean nothing by it. */
const SILENT_MS = 2_000;

export const userCommands: Command[] = [
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
    async run({ args, text, texts, operations }) {
      const given = await firstLine({ patience: SILENT_MS });
      const password = given ?? randomToken('').slice(0, 24);
      const person = { email: args[0] as string, name: text('name'), roles: texts('role'), password };
      const { email } = await operations.createPerson(person);
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
    async run({ flag, operations }) {
      const people = await operations.listPeople();
      if (flag('json')) return print(JSON.stringify(people.json, null, 2));
      const rows = people.rows.map((one) => [
        one.email ?? one.id,
        one.name || '-',
        one.roles.join(',') || '-',
        one.disabled ? 'disabled' : 'active',
      ]);
      printTable(['EMAIL', 'NAME', 'ROLES', 'STATE'], rows);
    },
  },
  simple('user disable', 'shut a person out, everywhere and at once', 'disablePerson', 'disabled'),
  simple('user enable', 'let a disabled person in again', 'enablePerson', 'enabled'),
  {
    name: 'user set-password',
    args: ['EMAIL'],
    about: 'set a password, read from standard input; ends the person’s sessions and tokens',
    needs: 'migrated',
    remote: true,
    async run({ args, operations }) {
      const password = await firstLine();
      if (password === null) throw new Refused('no password on standard input: pipe it in');
      await operations.setPassword(args[0] as string, password);
      print(`password of ${args[0]} set`);
    },
  },
  role('user grant-role', 'give a role', 'grantRole', 'granted'),
  role('user revoke-role', 'take a role away', 'revokeRole', 'revoked'),
];

function simple(
  name: string,
  about: string,
  operation: 'disablePerson' | 'enablePerson',
  done: string,
): Command {
  return {
    name,
    args: ['EMAIL'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, operations }) {
      await operations[operation](args[0] as string);
      print(`${done} ${args[0]}`);
    },
  };
}

function role(name: string, about: string, operation: 'grantRole' | 'revokeRole', done: string): Command {
  return {
    name,
    args: ['EMAIL', 'ROLE'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, operations }) {
      await operations[operation](args[0] as string, args[1] as string);
      print(`${done} ${args[1]}: ${args[0]}`);
    },
  };
}
