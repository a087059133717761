// subscription …: which client may use which API. --by names who asks or decides, who must hold the role.
import { type Command, cell, type Option, print, printTable } from '../command.ts';

const BY: Option = {
  type: 'string',
  value: 'EMAIL',
  about: 'who asks or decides, and must hold the role; with --server the token says',
};

export const subscriptionCommands: Command[] = [
  {
    name: 'subscription list',
    args: [],
    about: 'list subscriptions',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    remote: true,
    async run({ flag, service }) {
      const subscriptions = await service.list('/subscriptions');
      if (flag('json')) return print(JSON.stringify(subscriptions, null, 2));
      printTable(
        ['CLIENT_ID', 'API', 'STATE', 'TRUSTED', 'SCOPES', 'DECIDED BY', 'REASON'],
        subscriptions.map((one) => [
          cell(one['client_id']),
          cell(one['api']),
          cell(one['state']),
          one['trusted'] === true ? 'trusted' : '-',
          (one['scopes'] as string[]).join(' ') || '(all)',
          cell(one['decided_by_email']),
          cell(one['reason']),
        ]),
      );
    },
  },
  {
    name: 'subscription request',
    args: ['CLIENT_ID', 'API'],
    about: 'ask for a subscription',
    options: {
      by: BY,
      trusted: { type: 'boolean', about: 'ask for trust: consent is not asked, the password grant works' },
      scope: {
        type: 'string',
        value: 'SCOPE',
        multiple: true,
        about: 'a ceiling; may be repeated; default: all',
      },
      reason: { type: 'string', value: 'TEXT', about: 'a message to whoever decides' },
    },
    needs: 'migrated',
    remote: true,
    async run({ args, text, texts, flag, service }) {
      const [client_id, api] = args;
      const asked = {
        client_id,
        api,
        trusted: flag('trusted'),
        scopes: texts('scope'),
        message: text('reason'),
      };
      const { state } = await (await service.as(text('by'))).call('POST', '/subscriptions', asked);
      print(`${client_id} to ${api}: ${state}`);
    },
  },
  decision('approve', 'approve a subscription that waits'),
  decision('reject', 'reject a subscription that waits, saying why with --reason'),
  decision('suspend', 'stop an approved subscription for a while'),
  decision('resume', 'let a suspended subscription work again'),
  decision('revoke', 'end a subscription'),
];

function decision(action: 'approve' | 'reject' | 'suspend' | 'resume' | 'revoke', about: string): Command {
  return {
    name: `subscription ${action}`,
    args: ['CLIENT_ID', 'API'],
    about,
    options: {
      by: BY,
      reason: { type: 'string', value: 'TEXT', about: 'why; kept, and shown to the developer' },
    },
    needs: 'migrated',
    remote: true,
    async run({ args, text, service }) {
      const [clientId = '', api = ''] = args;
      const path = `/subscriptions/${encodeURIComponent(clientId)}/${encodeURIComponent(api)}/decision`;
      const decided = { action, reason: text('reason') };
      const { state } = await (await service.as(text('by'))).call('POST', path, decided);
      print(`${clientId} to ${api}: ${state}`);
    },
  };
}
