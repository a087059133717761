import { CopyField } from '#app/_components/copy-field.tsx';
import { mayDo } from '#lib/management/core/policy.ts';
import type { ClientDetail } from '#lib/management/registry/clients.ts';
import { pageSubscriptions } from '#lib/management/subscriptions/subscription-view.ts';
import { CLIENT_KIND_WORDS } from '#lib/registry/clients/client.ts';
import { takesSecret } from '#lib/registry/clients/client-keys.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import type { Area } from '../_forms/form.ts';
import { consequences } from '../_objects/ask.tsx';
import { BrandPanel } from '../_objects/brand-panel.tsx';
import { catalogueFor, clientPath } from '../_objects/client-kinds.ts';
import { OtherNames, ShownFacts } from '../_subscriptions/shown-to-people.tsx';
import { Say, say, sayText } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { copyWords } from '../_ui/copy-words.ts';
import { List, Row } from '../_ui/list.tsx';
import { Callout, Empty, Fact, Facts, Panel, Pill, StatePill } from '../_ui/pieces.tsx';
import { When } from '../_ui/when.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { Ending } from './ending.tsx';
import { RedirectAddresses } from './redirect-addresses.tsx';
import { Secrets } from './secrets.tsx';
import { type ClientPageProps, visitClient } from './visit-client.tsx';

const AUDIENCE_WORDS = toSay({
  issuer: 'The issuer, since {time}. Every API accepts it.',
  token_endpoint:
    'The token endpoint, since {time}. APIs with a profile may refuse it: let the client name the issuer.',
});

export function clientPage(area: Area, props: ClientPageProps) {
  return visitClient({ area, props }, async ({ actor, form, typed, client }) => {
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
                ? say('This client is disabled: nobody signs in to it, and its tokens have ended.')
                : say('This client is blocked: nobody signs in to it, and its tokens have ended.')}
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
              'What sign-in and consent look like at every API that has approved it. Approvers see it too.',
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
}

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
            {say('Its document, at that address: these facts change when the document does')}
          </Fact>
        )}
        <Fact name={say('Where it runs')}>
          {say(CLIENT_KIND_WORDS[client.kind].label)}.{' '}
          <span className="soft">{say(CLIENT_KIND_WORDS[client.kind].note)}</span>
        </Fact>
        <Fact name={say('Redirect addresses')}>
          <RedirectAddresses {...{ area, client, ...visit }} />
        </Fact>
        {client.tokenEndpointAuthMethod === 'private_key_jwt' && (
          <Fact name={say('How it authenticates')}>
            {client.jwksUri === null ? (
              say(
                'With a key pair of its own (private_key_jwt): {count, plural, one {# of its public keys is} other {# of its public keys are}} registered',
                { count: client.jwks?.keys.length ?? 0 },
              )
            ) : (
              <Say
                text="With a key pair of its own (private_key_jwt): its keys are fetched from {address}"
                values={{ address: <code>{client.jwksUri}</code> }}
              />
            )}
          </Fact>
        )}
        {client.tokenEndpointAuthMethod === 'private_key_jwt' && (
          <Fact name={say('Audience of its assertions (aud)')}>
            {client.assertion === null ? (
              say('No assertion was accepted yet.')
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
            {say('Pairwise: nobody outside of its sector knows people by the same identifiers')}
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
      heading={say('APIs it may use')}
      aside={area === 'developer' && rows.length > 0 && <a href={catalogue}>{say('Subscribe to another')}</a>}
    >
      {rows.length === 0 ? (
        <Empty heading={say('No API yet')} inside>
          <p>{say('An application gets tokens only for APIs that it subscribes to.')}</p>
          {area === 'developer' && (
            <p className="first-action">
              <a className="button small" href={catalogue}>
                {say('Choose an API')}
              </a>
            </p>
          )}
        </Empty>
      ) : (
        <List label={say('APIs it may use')}>
          {rows.map((row) => (
            <Row
              key={row.api}
              href={link(row.api)}
              title={row.apiName}
              pills={
                <>
                  <StatePill state={row.state} />
                  {row.trusted && <Pill tone="neutral">{say('trusted')}</Pill>}
                  {row.machine && <Pill tone="neutral">{say('machine')}</Pill>}
                  {row.device && <Pill tone="neutral">{say('device')}</Pill>}
                </>
              }
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
