import type { Metadata } from 'next';
import { inWords } from '#app/_components/duration.ts';
import { BrandPanel } from '#app/(console)/_objects/brand-panel.tsx';
import { type ApiPageProps, visitApi } from '#app/(console)/_registry/visit-api.tsx';
import { Fact, Facts, Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { MANAGEMENT_API } from '#lib/management/index.ts';
import { type ApiRow, plainText } from '#lib/registry/index.ts';

export const metadata: Metadata = { title: 'API' };

export default function ApiPage(props: ApiPageProps) {
  return visitApi(props, null, async ({ api, form, typed }) => (
    <>
      <Panel
        id="published"
        heading="Published"
        aside={<a href={`/apis/${encodeURIComponent(api.id)}`}>Its public page, with its issuers</a>}
      >
        <ApiFacts api={api} />
      </Panel>
      <Panel
        id="scopes"
        heading="Scopes"
        lead={api.scopes.length === 0 ? 'None: its tokens carry no scope.' : undefined}
      >
        {api.scopes.length > 0 && (
          <Facts>
            {api.scopes.map(({ name, description }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{plainText(description)}</dd>
              </div>
            ))}
          </Facts>
        )}
      </Panel>
      {api.id !== MANAGEMENT_API && (
        <BrandPanel
          of={api}
          id={{ id: api.id }}
          start={await form('api-brand')}
          typed={typed('api-brand')}
          lead="What sign-in and consent for it look like, where the client has none of its own."
        />
      )}
      <Panel
        id="introspection"
        heading="The API’s own credential"
        lead="With it the API asks us about tokens (introspection), its id as the name. A new one ends the one before."
        aside={
          api.hasIntrospectionSecret ? <Pill tone="good">set</Pill> : <Pill tone="neutral">none yet</Pill>
        }
      >
        <div className="form-actions">
          <a className="button plain" href={`/admin/apis/${encodeURIComponent(api.id)}/credential`}>
            {api.hasIntrospectionSecret ? 'Replace it…' : 'Make one…'}
          </a>
        </div>
      </Panel>
      {api.id !== MANAGEMENT_API && (
        <Panel id="ending" heading="Delete it" lead="With its subscriptions, consents and tokens.">
          <div className="form-actions">
            <a className="button danger" href={`/admin/apis/${encodeURIComponent(api.id)}/delete`}>
              Delete it…
            </a>
          </div>
        </Panel>
      )}
    </>
  ));
}

function ApiFacts({ api }: { api: ApiRow }) {
  const rules = [
    api.requireApproval && 'every subscription needs approval',
    api.requireRedirectUri && 'requests name their redirect address',
    api.requireScope && 'requests name their scopes',
    api.profile === 'oauth-2.1' && 'OAuth 2.1: PKCE always, and no password grant',
    api.pairwiseSubjects && 'pairwise subjects for every client',
  ].filter(Boolean);
  return (
    <Facts>
      <Fact name="Id">
        <code>{api.id}</code>
      </Fact>
      <Fact name="Address">
        <code>{api.url}</code>
      </Fact>
      <Fact name="Sign-in methods">
        {api.authMethods.length === 0 ? (
          'None: nobody can sign in to it yet'
        ) : (
          <Methods ids={api.authMethods} />
        )}
      </Fact>
      <Fact name="Access tokens">
        {api.accessTokenFormat === 'jwt' ? `signed with ${api.signingAlg}` : 'opaque'}, for{' '}
        {inWords(api.accessTokenTtlSeconds)}.{' '}
        <a href="/documentation/guides/protect-an-api">How the API checks them</a>
      </Fact>
      <Fact name="Refresh tokens">
        for {inWords(api.refreshTokenTtlSeconds)} unused, {inWords(api.refreshFamilyTtlSeconds)} in all
      </Fact>
      <Fact name="Rules">{rules.join('; ') || 'None more'}</Fact>
      {api.tokenClaims.length > 0 && (
        <Fact name="Claims in access tokens">
          <code>{api.tokenClaims.join(', ')}</code>
        </Fact>
      )}
      <Fact name="Approvers">{api.approvers.join(', ') || 'Every approver, and administrators'}</Fact>
      <Fact name="Subscriptions">
        <a href={`/admin/subscriptions?${new URLSearchParams({ search: api.id })}`}>{api.subscriptions}</a>
        {api.pending > 0 && `, ${api.pending} waiting`}
      </Fact>
    </Facts>
  );
}

function Methods({ ids }: { ids: string[] }) {
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <a href={`/admin/auth-methods/${encodeURIComponent(id)}`}>{id}</a>
    </span>
  ));
}
