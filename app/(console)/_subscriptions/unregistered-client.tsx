// What helps to decide on an unregistered client: whose document it is, who came with it, where people are sent.

import type { SubscriptionView } from '#lib/management/index.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/index.ts';
import { say } from '../_texts/say.tsx';
import { Callout, Fact } from '../_ui/pieces.tsx';
import { approvalOf } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';

const AUTHENTICATION = new Map<string, string>(
  Object.entries({
    private_key_jwt: 'With a key pair of its own (private_key_jwt)',
    none: 'Not at all: it is a public client',
  }),
);

export function UnregisteredClientFacts({ of }: { of: SubscriptionView }) {
  const host = hostOf(of);
  const others = of.askers - 1;
  return (
    <>
      {host !== null && (
        <Fact name={say('From')}>
          <code>{host}</code>{' '}
          <span className="soft">{say('The people who run this host say what the application is.')}</span>
        </Fact>
      )}
      <Fact name={say('People')}>
        First <When at={of.createdAt} />
        {others > 0 &&
          `, and ${others >= 999 ? '999 or more' : others} ${others === 1 ? 'person' : 'people'} since`}
        {of.firstRequestId !== null && (
          <span className="soft">
            . The page of the first says request id <code>{of.firstRequestId}</code>
          </span>
        )}
      </Fact>
      <Fact name={say('Proof')}>
        {AUTHENTICATION.get(of.clientAuthMethod ?? 'none') ?? of.clientAuthMethod}
        {of.clientJwksUri !== null && (
          <>
            , keys from <code>{of.clientJwksUri}</code>
          </>
        )}
      </Fact>
    </>
  );
}

export function UnregisteredClientWarnings({ of }: { of: SubscriptionView }) {
  const approvedAt = approvalOf(of);
  const changed = approvedAt !== undefined && of.clientChangedAt !== null && of.clientChangedAt > approvedAt;
  return (
    <>
      {changed && of.clientChangedAt && (
        <Callout tone="waiting">
          <p>
            <strong>{say('Its document has changed since it was approved')}</strong>,{' '}
            <When at={of.clientChangedAt} />: its name, its redirect addresses or its keys are others now.
            People are asked for consent again.
          </p>
        </Callout>
      )}
      {returnsToLoopbackOnly(of.redirectUris) && (
        <Callout tone="waiting">
          <p>
            <strong>{say('It returns to the person’s own machine only.')}</strong> Any program there can say
            that it is this application.
          </p>
        </Callout>
      )}
    </>
  );
}

export const hostOf = ({ clientId, clientOrigin: origin }: SubscriptionView) =>
  documentHost({ clientId, origin });
