// Page of a client: registration, secrets, subscriptions, and disabling.
import type { ReactNode } from 'react';
import { CopyField } from '#app/_components/pieces.tsx';
import type { ClientDetail } from '#lib/management/clients.ts';
import { mayDo } from '#lib/management/policy.ts';
import { pageSubscriptions } from '#lib/management/subscriptions.ts';
import { CLIENT_KIND_WORDS, takesSecret } from '#lib/registry/client.ts';
import { reachOf, type SubscriptionRow } from '#lib/registry/subscription.ts';
import type { Area } from '../_kit/console-form.ts';
import { Form, Submit } from '../_kit/form.tsx';
import { List, Row } from '../_kit/list.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Callout, Empty, Fact, Facts, Panel, StatePills, When } from '../_kit/pieces.tsx';
import type { Visit } from '../_kit/visit.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { copyWords, Say, say, sayText } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { BrandPanel } from './brand-panel.tsx';
import { RedirectAddresses } from './client-forms.tsx';
import { catalogueFor, clientPath } from './client-kinds.ts';
import { consequences } from './object-forms.tsx';
import { pageAboutClient } from './object-pages.tsx';
import { OtherNames, ShownFacts } from './subscription-facts.tsx';

// Disables or deletes a client. For unregistered clients the console calls it blocking; the switch is the same.

type EndingProps = {
  area: Area;
  client: ClientDetail;
  form: Visit['form'];
  mayEnable: boolean;
  /** consequences of blocking; this page blocks an unregistered client */
  blocking: ReactNode;
};

async function Ending({ area, client, form, mayEnable, blocking }: EndingProps) {
  const { clientId, disabled } = client;
  const isUnregistered = client.origin !== null;
  const link = (step: string) => clientPath(area, clientId, step);
  return (
    <Panel
      id="ending"
      heading={say('Disable or delete')}
      lead={isUnregistered ? unregisteredWords(client) : words(client, mayEnable)}
    >
      {!disabled && isUnregistered && (
        <Form
          {...(await form('client-disable'))}
          fields={{ clientId, here: 'yes' }}
          submit={say('Block')}
          tone="danger"
        >
          {blocking}
        </Form>
      )}
      <div className="form-actions">
        {!disabled && !isUnregistered && (
          <a className="button danger" href={link('disable')}>
            {say('Disable…')}
          </a>
        )}
        {disabled && mayEnable && (
          <Form {...(await form('client-enable'))} className="inline" fields={{ clientId }}>
            <Submit tone="plain">{isUnregistered ? say('Unblock') : say('Enable')}</Submit>
          </Form>
        )}
        <a className="button danger" href={link('revoke')}>
          {say('Revoke all…')}
        </a>
        <a className="button danger" href={link('delete')}>
          {say('Delete…')}
        </a>
      </div>
    </Panel>
  );
}

const revokeAllHint = () =>
  say('“Revoke all” revokes every token and consent. The application can request new ones.');

function unregisteredWords({ disabled }: ClientDetail): string {
  const forgotten = say(
    'Deleting removes the application: the next person who uses it creates a new request.',
  );
  if (disabled) return `${say('A blocked application gets no tokens for anyone.')} ${forgotten}`;
  const blocked = say(
    'Blocking ends the access immediately, at every API, until the application is unblocked.',
  );
  return `${blocked} ${revokeAllHint()} ${forgotten}`;
}

function words({ disabled }: ClientDetail, mayEnable: boolean): string {
  if (disabled)
    return say('A disabled client keeps its registration. Deleting removes everything permanently.');
  const disabling = mayEnable
    ? say('Disabling stops the application immediately, revokes its tokens and keeps its registration.')
    : say(
        'Disabling stops the application immediately, revokes its tokens and keeps its registration. Only an administrator can enable the application again.',
      );
  return `${disabling} ${revokeAllHint()} ${say('Deleting removes everything permanently.')}`;
}

type SecretsProps = { area: Area; client: ClientDetail; add: FormStart };

function SecretFacts({ of: { createdAt, lastUsedAt, expiresAt } }: { of: ClientDetail['secrets'][number] }) {
  const values = { made: <When at={createdAt} />, used: <When at={lastUsedAt} /> };
  if (expiresAt === null) return <Say text="Created {made}, last used {used}" values={values} />;
  return (
    <Say
      text="Created {made}, last used {used}, expires {ends}"
      values={{ ...values, ends: <When at={expiresAt} /> }}
    />
  );
}

/** A client can have two secrets at a time: deploy the new secret, then revoke the old secret, without downtime. */
function Secrets({ area, client, add }: SecretsProps) {
  const { secrets, clientId } = client;
  const endOf = (secret: string) => withQuery(clientPath(area, clientId, 'end-secret'), { secret });
  return (
    <Panel
      id="secrets"
      heading={say('Secrets')}
      lead={say(
        'To rotate without an outage, add a second secret and deploy it to your application. When the old secret is no longer used, revoke it.',
      )}
    >
      {secrets.length === 0 && (
        <Callout tone="refused">
          <p>
            {say('Without a secret the client cannot authenticate: it gets no tokens until you add one.')}
          </p>
        </Callout>
      )}
      {secrets.length > 0 && (
        <List label={say('Secrets')}>
          {secrets.map((secret, at) => (
            <Row
              key={secret.id}
              title={
                secrets.length === 2
                  ? at === 0
                    ? say('Older secret')
                    : say('Newer secret')
                  : say('Current secret')
              }
              side={
                <a className="button danger" href={endOf(secret.id)}>
                  {say('Revoke secret…')}{' '}
                  <span className="unseen">
                    {at === 0 ? say('the older secret') : say('the newer secret')}
                  </span>
                </a>
              }
            >
              <SecretFacts of={secret} />
              {secrets.length === 1 && <>. {say('Revoking this secret stops the application')}</>}
            </Row>
          ))}
        </List>
      )}
      {secrets.length < 2 && (
        <Form {...add}>
          <input type="hidden" name="clientId" value={clientId} />
          <div className="form-actions">
            <Submit tone="plain">
              {secrets.length === 0 ? say('Add a secret') : say('Add a second secret')}
            </Submit>
          </div>
        </Form>
      )}
    </Panel>
  );
}

const AUDIENCE_WORDS = toSay({
  issuer: 'The issuer, since {time}. Every API accepts this value.',
  token_endpoint:
    'The token endpoint, since {time}. APIs with a profile can reject this value: use the issuer as the audience.',
});

export const clientPage = (area: Area) =>
  pageAboutClient(area, null, async ({ actor, form, typed, client }) => {
    const { clientId } = client;
    const isBlockedHere = client.origin !== null && !client.disabled;
    const subscriptions = await pageSubscriptions(actor, {
      clientId,
      own: area === 'developer',
      limit: 200,
    });
    return (
      <>
        {client.disabled && (
          <Callout tone="refused">
            <p>
              {client.origin === null
                ? say('This client is disabled. No one can sign in to it, and its tokens are revoked.')
                : say('This client is blocked. No one can sign in to it, and its tokens are revoked.')}
            </p>
          </Callout>
        )}
        <Subscriptions area={area} client={client} rows={subscriptions.rows} />
        <Registered client={client} area={area} visit={{ actor, form, typed }} />
        {takesSecret(client) && <Secrets area={area} client={client} add={await form('secret-add')} />}
        {client.origin !== 'document' && (
          <BrandPanel
            of={client}
            area={area}
            id={{ clientId }}
            start={await form('client-brand')}
            typed={typed('client-brand')}
            lead={say(
              'The look of sign-in and consent at every API that has approved this client. Approvers see it as well.',
            )}
          />
        )}
        <Ending
          {...{ area, client, form }}
          mayEnable={mayDo(actor, 'clients.manage-all')}
          blocking={
            isBlockedHere && (await consequences({ actor, form, typed }, 'client-disable', { clientId }))
          }
        />
      </>
    );
  });

type RegisteredProps = { client: ClientDetail; area: Area; visit: Pick<Visit, 'actor' | 'form' | 'typed'> };

function Registered({ client, area, visit }: RegisteredProps) {
  return (
    <Panel id="registered" heading={say('Registered')}>
      <OtherNames of={client} />
      <Facts>
        <Fact name={say('Client id')}>
          <CopyField label={say('client id')} value={client.clientId} said={copyWords(say('client id'))} />
        </Fact>
        <ShownFacts of={client} />
        {client.origin === 'document' && (
          <Fact name={say('Described by')}>
            {say('A document at that address: these details change when the document changes')}
          </Fact>
        )}
        <Fact name={say('Platform')}>
          {say(CLIENT_KIND_WORDS[client.kind].label)}.{' '}
          <span className="soft">{say(CLIENT_KIND_WORDS[client.kind].note)}</span>
        </Fact>
        <Fact name={say('Redirect addresses')}>
          <RedirectAddresses {...{ area, client, ...visit }} />
        </Fact>
        {client.tokenEndpointAuthMethod === 'private_key_jwt' && (
          <Fact name={say('Authentication')}>
            {client.jwksUri === null ? (
              say(
                'With its own key pair (private_key_jwt): {count, plural, one {# public key is} other {# public keys are}} registered',
                { count: client.jwks?.keys.length ?? 0 },
              )
            ) : (
              <Say
                text="With its own key pair (private_key_jwt): the keys are fetched from {address}"
                values={{ address: <code>{client.jwksUri}</code> }}
              />
            )}
          </Fact>
        )}
        {client.tokenEndpointAuthMethod === 'private_key_jwt' && (
          <Fact name={say('Audience of its assertions (aud)')}>
            {client.assertion === null ? (
              say('No assertion accepted yet.')
            ) : (
              <Say
                text={AUDIENCE_WORDS[client.assertion.audience]}
                values={{ time: <When at={client.assertion.since} /> }}
              />
            )}
          </Fact>
        )}
        {client.allowedOrigins.length > 0 && (
          <Fact name={say('Allowed origins')}>
            <ul>
              {client.allowedOrigins.map((origin) => (
                <li key={origin}>
                  <code>{origin}</code>
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {client.subjectType === 'pairwise' && (
          <Fact name={say('Subjects')}>
            {say('Pairwise: no one outside the client’s sector knows people by the same identifiers')}
          </Fact>
        )}
        {client.sectorIdentifierUri !== null && (
          <Fact name={say('Sector list')}>
            <code>{client.sectorIdentifierUri}</code>
          </Fact>
        )}
        {area === 'admin' && <Fact name={say('Owner')}>{client.ownerEmail ?? say('Nobody')}</Fact>}
        <Fact name={say('Since')}>
          <Say
            text="{created}, last changed {changed}"
            values={{ created: <When at={client.createdAt} />, changed: <When at={client.updatedAt} /> }}
          />
        </Fact>
      </Facts>
    </Panel>
  );
}

type SubscriptionsProps = { area: Area; client: ClientDetail; rows: SubscriptionRow[] };

function Subscriptions({ area, client, rows }: SubscriptionsProps) {
  const catalogue = catalogueFor(client.clientId);
  const link = (api: string) =>
    area === 'admin'
      ? `/admin/subscriptions/${encodeURIComponent(client.clientId)}/${encodeURIComponent(api)}`
      : clientPath(area, client.clientId, 'apis', api);
  return (
    <Panel
      id="subscriptions"
      heading={say('Subscriptions')}
      aside={
        area === 'developer' && rows.length > 0 && <a href={catalogue}>{say('Subscribe to another API')}</a>
      }
    >
      {rows.length === 0 ? (
        <Empty heading={say('No APIs yet')} inside>
          <p>{say('An application gets tokens only for APIs that it is subscribed to.')}</p>
          {area === 'developer' && (
            <p className="first-action">
              <a className="button small" href={catalogue}>
                {say('Choose an API')}
              </a>
            </p>
          )}
        </Empty>
      ) : (
        <List label={say('Subscriptions')}>
          {rows.map((row) => (
            <Row
              key={row.api}
              href={link(row.api)}
              title={row.apiName}
              pills={<StatePills of={row} />}
              side={<When at={row.updatedAt} />}
            >
              {row.state === 'rejected' && row.reason
                ? say('Rejected: {reason}', { reason: row.reason })
                : scopesOf(row)}
            </Row>
          ))}
        </List>
      )}
    </Panel>
  );
}

function scopesOf(row: SubscriptionRow): string {
  const texts = reachOf(row).map(({ name, description }) => sayText(description) || name);
  return texts.join(' · ') || say('No scopes');
}
