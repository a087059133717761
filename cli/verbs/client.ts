// client …: clients and their secrets.
import {
  createClient,
  disableClient,
  enableClient,
  listClients,
  OPERATOR,
  rotateClientSecret,
} from '#lib/management/index.ts';
import { type Command, print, printTable, WrongUsage, wholeNumber } from '../command.ts';

const KINDS = ['confidential', 'browser', 'native'] as const;

export const clientCommands: Command[] = [
  {
    name: 'client create',
    args: ['CLIENT_ID'],
    about: 'create a client; the secret of a confidential one is printed once',
    options: {
      name: { type: 'string', about: 'the name that people see' },
      type: { type: 'string', about: 'confidential, browser or native' },
      'redirect-uri': { type: 'string', multiple: true, about: 'where codes are sent; may be repeated' },
      'allowed-origin': {
        type: 'string',
        multiple: true,
        about: 'CORS origin; default: those of the redirect URIs',
      },
      owner: { type: 'string', about: 'e-mail address of the developer whose client it is' },
    },
    needs: 'migrated',
    async run({ args, text, texts }) {
      const kind = KINDS.find((one) => one === text('type'));
      if (!kind) throw new WrongUsage(`--type must be one of ${KINDS.join(', ')}`);
      const name = text('name');
      if (!name) throw new WrongUsage('--name is missing');
      const redirectUris = texts('redirect-uri');
      if (redirectUris.length === 0) throw new WrongUsage('--redirect-uri is missing');
      const client = {
        clientId: args[0] as string,
        name,
        kind,
        redirectUris,
        allowedOrigins: texts('allowed-origin'),
      };
      const { clientId, secret } = await createClient(OPERATOR, { ...client, ownerEmail: text('owner') });
      print(`created ${clientId}`);
      if (secret) print(`client_secret: ${secret}`);
    },
  },
  {
    name: 'client list',
    args: [],
    about: 'list clients',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    async run({ flag }) {
      const clients = await listClients(OPERATOR);
      if (flag('json')) return print(JSON.stringify(clients, null, 2));
      const rows = clients.map((one) => [
        one.client_id,
        one.client_name,
        one.confidential ? 'confidential' : one.application_type,
        one.confidential ? String(one.secrets.length) : '-',
        one.disabled ? 'disabled' : 'active',
        one.owner ?? '-',
      ]);
      printTable(['CLIENT_ID', 'NAME', 'TYPE', 'SECRETS', 'STATE', 'OWNER'], rows);
    },
  },
  {
    name: 'client rotate-secret',
    args: ['CLIENT_ID'],
    about: 'make a new secret, printed once; without --overlap the old one ends at once',
    options: { overlap: { type: 'string', about: 'seconds for which the old secret still works' } },
    needs: 'migrated',
    async run({ args, text }) {
      const overlapSeconds = wholeNumber(text('overlap') ?? '0', '--overlap');
      const { secret } = await rotateClientSecret(OPERATOR, { clientId: args[0] as string, overlapSeconds });
      print(`client_secret: ${secret}`);
    },
  },
  simple('client disable', 'shut a client out at once', disableClient, 'disabled'),
  simple('client enable', 'let a disabled client in again', enableClient, 'enabled'),
];

function simple(name: string, about: string, operation: typeof disableClient, done: string): Command {
  return {
    name,
    args: ['CLIENT_ID'],
    about,
    needs: 'migrated',
    async run({ args }) {
      await operation(OPERATOR, { clientId: args[0] as string });
      print(`${done} ${args[0]}`);
    },
  };
}
