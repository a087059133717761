import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { CLIENT_KIND_WORDS, type ClientKind } from '#lib/registry/clients/client.ts';
import { OPENID_SCOPES } from '#lib/registry/objects/openid-scopes.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import { BrandPreview } from '../_objects/brand-panel.tsx';
import { Say, say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Callout, Fact, Facts } from '../_ui/pieces.tsx';
import {
  approvalOf,
  askedSince,
  deviceMeans,
  machineMeans,
  trustedMeans,
} from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';
import { requesterIn } from './history.tsx';
import { FoldedTexts, OtherNames, ShownFacts, type ShownToPeople } from './shown-to-people.tsx';
import { TermsFacts } from './terms-fields.tsx';
import { UnregisteredClientFacts, UnregisteredClientWarnings } from './unregistered-client.tsx';

/** Where a client runs. */
const RUNS: Readonly<Record<ClientKind, string>> = toSay({
  confidential: 'on a server.',
  browser: 'in the browser.',
  native: 'on a phone or desktop.',
});

/** Everything that is needed to decide: who asks, for what, where the codes go, what changed, what its powers mean. */
export function RequestFacts({ of }: { of: SubscriptionView }) {
  const { told } = spoken();
  const shown = shownOf(of);
  const askedAt = askedSince(of);
  return (
    <>
      <SinceApproval of={of} />
      {of.clientOrigin !== null && <UnregisteredClientWarnings of={of} />}
      <OtherNames of={shown} />
      <Facts>
        <ShownFacts of={shown} />
        <Fact name={say('Asked by')}>
          <bdi>{requesterIn(of)}</bdi>, <When at={askedAt} />
          {of.updatedAt > askedAt && (
            <span className="soft">
              {' '}
              <Say text="(last changed {time})" values={{ time: <When at={of.updatedAt} /> }} />
            </span>
          )}
          {of.ownerEmail && of.requestedByEmail && of.ownerEmail !== of.requestedByEmail && (
            <span className="soft"> {say('(the client belongs to {owner})', { owner: of.ownerEmail })}</span>
          )}
        </Fact>
        {of.clientOrigin !== null && <UnregisteredClientFacts of={of} />}
        <Fact name={say('Client')}>
          <code>{of.clientId}</code> {say(RUNS[of.clientKind])}{' '}
          <span className="soft">{say(CLIENT_KIND_WORDS[of.clientKind].note)}</span>
          {of.clientDisabled && ` ${say('It is disabled.')}`}
        </Fact>
        {of.clientBrand && (
          <Fact name={say('Shows people')}>
            <BrandPreview name={of.clientName} brand={of.clientBrand} />
            {of.sinceApproval?.brand && (
              <span className="soft">{say('Changed since it was last approved.')}</span>
            )}
          </Fact>
        )}
        <Fact name={say('Redirects to')}>
          {of.redirectUris.length === 0 ? (
            say('nowhere: no redirect address is registered')
          ) : (
            <ul>
              {of.redirectUris.map((uri) => (
                <li key={uri}>
                  <code>{uri}</code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name={say('Scopes')}>
          <ul>
            {reachOf(of).map(({ name, description }) => (
              <li key={name}>
                <FoldedTexts of={description || name} /> <code>{name}</code>
              </li>
            ))}
          </ul>
          <p className="soft">{say('As every client it may also ask a person for:')}</p>
          <ul className="soft">
            {OPENID_SCOPES.map(({ name, description }) => (
              <li key={name}>
                <FoldedTexts of={description} /> <code>{name}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <TermsFacts of={of} />
        <Fact name={say('Message')}>
          {of.message ? <blockquote>{of.message}</blockquote> : <span className="soft">{say('None')}</span>}
        </Fact>
        {of.reason && of.state !== 'approved' && (
          <Fact name={say('Last reason')}>
            <blockquote>{of.reason}</blockquote>
          </Fact>
        )}
      </Facts>
      {of.machine && (
        <Callout>
          <p>
            <strong>{say('In its own name means:')}</strong> {told(machineMeans(of))}
          </p>
        </Callout>
      )}
      {of.device && (
        <Callout>
          <p>
            <strong>{say('Device means:')}</strong> {told(deviceMeans(of.apiName))}
          </p>
        </Callout>
      )}
      {of.trusted && (
        <Callout>
          <p>
            <strong>{say('Trusted means:')}</strong> {told(trustedMeans(of.apiName))}
          </p>
        </Callout>
      )}
    </>
  );
}

const shownOf = (of: SubscriptionView): ShownToPeople => ({
  ...{ clientId: of.clientId, name: of.clientNames, logoUri: of.clientLogoUri, tosUri: of.clientTosUri },
  ...{ policyUri: of.clientPolicyUri, redirectUris: of.redirectUris },
});

function SinceApproval({ of }: { of: SubscriptionView }) {
  const { sinceApproval, state } = of;
  if (!sinceApproval || state === 'approved') return null;
  const approvedAt = approvalOf(of);
  const isAnother =
    approvedAt !== undefined && of.clientChangedAt !== null && of.clientChangedAt > approvedAt;
  const { trusted, machine, device, kind } = sinceApproval;
  const { scopesAdded, scopesRemoved, redirectUrisAdded, redirectUrisRemoved } = sinceApproval;
  const lines = [
    ...(trusted
      ? [trusted.now ? say('It asks for trust, and had none.') : say('It gives its trust back.')]
      : []),
    ...(machine
      ? [
          machine.now
            ? say('It asks for tokens in its own name.')
            : say('It no longer asks for tokens in its own name.'),
        ]
      : []),
    ...(device
      ? [device.now ? say('It asks to connect devices.') : say('It no longer asks to connect devices.')]
      : []),
    ...(kind
      ? [say('It was a {before} client, and is a {now} one.', { before: kind.before, now: kind.now })]
      : []),
    ...(sinceApproval.brand ? [say('Its logo or its colours changed.')] : []),
    ...(isAnother ? [say('Its name or its redirect addresses changed: people are asked again.')] : []),
    ...scopesAdded.map((name) => say('New scope: {name}', { name })),
    ...scopesRemoved.map((name) => say('No longer: {name}', { name })),
    ...redirectUrisAdded.map((uri) => say('New redirect address: {uri}', { uri })),
    ...redirectUrisRemoved.map((uri) => say('Redirect address gone: {uri}', { uri })),
  ];
  return (
    <Callout tone={lines.length > 0 ? 'waiting' : 'good'}>
      <p>
        <strong>
          {lines.length > 0
            ? say('Changed since it was last approved')
            : say('Nothing changed since it was last approved')}
        </strong>
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Callout>
  );
}
