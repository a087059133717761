// subscription …: which client may use which API. --by names who asks or decides, who must hold the role.
import { type Command, type Option, print, printTable } from '../command.ts';

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
    async run({ flag, operations }) {
      const { rows, json } = await operations.listSubscriptions();
      if (flag('json')) return print(JSON.stringify(json, null, 2));
      printTable(
        ['CLIENT_ID', 'API', 'STATE', 'TRUSTED', 'SCOPES', 'DECIDED BY', 'REASON'],
        rows.map((one) => [
          one.clientId,
          one.api,
          one.state,
          one.trusted ? 'trusted' : '-',
          one.scopes.join(' ') || '(all)',
          one.decidedBy ?? '-',
          one.reason ?? '-',
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
    async run({ args, text, texts, flag, operations }) {
      const pair = { clientId: args[0] as string, api: args[1] as string };
      const asked = {
        ...pair,
        trusted: flag('trusted'),
        scopes: texts('scope'),
        message: text('reason') ?? '',
        by: text('by'),
      };
      const state = await operations.requestSubscription(asked);
      print(`${pair.clientId} to ${pair.api}: ${state}`);
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
    async run({ args, text, operations }) {
      const pair = { clientId: args[0] as string, api: args[1] as string };
      const decided = { ...pair, action, reason: text('reason'), by: text('by') };
      const state = await operations.decideSubscription(decided);
      print(`${pair.clientId} to ${pair.api}: ${state}`);
    },
  };
}
