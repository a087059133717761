// What helps to decide on an unregistered client: whose document it is, who came with it, where people are sent.

import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/clients/unregistered.ts';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Callout, Fact } from '../_ui/pieces.tsx';
import { approvalOf } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';

const AUTHENTICATION = new Map<string, string>(
  Object.entries(
    toSay({
      private_key_jwt: 'With a key pair of its own (private_key_jwt)',
      none: 'Not at all: it is a public client',
    }),
  ),
);

const FIRST = toSay({
  alone: 'First {time}',
  others: 'First {time}, and {others, plural, one {# person} other {# people}} since',
  many: 'First {time}, and 999 or more people since',
});

export function UnregisteredClientFacts({ of }: { of: SubscriptionView }) {
  const host = hostOf(of);
  const others = of.askers - 1;
  const time = <When at={of.createdAt} />;
  const method = of.clientAuthMethod ?? 'none';
  const known = AUTHENTICATION.get(method);
  const how = known === undefined ? method : say(known);
  return (
    <>
      {host !== null && (
        <Fact name={say('From')}>
          <code>{host}</code>{' '}
          <span className="soft">{say('The people who run this host say what the application is.')}</span>
        </Fact>
      )}
      <Fact name={say('People')}>
        <Say
          text={FIRST[others > 0 ? (others >= 999 ? 'many' : 'others') : 'alone']}
          values={{ time, others }}
        />
        {of.firstRequestId !== null && (
          <span className="soft">
            {'. '}
            <Say
              text="The page of the first says request id {id}"
              values={{ id: <code>{of.firstRequestId}</code> }}
            />
          </span>
        )}
      </Fact>
      <Fact name={say('Proof')}>
        {of.clientJwksUri === null ? (
          how
        ) : (
          <Say text="{how}, keys from {url}" values={{ how, url: <code>{of.clientJwksUri}</code> }} />
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
            <Say
              text="{warning}, {time}: its name, its redirect addresses or its keys are others now. People are asked for consent again."
              values={{
                warning: <strong>{say('Its document has changed since it was approved')}</strong>,
                time: <When at={of.clientChangedAt} />,
              }}
            />
          </p>
        </Callout>
      )}
      {returnsToLoopbackOnly(of.redirectUris) && (
        <Callout tone="waiting">
          <p>
            <strong>{say('It returns to the person’s own machine only.')}</strong>{' '}
            {say('Any program there can say that it is this application.')}
          </p>
        </Callout>
      )}
    </>
  );
}

export const hostOf = ({ clientId, clientOrigin: origin }: SubscriptionView) =>
  documentHost({ clientId, origin });
