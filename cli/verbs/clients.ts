// client …: manages clients. subscription …: decides which client may use which API. explain: predicts whether a
// client receives a token, or names the rejecting step.
import { readFile } from 'node:fs/promises';
import { CLIENT_KINDS } from '#lib/catalogue/clients/definition.ts';
import type { Decision } from '#lib/catalogue/subscriptions/definition.ts';
import { EXPLAINED_GRANTS } from '#lib/management/explanation.ts';
import {
  type Command,
  type Input,
  JSON_FLAG,
  option,
  pagedVerb,
  print,
  printTable,
  stateOf,
  switchVerbs,
  toggle,
  verb,
} from '../command.ts';
import { inText, WrongUsage, wholeNumber } from '../typed.ts';

const addressOf = (clientId: string | undefined) => `/clients/${encodeURIComponent(clientId ?? '')}`;

async function readKeys(path: string | undefined): Promise<unknown> {
  if (path === undefined) return undefined;
  const source = await readFile(path, 'utf8');
  try {
    return JSON.parse(source);
  } catch {
    throw new WrongUsage(`${path} is not JSON: --jwks requires a JWK Set`);
  }
}

export const clientCommands: Command[] = [
  verb(
    'client create CLIENT_ID',
    'create a client; the secret of a confidential client is printed once',
    async ({ args, text, texts, service }) => {
      const kind = CLIENT_KINDS.find((clientKind) => clientKind === text('type'));
      if (!kind) throw new WrongUsage(`--type must be one of ${CLIENT_KINDS.join(', ')}`);
      const createdClient = await service.call('POST', '/clients', {
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
      print(`created ${createdClient['client_id']}`);
      if (createdClient['secret']) print(`client_secret: ${createdClient['secret']}`);
    },
    {
      options: {
        name: option('NAME', 'the name that people see', { required: true }),
        type: option('TYPE', 'confidential, browser or native', { required: true }),
        'redirect-uri': option('URI', 'the redirect address for codes; can be repeated', {
          required: true,
          multiple: true,
        }),
        'allowed-origin': option('ORIGIN', 'CORS origin; default: those of the redirect URIs', {
          multiple: true,
        }),
        'auth-method': option(
          'METHOD',
          'client authentication, such as private_key_jwt; default: a secret in the header or the body',
        ),
        jwks: option('FILE', 'a JWK Set with its public keys, for private_key_jwt'),
        'jwks-uri': option('URI', 'the address of its public keys, for private_key_jwt'),
        owner: option('EMAIL', 'email address of the developer who owns the client'),
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
    'create a new secret, printed once; without --overlap, the old one stops working immediately',
    async ({ args, text, service }) => {
      const body = { overlap_seconds: wholeNumber(text('overlap') ?? '0', '--overlap') };
      const { secret } = await service.call('POST', `${addressOf(args[0])}/secret-rotation`, body);
      print(`client_secret: ${secret}`);
    },
    { options: { overlap: option('SECONDS', 'seconds for which the old secret still works') }, remote: true },
  ),
  ...switchVerbs('client', 'CLIENT_ID', addressOf, {
    disable: 'disable a client immediately',
    enable: 'enable a disabled client',
  }),
];

// The `subscription` commands decide which client may use which API. `--by` is the user who requests or decides; that
// user must hold the role.

const BY = option(
  'EMAIL',
  'the person who requests or decides, and must have the role; with --server, the person of the token',
);

const DECIDES =
  '--by is the person who decides. This person must have the role that may decide. The requester and the owner of the client may not approve or resume.';

const DECISION_WORDS: Record<Decision, string> = {
  approve: 'approve a pending subscription',
  reject: 'reject a pending subscription, with --reason',
  suspend: 'suspend an approved subscription',
  resume: 'resume a suspended subscription',
  revoke: 'revoke a subscription',
};

const decisionOn = (clientId: string, api: string) =>
  `/subscriptions/${encodeURIComponent(clientId)}/${encodeURIComponent(api)}/decision`;

export const subscriptionCommands: Command[] = [
  pagedVerb(
    'subscription list',
    'list subscriptions',
    {
      CLIENT_ID: 'client_id',
      API: 'api',
      STATE: 'state',
      TRUSTED: (row) => (row['trusted'] === true ? 'trusted' : '-'),
      MACHINE: (row) => (row['machine'] === true ? 'machine' : '-'),
      DEVICE: (row) => (row['device'] === true ? 'device' : '-'),
      SCOPES: (row) => [row['scopes']].flat().map(inText).join(' ') || '(all)',
      'DECIDED BY': 'decided_by_email',
      REASON: 'reason',
    },
    { path: '/subscriptions', orders: 'subscriptions' },
  ),
  verb(
    'subscription request CLIENT_ID API',
    'request a subscription',
    async ({ args, text, texts, flag, service }) => {
      const [client_id, api] = args;
      const rights = {
        trusted: flag('trusted'),
        machine: flag('machine'),
        device: flag('device'),
        scopes: texts('scope'),
      };
      const request = { client_id, api, ...rights, message: text('reason') };
      const { state } = await (await service.as(text('by'))).call('POST', '/subscriptions', request);
      print(`${client_id} to ${api}: ${state}`);
    },
    {
      options: {
        by: BY,
        trusted: toggle('request trust: no consent is requested, and the password grant works'),
        machine: toggle('request tokens in the client’s own name (client credentials)'),
        device: toggle('request to connect devices by a code that people enter (device grant)'),
        scope: option('SCOPE', 'the maximum scopes; can be repeated; default: all', { multiple: true }),
        reason: option('TEXT', 'a message to the approver'),
      },
      notes: '--by is the requester: an administrator, or the developer who owns the client.',
      remote: true,
    },
  ),
  ...Object.entries(DECISION_WORDS).map(([action, about]) =>
    verb(
      `subscription ${action} CLIENT_ID API`,
      about,
      async ({ args, text, service }) => {
        const [clientId = '', api = ''] = args;
        const path = decisionOn(clientId, api);
        const decided = { action, reason: text('reason') };
        const { state } = await (await service.as(text('by'))).call('POST', path, decided);
        print(`${clientId} to ${api}: ${state}`);
      },
      {
        options: { by: BY, reason: option('TEXT', 'the reason, which is stored and shown to the developer') },
        notes: DECIDES,
        remote: true,
      },
    ),
  ),
  verb(
    'subscription undo CLIENT_ID API',
    'undo an approval or a rejection: within ten seconds, and before it is used',
    async ({ args, text, service }) => {
      const [clientId = '', api = ''] = args;
      const { state } = await (await service.as(text('by'))).call('DELETE', decisionOn(clientId, api));
      print(`${clientId} to ${api}: ${state}`);
    },
    {
      options: { by: BY },
      notes: '--by is the person who decided. No one else can undo the decision.',
      remote: true,
    },
  ),
];

// explain: predicts whether this client receives a token for this API, or names the rejecting step.

/** Maps each grant type to its name in this command. */
const GRANTS: ReadonlyMap<string, string> = new Map(
  EXPLAINED_GRANTS.filter((grant) => grant !== 'client_credentials').map((grant) => [
    grant.replace(/^.*:/, ''),
    grant,
  ]),
);

type Step = { step: string; ok: boolean; reason?: string; change?: string };

export const explainCommand = verb(
  'explain',
  'explain whether a client would get a token of an API',
  async (input) => {
    const explanation = await input.service.call('POST', '/explanations', readOwner(input));
    const { steps, token } = explanation as { steps: Step[]; token?: object };
    if (input.flag('json')) print(JSON.stringify(explanation, null, 2));
    else {
      printTable(
        ['STEP', 'STATE', 'WHY', 'WHAT TO CHANGE'],
        steps.map(({ step, ok, reason, change }) => [
          step,
          ok ? 'ok' : 'refused',
          reason ?? '-',
          change ?? '-',
        ]),
      );
      if (token) print(`\nThe token would contain:\n${JSON.stringify(token, null, 2)}`);
    }
    return token ? 0 : 1;
  },
  {
    options: {
      client: option('ID', 'the client_id', { required: true }),
      api: option('ID', 'the API', { required: true }),
      person: option(
        'USER',
        'the user who would sign in, by address, user name, id or subject; default with --server: the signed-in user',
      ),
      machine: toggle('a token in the client’s own name (client credentials)'),
      method: option('ID', 'the sign-in method; default: the first method of the API that the person has'),
      grant: option('TYPE', `${[...GRANTS.keys()].join(', ')}; default: authorization_code`),
      'subject-api': option('ID', 'for an exchange: the API of the subject token'),
      'subject-client': option(
        'ID',
        'for an exchange: the client that the subject token was issued to; default: the same client',
      ),
      actor: toggle('for an exchange: the client acts for the person (delegation)'),
      scope: option('"SCOPE …"', 'the scope of the request; default: none'),
      ...JSON_FLAG,
    },
    notes:
      'The steps are those of the authorize and token endpoints, in their order. No token is issued. Exit status 0: a token would be issued; 1: it would not.',
    remote: true,
  },
);

function readOwner({ text, flag, elsewhere }: Input): object {
  const email = text('person');
  const mine = email === undefined && !flag('machine') && elsewhere.server !== null;
  if (!mine && (email === undefined) === !flag('machine'))
    throw new WrongUsage('set either --person USER or --machine');
  const grant = text('grant');
  if (grant !== undefined && (flag('machine') || !GRANTS.has(grant)))
    throw new WrongUsage(`--grant requires --person, and one of ${[...GRANTS.keys()].join(', ')}`);
  const named = {
    mine: mine || undefined,
    email,
    auth_method: text('method'),
    scope: text('scope'),
    grant_type: grant && GRANTS.get(grant),
    subject_api: text('subject-api'),
    subject_client_id: text('subject-client'),
    as_actor: flag('actor') || undefined,
  };
  const entries = Object.entries(named).filter(([, value]) => value !== undefined);
  return { client_id: text('client'), api: text('api'), ...Object.fromEntries(entries) };
}
