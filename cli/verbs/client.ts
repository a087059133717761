// client …: clients and their secrets.
import { CLIENT_KINDS } from '#lib/registry/index.ts';
import { type Command, cell, print, printTable, WrongUsage, wholeNumber } from '../command.ts';

export const clientCommands: Command[] = [
  {
    name: 'client create',
    args: ['CLIENT_ID'],
    about: 'create a client; the secret of a confidential one is printed once',
    options: {
      name: { type: 'string', value: 'NAME', required: true, about: 'the name that people see' },
      type: { type: 'string', value: 'TYPE', required: true, about: 'confidential, browser or native' },
      'redirect-uri': {
        type: 'string',
        value: 'URI',
        required: true,
        multiple: true,
        about: 'where codes are sent; may be repeated',
      },
      'allowed-origin': {
        type: 'string',
        value: 'ORIGIN',
        multiple: true,
        about: 'CORS origin; default: those of the redirect URIs',
      },
      owner: { type: 'string', value: 'EMAIL', about: 'e-mail address of the developer whose client it is' },
    },
    needs: 'migrated',
    remote: true,
    async run({ args, text, texts, service }) {
      const kind = CLIENT_KINDS.find((one) => one === text('type'));
      if (!kind) throw new WrongUsage(`--type must be one of ${CLIENT_KINDS.join(', ')}`);
      const made = await service.call('POST', '/clients', {
        client_id: args[0],
        name: text('name'),
        kind,
        redirect_uris: texts('redirect-uri'),
        allowed_origins: texts('allowed-origin'),
        owner_email: text('owner'),
      });
      print(`created ${made['client_id']}`);
      if (made['secret']) print(`client_secret: ${made['secret']}`);
    },
  },
  {
    name: 'client list',
    args: [],
    about: 'list clients',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    remote: true,
    async run({ flag, service }) {
      const clients = await service.list('/clients');
      if (flag('json')) return print(JSON.stringify(clients, null, 2));
      const rows = clients.map((one) => [
        cell(one['client_id']),
        cell(one['name']),
        cell(one['kind']),
        one['disabled'] === true ? 'disabled' : 'active',
        cell(one['owner_email']),
      ]);
      printTable(['CLIENT_ID', 'NAME', 'TYPE', 'STATE', 'OWNER'], rows);
    },
  },
  {
    name: 'client rotate-secret',
    args: ['CLIENT_ID'],
    about: 'make a new secret, printed once; without --overlap the old one ends at once',
    options: { overlap: { type: 'string', value: 'SECONDS', about: 'for which the old secret still works' } },
    needs: 'migrated',
    remote: true,
    async run({ args, text, service }) {
      const overlap = wholeNumber(text('overlap') ?? '0', '--overlap');
      const body = { overlap_seconds: overlap };
      const { secret } = await service.call('POST', `${addressOf(args[0])}/secret-rotation`, body);
      print(`client_secret: ${secret}`);
    },
  },
  simple('disable', 'shut a client out at once'),
  simple('enable', 'let a disabled client in again'),
];

function addressOf(clientId: string | undefined): string {
  return `/clients/${encodeURIComponent(clientId ?? '')}`;
}

function simple(action: 'disable' | 'enable', about: string): Command {
  return {
    name: `client ${action}`,
    args: ['CLIENT_ID'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, service }) {
      await service.call('POST', `${addressOf(args[0])}/${action}`);
      print(`${action}d ${args[0]}`);
    },
  };
}
