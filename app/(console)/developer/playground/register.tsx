// Parts of the playground page: the panel that registers the playground's address, and the list of issuers for the
// application.
import { say } from '#app/(console)/_texts/say.tsx';
import { type ClientDetail, previewClientChange } from '#lib/management/clients.ts';
import type { Actor } from '#lib/management/policy.ts';
import { pageSubscriptions } from '#lib/management/subscriptions.ts';
import { readPublishedApi } from '#lib/oauth/metadata.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { reachOf } from '#lib/registry/subscription.ts';
import { Form } from '../../_kit/form.tsx';
import { Panel } from '../../_kit/pieces.tsx';
import type { Visit } from '../../_kit/visit.tsx';
import { clientPath } from '../../_subjects/client-kinds.ts';
import { Consequences } from '../../_subjects/object-forms.tsx';
import type { Combination } from './attempt.ts';
import { withPlayground } from './forms.ts';

type RegisterProps = Visit & { client: ClientDetail; redirectUri: string };

/** Registers the playground's address, because the playground works only if it is a redirect URI of the client. */
export async function Register({ client, redirectUri, actor, form, typed }: RegisterProps) {
  const { clientId, version } = client;
  const redirectUris = withPlayground(client);
  const back = typed('playground-register');
  const { confirming } = back;
  return (
    <Panel
      id="register"
      heading={say('Let {application} return to this page', { application: plainText(client.name) })}
      lead={say(
        'People are redirected only to registered addresses. The playground uses the address of this page, which you can remove on the page of the application:',
      )}
    >
      <p>
        <code>{redirectUri}</code>
      </p>
      <Form
        {...(await form('playground-register'))}
        fields={{ clientId, version }}
        submit={confirming ? say('Register anyway') : say('Register')}
        leave={{ href: clientPath('developer', clientId, 'edit'), label: say('Edit the addresses myself') }}
      >
        {confirming && (
          <Consequences
            of={await previewClientChange(actor, { clientId, redirectUris })}
            heading={say('Registering this address has consequences')}
            agreed={back.one('confirmed')}
          />
        )}
      </Form>
    </Panel>
  );
}

type Approved = {
  combinations: Combination[];
  /** the subscription allows tokens in the client's own name */
  machine: boolean;
};

/** The issuers of the client's approved subscriptions, with their scopes. */
export async function combinationsOf(actor: Actor, { clientId }: ClientDetail): Promise<Approved> {
  const { rows } = await pageSubscriptions(actor, { clientId, own: true, state: 'approved', limit: 200 });
  const combinationLists = await Promise.all(
    rows.map(async (row) => {
      const api = await readPublishedApi(row.api);
      return (api?.issuers ?? []).map((issuer) => ({
        label: `${row.apiName}, ${issuer.method.name}`,
        issuer: issuer.issuer,
        authorize: issuer.authorizationEndpoint,
        token: issuer.tokenEndpoint,
        par: issuer.pushedAuthorizationRequestEndpoint,
        revoke: issuer.revocationEndpoint,
        userinfo: issuer.userinfoEndpoint,
        jwks: issuer.jwksUri,
        scopes: reachOf(row).map((scope) => ({ ...scope, description: plainText(scope.description) })),
        bound: api?.dpop === 'required',
      }));
    }),
  );
  return { combinations: combinationLists.flat(), machine: rows.some(({ machine }) => machine) };
}
