// client …: clients and their secrets.
import { type Command, print, printTable, WrongUsage, wholeNumber } from '../command.ts';

const KINDS = ['confidential', 'browser', 'native'] as const;

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
    async run({ args, text, texts, operations }) {
      const kind = KINDS.find((one) => one === text('type'));
      if (!kind) throw new WrongUsage(`--type must be one of ${KINDS.join(', ')}`);
      const client = {
        clientId: args[0] as string,
        name: text('name') as string,
        kind,
        redirectUris: texts('redirect-uri'),
        allowedOrigins: texts('allowed-origin'),
      };
      const { clientId, secret } = await operations.createClient({ ...client, ownerEmail: text('owner') });
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
    remote: true,
    async run({ flag, operations }) {
      const clients = await operations.listClients();
      if (flag('json')) return print(JSON.stringify(clients.json, null, 2));
      const rows = clients.rows.map((one) => [
        one.clientId,
        one.name,
        one.kind,
        one.secrets === null ? '-' : String(one.secrets),
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
    options: { overlap: { type: 'string', value: 'SECONDS', about: 'for which the old secret still works' } },
    needs: 'migrated',
    remote: true,
    async run({ args, text, operations }) {
      const overlapSeconds = wholeNumber(text('overlap') ?? '0', '--overlap');
      const { secret } = await operations.rotateClientSecret(args[0] as string, overlapSeconds);
      print(`client_secret: ${secret}`);
    },
  },
  simple('client disable', 'shut a client out at once', 'disableClient', 'disabled'),
  simple('client enable', 'let a disabled client in again', 'enableClient', 'enabled'),
];

function simple(
  name: string,
  about: string,
  operation: 'disableClient' | 'enableClient',
  done: string,
): Command {
  return {
    name,
    args: ['CLIENT_ID'],
    about,
    needs: 'migrated',
    remote: true,
    async run({ args, operations }) {
      await operations[operation](args[0] as string);
      print(`${done} ${args[0]}`);
    },
  };
}
