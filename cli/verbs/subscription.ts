// subscription …: which client may use which API. --by names who asks or decides, who must hold the role.
import type { Decision } from '#lib/registry/objects/subscription-states.ts';
import { type Command, option, pagedVerb, print, toggle, verb } from '../command.ts';

const BY = option('EMAIL', 'who asks or decides, and must hold the role; with --server the token says');

const DECIDES = '--by names who decides: they must hold the role, and neither have asked nor own the client.';

const DECISION_WORDS: Record<Decision, string> = {
  approve: 'approve a subscription that waits',
  reject: 'reject a subscription that waits, saying why with --reason',
  suspend: 'stop an approved subscription for a while',
  resume: 'let a suspended subscription work again',
  revoke: 'end a subscription',
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
      SCOPES: (row) => (row['scopes'] as string[]).join(' ') || '(all)',
      'DECIDED BY': 'decided_by_email',
      REASON: 'reason',
    },
    { path: '/subscriptions', orders: 'subscriptions' },
  ),
  verb(
    'subscription request CLIENT_ID API',
    'ask for a subscription',
    async ({ args, text, texts, flag, service }) => {
      const [client_id, api] = args;
      const rights = {
        trusted: flag('trusted'),
        machine: flag('machine'),
        device: flag('device'),
        scopes: texts('scope'),
      };
      const asked = { client_id, api, ...rights, message: text('reason') };
      const { state } = await (await service.as(text('by'))).call('POST', '/subscriptions', asked);
      print(`${client_id} to ${api}: ${state}`);
    },
    {
      options: {
        by: BY,
        trusted: toggle('ask for trust: consent is not asked, the password grant works'),
        machine: toggle('ask for tokens in the client’s own name (client credentials)'),
        device: toggle('ask to connect devices by a code that people type (device grant)'),
        scope: option('SCOPE', 'a ceiling; may be repeated; default: all', { multiple: true }),
        reason: option('TEXT', 'a message to the approver'),
      },
      notes: '--by names who asks: an administrator, or the developer who owns the client.',
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
        options: { by: BY, reason: option('TEXT', 'why; kept, and shown to the developer') },
        notes: DECIDES,
        remote: true,
      },
    ),
  ),
  verb(
    'subscription undo CLIENT_ID API',
    'take an approval or a rejection back: within ten seconds, and before it was used',
    async ({ args, text, service }) => {
      const [clientId = '', api = ''] = args;
      const { state } = await (await service.as(text('by'))).call('DELETE', decisionOn(clientId, api));
      print(`${clientId} to ${api}: ${state}`);
    },
    { options: { by: BY }, notes: '--by names who decided: nobody else may.', remote: true },
  ),
];
