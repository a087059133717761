import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Fact, Facts, Panel, Pill } from '#app/(console)/_kit/pieces.tsx';
import { BrandPanel } from '#app/(console)/_subjects/brand-panel.tsx';
import { pageAboutApi } from '#app/(console)/_subjects/object-pages.tsx';
import { lasts, Say, say } from '#app/(console)/_texts/say.tsx';
import { MANAGEMENT_API } from '#lib/management/built-in.ts';
import type { ApiRow } from '#lib/registry/api.ts';
import { plainText } from '#lib/registry/display-text.ts';

export const generateMetadata = pageTitle('API');

export default pageAboutApi(null, async ({ api, form, typed }) => (
  <>
    <Panel
      id="published"
      heading={say('Published')}
      aside={<a href={`/apis/${encodeURIComponent(api.id)}`}>{say('Public page, with its issuers')}</a>}
    >
      <ApiFacts api={api} />
    </Panel>
    <Panel
      id="scopes"
      heading={say('Scopes')}
      lead={api.scopes.length === 0 ? say('None: its tokens have no scope.') : undefined}
    >
      {api.scopes.length > 0 && (
        <Facts>
          {api.scopes.map(({ name, description, groups = [] }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {plainText(description)}
                {groups.length > 0 && (
                  <p className="soft">
                    <Say
                      text="Only for people in {groups}"
                      values={{ groups: <GroupLinks ids={groups} /> }}
                    />
                  </p>
                )}
              </dd>
            </div>
          ))}
        </Facts>
      )}
    </Panel>
    {api.id !== MANAGEMENT_API && (
      <BrandPanel
        of={api}
        area="admin"
        id={{ id: api.id }}
        start={await form('api-brand')}
        typed={typed('api-brand')}
        lead={say('The look of sign-in and consent for this API, unless the client has its own brand.')}
      />
    )}
    <Panel
      id="introspection"
      heading={say('API credentials')}
      lead={say(
        'The API uses these credentials for token introspection, with its id as the username. New credentials replace the existing ones.',
      )}
      aside={
        api.hasIntrospectionSecret ? (
          <Pill tone="good">{say('set')}</Pill>
        ) : (
          <Pill tone="neutral">{say('none yet')}</Pill>
        )
      }
    >
      <div className="form-actions">
        <a className="button plain" href={`/admin/apis/${encodeURIComponent(api.id)}/credential`}>
          {api.hasIntrospectionSecret ? say('Replace…') : say('Create…')}
        </a>
      </div>
    </Panel>
    {api.id !== MANAGEMENT_API && (
      <Panel
        id="ending"
        heading={say('Delete')}
        lead={say('The API’s subscriptions, consents and tokens are deleted as well.')}
      >
        <div className="form-actions">
          <a className="button danger" href={`/admin/apis/${encodeURIComponent(api.id)}/delete`}>
            {say('Delete…')}
          </a>
        </div>
      </Panel>
    )}
  </>
));

function ApiFacts({ api }: { api: ApiRow }) {
  const rules = [
    api.requireApproval && say('every subscription requires approval'),
    api.requireRedirectUri && say('requests must name their redirect address'),
    api.requireScope && say('requests must name their scopes'),
    api.profile === 'oauth-2.1' && say('OAuth 2.1: PKCE is required, and there is no password grant'),
    api.profile === 'fapi-2.0' &&
      say('FAPI 2.0: requests are pushed, and clients and tokens are bound to keys'),
    api.pairwiseSubjects && say('pairwise subjects for all clients'),
  ].filter(Boolean);
  return (
    <Facts>
      <Fact name={say('Id')}>
        <code>{api.id}</code>
      </Fact>
      <Fact name={say('Address')}>
        <code>{api.url}</code>
      </Fact>
      <Fact name={say('Sign-in methods')}>
        {api.authMethods.length === 0 ? (
          say('None: sign-in is not possible yet')
        ) : (
          <Links to="/admin/auth-methods" ids={api.authMethods} />
        )}
      </Fact>
      <Fact name={say('Access tokens')}>
        {api.accessTokenFormat === 'jwt'
          ? say('signed with {algorithm}, for {time}.', {
              algorithm: api.signingAlg,
              time: lasts(api.accessTokenTtlSeconds),
            })
          : say('opaque, for {time}.', { time: lasts(api.accessTokenTtlSeconds) })}{' '}
        <a href="/documentation/guides/protect-an-api">{say('How the API verifies tokens')}</a>
      </Fact>
      <Fact name={say('Refresh tokens')}>
        {say('{unused} if unused, {all} in total', {
          unused: lasts(api.refreshTokenTtlSeconds),
          all: lasts(api.refreshFamilyTtlSeconds),
        })}
      </Fact>
      <Fact name={say('Rules')}>{rules.join('; ') || say('No further rules')}</Fact>
      {api.tokenClaims.length > 0 && (
        <Fact name={say('Claims in access tokens')}>
          <code>{api.tokenClaims.join(', ')}</code>
        </Fact>
      )}
      {api.groups.length > 0 && (
        <Fact name={say('Groups')}>
          <Say
            text="Only people in {groups} can use it"
            values={{ groups: <GroupLinks ids={api.groups} /> }}
          />
        </Fact>
      )}
      {Object.entries(api.roles ?? {}).map(([role, ids]) => (
        <Fact key={role} name={say('Role {role}', { role })}>
          {ids.length === 0 ? say('no group') : <GroupLinks ids={ids} />}
        </Fact>
      ))}
      {api.groupsClaim.length > 0 && (
        <Fact name={say('Groups in tokens')}>
          <code>{api.groupsClaim.join(', ')}</code>
        </Fact>
      )}
      <Fact name={say('Approvers')}>
        {api.approvers.join(', ') || say('All approvers and administrators')}
      </Fact>
      <Fact name={say('Subscriptions')}>
        <a href={`/admin/subscriptions?${new URLSearchParams({ search: api.id })}`}>{api.subscriptions}</a>
        {api.pending > 0 && <>, {say('{count} waiting', { count: api.pending })}</>}
      </Fact>
    </Facts>
  );
}

const GroupLinks = ({ ids }: { ids: readonly string[] }) => <Links to="/admin/groups" ids={ids} />;

function Links({ to, ids }: { to: string; ids: readonly string[] }) {
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <a href={`${to}/${encodeURIComponent(id)}`}>{id}</a>
    </span>
  ));
}
