// The forms about the linked sign-in methods of a person.
import { backWith, done, type Forms, type Outcome } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import { linkIdentity, proveLink, startLink, unlinkIdentity } from '#lib/management/account/links.ts';
import { Refused } from '#lib/management/core/refused.ts';
import { startBrokerConsoleSignIn } from '#lib/oauth/broker/console-sign-in.ts';

const LINKS = '/account/links';
const JOIN = `${LINKS}/join`;
type Departing = Parameters<typeof startBrokerConsoleSignIn>[0];

/** To a broker, and from there back to the console. */
export async function departure(input: Departing): Promise<Outcome> {
  const started = await startBrokerConsoleSignIn(input);
  if (started.kind === 'depart') return { kind: 'depart', href: started.location, cookie: started.cookie };
  if (started.kind === 'slow-down')
    throw new Refused('link.too_many', {}, { retryAfterSeconds: started.waitSeconds });
  return started.kind === 'unknown'
    ? { kind: 'refused', status: 404, told: 'link.no_longer_there' }
    : { kind: 'refused', status: 503, told: 'link.silent' };
}

export const linkForms: Forms = {
  'link-elsewhere': {
    page: () => LINKS,
    run: async (actor, fields, { browser }) => {
      const authMethodId = fields.one('authMethodId');
      const proves = await startLink(actor, { authMethodId });
      return departure({ ...browser, authMethodId, returnTo: JOIN, proves });
    },
  },
  'link-password': {
    page: () => LINKS,
    run: async (actor, fields, { browser }) => {
      const [authMethodId, username] = [fields.one('authMethodId'), fields.one('username')];
      const asked = { authMethodId, username, password: fields.one('secret'), browser };
      return done(withQuery(JOIN, { proof: await proveLink(actor, asked) }));
    },
  },
  'link-join': {
    page: (fields) => withQuery(JOIN, { proof: fields.one('proof') }),
    run: async (actor, fields) => {
      await linkIdentity(actor, { proof: fields.one('proof') });
      return done(LINKS, 'link-added');
    },
  },
  'link-remove': backWith(
    () => LINKS,
    'link-removed',
    (actor, fields) => unlinkIdentity(actor, { authMethodId: fields.one('authMethodId') }),
  ),
};
