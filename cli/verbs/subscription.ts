// subscription …: which client may use which API. --by names who asks or decides, who must hold the role.
import {
  type Actor,
  decideSubscription,
  findPerson,
  listSubscriptions,
  OPERATOR,
  Refused,
  requestSubscription,
} from '#lib/management/index.ts';
import { type Command, type Option, print, printTable, WrongUsage } from '../command.ts';

const BY: Option = { type: 'string', about: 'e-mail address of the person who asks or decides' };

export const subscriptionCommands: Command[] = [
  {
    name: 'subscription list',
    args: [],
    about: 'list subscriptions',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    async run({ flag }) {
      const rows = await listSubscriptions(OPERATOR);
      if (flag('json')) return print(JSON.stringify(rows, null, 2));
      printTable(
        ['CLIENT_ID', 'API', 'STATE', 'TRUSTED', 'SCOPES', 'DECIDED BY', 'REASON'],
        rows.map((one) => [
          one.client_id,
          one.api,
          one.state,
          one.trusted ? 'trusted' : '-',
          one.scopes.join(' ') || '(all)',
          one.decided_by_email ?? '-',
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
      scope: { type: 'string', multiple: true, about: 'a ceiling; may be repeated; default: all' },
      reason: { type: 'string', about: 'a message to whoever decides' },
    },
    needs: 'migrated',
    async run({ args, text, texts, flag }) {
      const pair = { clientId: args[0] as string, api: args[1] as string };
      const asked = {
        ...pair,
        trusted: flag('trusted'),
        scopes: texts('scope'),
        message: text('reason') ?? '',
      };
      const state = await requestSubscription(await actorOf(text('by')), asked);
      print(`${pair.clientId} to ${pair.api}: ${state}`);
    },
  },
  decision('approve', 'approve a subscription that waits'),
  decision('reject', 'reject a subscription that waits; say why with --reason'),
  decision('suspend', 'stop an approved subscription for a while'),
  decision('resume', 'let a suspended subscription work again'),
  decision('revoke', 'end a subscription'),
];

function decision(action: 'approve' | 'reject' | 'suspend' | 'resume' | 'revoke', about: string): Command {
  return {
    name: `subscription ${action}`,
    args: ['CLIENT_ID', 'API'],
    about,
    options: { by: BY, reason: { type: 'string', about: 'why; kept, and shown to the developer' } },
    needs: 'migrated',
    async run({ args, text }) {
      const pair = { clientId: args[0] as string, api: args[1] as string };
      const state = await decideSubscription(await actorOf(text('by')), {
        ...pair,
        action,
        reason: text('reason'),
      });
      print(`${pair.clientId} to ${pair.api}: ${state}`);
    },
  };
}

async function actorOf(email: string | undefined): Promise<Actor> {
  if (email === undefined) throw new WrongUsage('--by is missing: it names who asks or decides');
  const person = await findPerson(OPERATOR, { email });
  if (!person?.email) throw new Refused(`there is no ${email}`);
  if (person.disabled) throw new Refused(`${email} is disabled`);
  return { kind: 'person', id: person.id, email: person.email, roles: person.roles, signedInAt: null };
}
