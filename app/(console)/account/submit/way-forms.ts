// The forms about the ways in which somebody signs in.
import { backWith, done, type Forms, type Outcome } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { joinWay, proveNewWay, Refused, removeWay, startNewWay } from '#lib/management/index.ts';
import { startBrokerConsoleSignIn } from '#lib/oauth/index.ts';

const WAYS = '/account/ways';
const JOIN = `${WAYS}/join`;
type Departing = Parameters<typeof startBrokerConsoleSignIn>[0];

/** To a broker, and from there back to the console. */
export async function departure(input: Departing): Promise<Outcome> {
  const started = await startBrokerConsoleSignIn(input);
  if (started.kind === 'depart') return { kind: 'depart', href: started.location, cookie: started.cookie };
  if (started.kind === 'slow-down')
    throw new Refused('way.too_many', {}, { retryAfterSeconds: started.waitSeconds });
  return started.kind === 'unknown'
    ? { kind: 'refused', status: 404, told: 'way.no_longer_there' }
    : { kind: 'refused', status: 503, told: 'way.silent' };
}

export const wayForms: Forms = {
  'way-elsewhere': {
    page: () => WAYS,
    run: async (actor, fields, { browser }) => {
      const authMethodId = fields.one('authMethodId');
      const proves = await startNewWay(actor, { authMethodId });
      return departure({ ...browser, authMethodId, returnTo: JOIN, proves });
    },
  },
  'way-password': {
    page: () => WAYS,
    run: async (actor, fields, { browser }) => {
      const [authMethodId, username] = [fields.one('authMethodId'), fields.one('username')];
      const asked = { authMethodId, username, password: fields.one('secret'), browser };
      return done(withQuery(JOIN, { proof: await proveNewWay(actor, asked) }));
    },
  },
  'way-join': {
    page: (fields) => withQuery(JOIN, { proof: fields.one('proof') }),
    run: async (actor, fields) => {
      await joinWay(actor, { proof: fields.one('proof') });
      return done(WAYS, 'way-added');
    },
  },
  'way-remove': backWith(
    () => WAYS,
    'way-removed',
    (actor, fields) => removeWay(actor, { authMethodId: fields.one('authMethodId') }),
  ),
};
