// Pages about a client: registration, secrets, subscriptions, settings, and confirmations.
import type { ReactNode } from 'react';
import { CopyField } from '#app/_components/pieces.tsx';
import { newClient, takesSecret } from '#lib/catalogue/clients/definition.ts';
import { type ClientDetail, readClient } from '#lib/catalogue/clients/operations.ts';
import { reachOf, type SubscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { pageSubscriptions } from '#lib/catalogue/subscriptions/operations.ts';
import { enter } from '#lib/management/operations.ts';
import { mayDo } from '#lib/management/policy.ts';
import { defaultsOf, formFields } from '#lib/registry/definition.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { clientQuestion } from '../_kit/access.ts';
import { type Area, pathOfEnding } from '../_kit/console-form.ts';
import { Form, Submit } from '../_kit/form.tsx';
import { List, Row } from '../_kit/list.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Callout, Empty, Fact, Facts, Kind, Panel, Pill, StatePills, When } from '../_kit/pieces.tsx';
import { QUESTIONS } from '../_kit/questions.ts';
import type { Visit } from '../_kit/visit.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { copyWords, Say, say, sayText } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { brandPage } from './brand-panel.tsx';
import { renderClientCode } from './client-code.tsx';
import { renderClientEdit } from './client-fields.tsx';
import { RedirectAddresses } from './client-forms.tsx';
import { catalogueFor, clientPath, listOf, SHORT_KINDS } from './client-kinds.ts';
import { renderClientRequests } from './client-lists.tsx';
import { DefinedFacts } from './object-facts.tsx';
import { AskedInVain, ask, consequences } from './object-forms.tsx';
import { type ObjectVisit, objectPages } from './object-page.tsx';
import { OtherNames, ShownFacts } from './subscription-facts.tsx';
import { textsPage } from './texts-panel.tsx';
import { renderClientWhy } from './why.tsx';

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
          submit={say('Block application')}
          tone="danger"
        >
          {blocking}
        </Form>
      )}
      <div className="form-actions">
        {!disabled && !isUnregistered && (
          <a className="button danger" href={link('disable')}>
            {say('Disable application…')}
          </a>
        )}
        {disabled && mayEnable && (
          <Form {...(await form('client-enable'))} className="inline" fields={{ clientId }}>
            <Submit tone="plain">
              {isUnregistered ? say('Unblock application') : say('Enable application')}
            </Submit>
          </Form>
        )}
        <a className="button danger" href={link('revoke')}>
          {say('Revoke all…')}
        </a>
        <a className="button danger" href={link('delete')}>
          {say('Delete application…')}
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
        <DefinedFacts fields={formFields(newClient)} of={client} defaults={defaultsOf(newClient)} />
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

// All pages about a client, for developers and administrators.

/** The document at its `client_id` describes an unregistered client. */
const isDescribedHere = ({ origin }: ClientDetail) => origin !== 'document';

export const clientPages = (area: Area) =>
  objectPages<ClientDetail>({
    area,
    param: 'clientId',
    kind: toSay('Application'),
    here: area === 'admin' ? '/admin/clients' : '/developer',
    list: () => listOf(area),
    path: (id, ...below) => clientPath(area, id, ...below),
    read: async (actor, clientId) => {
      if (area === 'admin') await enter(actor, { action: 'clients.see-all' });
      return readClient(actor, { clientId });
    },
    head: (client) => ({
      name: client.name,
      pills: (
        <>
          <Kind>{say(SHORT_KINDS[client.kind])}</Kind>
          {client.disabled && (
            <Pill tone="refused">{client.origin === null ? say('disabled') : say('blocked')}</Pill>
          )}
        </>
      ),
      managed: client.managed,
      notice: client.disabled && (
        <Callout tone="refused">
          <p>
            {client.origin === null
              ? say('This client is disabled. No one can sign in to it, and its tokens are revoked.')
              : say('This client is blocked. No one can sign in to it, and its tokens are revoked.')}
          </p>
        </Callout>
      ),
    }),
    pages: {
      '': { label: toSay('Overview'), tab: true, render: renderOverview },
      requests: { label: toSay('Requests'), tab: true, render: renderClientRequests },
      code: { label: toSay('Code'), tab: true, render: renderClientCode },
      edit: { label: toSay('Settings'), tab: isDescribedHere, anchors: ['ending'], render: renderSettings },
      brand: brandPage<ClientDetail>({
        form: 'client-brand',
        tab: isDescribedHere,
        id: ({ clientId }) => ({ clientId }),
        lead: toSay(
          'The look of sign-in and consent at every API that has approved this client. Approvers see it as well.',
        ),
      }),
      ...(area === 'admin' && {
        texts: textsPage<ClientDetail>({
          form: 'client-texts',
          tab: isDescribedHere,
          right: 'clients.manage-all',
          id: ({ clientId }) => ({ clientId }),
        }),
      }),
      why: { label: toSay('Why?'), tab: true, render: renderClientWhy },
      '[question]': { label: (step) => QUESTIONS[clientQuestion(step)].words.submit, render: renderQuestion },
    },
  });

async function renderOverview(client: ClientDetail, visit: ObjectVisit): Promise<ReactNode> {
  const { actor, area, form } = visit;
  const own = area === 'developer';
  const subscriptions = await pageSubscriptions(actor, { clientId: client.clientId, own, limit: 200 });
  return (
    <>
      <Subscriptions area={area} client={client} rows={subscriptions.rows} />
      <Registered client={client} area={area} visit={visit} />
      {takesSecret(client) && <Secrets area={area} client={client} add={await form('secret-add')} />}
      {!isDescribedHere(client) && (await renderEnding(client, visit))}
    </>
  );
}

async function renderSettings(client: ClientDetail, visit: ObjectVisit): Promise<ReactNode> {
  return (
    <>
      {await renderClientEdit(client, visit)}
      {await renderEnding(client, visit)}
    </>
  );
}

/** The panel is on the tab “Settings”; a client that a document describes has no settings, only an overview. */
async function renderEnding(client: ClientDetail, visit: ObjectVisit): Promise<ReactNode> {
  const { clientId, origin, disabled } = client;
  const isBlockedHere = origin !== null && !disabled;
  return (
    <Ending
      {...{ area: visit.area, client, form: visit.form }}
      mayEnable={mayDo(visit.actor, 'clients.manage-all')}
      blocking={isBlockedHere && (await consequences(visit, 'client-disable', { clientId }))}
    />
  );
}

async function renderQuestion(
  client: ClientDetail,
  { area, step, query, ...visit }: ObjectVisit,
): Promise<ReactNode> {
  const name = clientQuestion(step);
  const { clientId, version, disabled } = client;
  const leave = name === 'secret-drop' ? clientPath(area, clientId) : pathOfEnding(area, clientId);
  if (name === 'client-disable' && disabled)
    return <AskedInVain why={say('This application is already disabled.')} leave={leave} />;
  const fields = {
    clientId,
    ...(name === 'client-delete' && { version }),
    ...(name === 'secret-drop' && { secretId: query['secret'] ?? '' }),
  };
  return ask(visit, name, { fields, of: plainText(client.name), leave });
}
