// explain: would this client get a token of this API, and if not, which step refuses it?
import { EXPLAINED_GRANTS } from '#lib/management/service/explanation.ts';
import { type Input, JSON_FLAG, option, print, printTable, toggle, verb } from '../command.ts';
import { WrongUsage } from '../typed.ts';

/** By what each is called here. */
const GRANTS: ReadonlyMap<string, string> = new Map(
  EXPLAINED_GRANTS.filter((grant) => grant !== 'client_credentials').map((grant) => [
    grant.replace(/^.*:/, ''),
    grant,
  ]),
);

type Step = { step: string; ok: boolean; reason?: string; change?: string };

export const explainCommand = verb(
  'explain',
  'say why a client would get a token of an API, or would not',
  async (input) => {
    const made = await input.service.call('POST', '/explanations', asked(input));
    const { steps, token } = made as { steps: Step[]; token?: object };
    if (input.flag('json')) print(JSON.stringify(made, null, 2));
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
      if (token) print(`\nThe token would hold:\n${JSON.stringify(token, null, 2)}`);
    }
    return token ? 0 : 1;
  },
  {
    options: {
      client: option('ID', 'the client_id', { required: true }),
      api: option('ID', 'the API', { required: true }),
      person: option(
        'USER',
        'the user who would sign in, by address, user name, id or subject; default at a service elsewhere: the signed-in user',
      ),
      machine: toggle('a token of the client’s own (client credentials)'),
      method: option('ID', 'the sign-in method; default: the first of the API that the person has'),
      grant: option('TYPE', `${[...GRANTS.keys()].join(', ')}; default: authorization_code`),
      'subject-api': option('ID', 'of an exchange: the API of the token that is exchanged'),
      'subject-client': option('ID', 'of an exchange: the client that has this token; default: the same'),
      actor: toggle('of an exchange: the client acts for the person (delegation)'),
      scope: option('"SCOPE …"', 'as the request would have it; default: none is named'),
      ...JSON_FLAG,
    },
    notes:
      'The steps are those of the authorize and token addresses, in their order. Nothing is given. Exit status 0: a token would be given; 1: it would not.',
    remote: true,
  },
);

function asked({ text, flag, elsewhere }: Input): object {
  const email = text('person');
  const mine = email === undefined && !flag('machine') && elsewhere.server !== null;
  if (!mine && (email === undefined) === !flag('machine'))
    throw new WrongUsage('--person USER or --machine, one of the two');
  const grant = text('grant');
  if (grant !== undefined && (flag('machine') || !GRANTS.has(grant)))
    throw new WrongUsage(`--grant ${[...GRANTS.keys()].join(', ')}, with --person`);
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
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  return { client_id: text('client'), api: text('api'), ...Object.fromEntries(given) };
}
