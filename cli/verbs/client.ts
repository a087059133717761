// client …: clients and their secrets.
import { readFile } from 'node:fs/promises';
import { CLIENT_KINDS } from '#lib/registry/clients/client.ts';
import { type Command, option, pagedVerb, print, stateOf, switchVerbs, verb } from '../command.ts';
import { WrongUsage, wholeNumber } from '../typed.ts';

const addressOf = (clientId: string | undefined) => `/clients/${encodeURIComponent(clientId ?? '')}`;

async function readKeys(path: string | undefined): Promise<unknown> {
  if (path === undefined) return undefined;
  const source = await readFile(path, 'utf8');
  try {
    return JSON.parse(source);
  } catch {
    throw new WrongUsage(`${path} is no JSON: --jwks takes a JWK Set`);
  }
}

export const clientCommands: Command[] = [
  verb(
    'client create CLIENT_ID',
    'create a client; the secret of a confidential one is printed once',
    async ({ args, text, texts, service }) => {
      const kind = CLIENT_KINDS.find((one) => one === text('type'));
      if (!kind) throw new WrongUsage(`--type must be one of ${CLIENT_KINDS.join(', ')}`);
      const made = await service.call('POST', '/clients', {
        client_id: args[0],
        name: text('name'),
        kind,
        redirect_uris: texts('redirect-uri'),
        allowed_origins: texts('allowed-origin'),
        owner_email: text('owner'),
        token_endpoint_auth_method: text('auth-method'),
        jwks: await readKeys(text('jwks')),
        jwks_uri: text('jwks-uri'),
      });
      print(`created ${made['client_id']}`);
      if (made['secret']) print(`client_secret: ${made['secret']}`);
    },
    {
      options: {
        name: option('NAME', 'the name that people see', { required: true }),
        type: option('TYPE', 'confidential, browser or native', { required: true }),
        'redirect-uri': option('URI', 'where codes are sent; may be repeated', {
          required: true,
          multiple: true,
        }),
        'allowed-origin': option('ORIGIN', 'CORS origin; default: those of the redirect URIs', {
          multiple: true,
        }),
        'auth-method': option(
          'METHOD',
          'how it authenticates, such as private_key_jwt; default: a secret in the header or the body',
        ),
        jwks: option('FILE', 'its public keys, a JWK Set, for private_key_jwt'),
        'jwks-uri': option('URI', 'where its public keys are fetched, for private_key_jwt'),
        owner: option('EMAIL', 'e-mail address of the developer whose client it is'),
      },
      remote: true,
    },
  ),
  pagedVerb(
    'client list',
    'list clients',
    { CLIENT_ID: 'client_id', NAME: 'name', TYPE: 'kind', STATE: stateOf, OWNER: 'owner_email' },
    { path: '/clients', orders: 'clients' },
  ),
  verb(
    'client rotate-secret CLIENT_ID',
    'make a new secret, printed once; without --overlap the old one ends at once',
    async ({ args, text, service }) => {
      const body = { overlap_seconds: wholeNumber(text('overlap') ?? '0', '--overlap') };
      const { secret } = await service.call('POST', `${addressOf(args[0])}/secret-rotation`, body);
      print(`client_secret: ${secret}`);
    },
    { options: { overlap: option('SECONDS', 'for which the old secret still works') }, remote: true },
  ),
  ...switchVerbs('client', 'CLIENT_ID', addressOf, {
    disable: 'shut a client out at once',
    enable: 'let a disabled client in again',
  }),
];
