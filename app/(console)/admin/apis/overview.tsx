import { CopyField } from '#app/_components/copy-field.tsx';
import { path } from '#app/(console)/_forms/form.ts';
import { withQuery } from '#app/(console)/_ui/list.tsx';
import { Empty, Fact, Facts, Panel } from '#app/(console)/_ui/pieces.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import type { ApiRow } from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';
import { lifetime } from './lifetime.ts';

type Props = { api: ApiRow };

export function Issuers({ api }: Props) {
  const { authUrl } = settings();
  return (
    <Panel
      id="issuers"
      heading="Issuers"
      lead="One for each method that signs people in. A standard client needs only that address."
    >
      {api.authMethods.length === 0 ? (
        <Empty heading="Nobody can sign in" inside>
          <p>Choose at least one sign-in method: edit the API.</p>
        </Empty>
      ) : (
        <Facts>
          {api.authMethods.map((id) => (
            <Fact key={id} name={<a href={path('admin', 'auth-methods', id)}>{id}</a>}>
              <CopyField label={`issuer of ${id}`} value={`${authUrl}/auth/${id}/api/${api.id}`} />
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}

export function Scopes({ api }: Props) {
  return (
    <Panel id="scopes" heading="Scopes">
      {api.scopes.length === 0 ? (
        <p className="soft">None: an application gets the whole API or nothing.</p>
      ) : (
        <Facts>
          {api.scopes.map(({ name, description }) => (
            <Fact key={name} name={<code>{name}</code>}>
              {description}
            </Fact>
          ))}
        </Facts>
      )}
    </Panel>
  );
}

export function Rules({ api }: Props) {
  const subscriptions = withQuery('/admin/subscriptions', { api: api.id });
  return (
    <Panel id="rules" heading="Tokens and rules">
      <Facts>
        <Fact name="Id">
          <code>{api.id}</code>
        </Fact>
        <Fact name="Address">
          <code>{api.url}</code>
        </Fact>
        <Fact name="Access tokens">
          {api.accessTokenFormat === 'jwt' ? `Signed with ${api.signingAlg}` : 'Opaque'}, for{' '}
          {lifetime(api.accessTokenTtlSeconds)}
        </Fact>
        <Fact name="A sign-in">
          lapses when unused for {lifetime(api.refreshTokenTtlSeconds)}, and lasts{' '}
          {lifetime(api.refreshFamilyTtlSeconds)} at the most
        </Fact>
        <Fact name="Requests">{requests(api)}</Fact>
        <Fact name="Approval">
          {api.requireApproval ? 'Every subscription waits for it' : 'Only trusted subscriptions wait for it'}
          , from {api.approvers.length === 0 ? 'any approver' : api.approvers.join(', ')}
        </Fact>
        <Fact name="Subscriptions">
          <a href={subscriptions}>
            {api.subscriptions}
            {api.pending > 0 && `, ${api.pending} waiting`}
          </a>
        </Fact>
        <Fact name="Since">
          <When at={api.createdAt} />, last changed <When at={api.updatedAt} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function requests(api: ApiRow): string {
  const wanted = [
    ...(api.requireRedirectUri ? ['their redirect address'] : []),
    ...(api.requireScope ? ['their scopes'] : []),
  ];
  return wanted.length === 0 ? 'Nothing beyond the usual' : `Must name ${wanted.join(' and ')}`;
}
