// Facts about a subscription: its history, the client data that users see, and the source of an unregistered client.
import { Tile } from '#app/_components/hosted-parts.tsx';
import { type ClientValues, returnHost } from '#lib/catalogue/clients/definition.ts';
import { isPowerful } from '#lib/catalogue/subscriptions/definition.ts';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { readableLine } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { type DisplayText, textsByLanguage } from '#lib/registry/display-text.ts';
import { documentHost, returnsToLoopbackOnly } from '#lib/registry/unregistered.ts';
import { Callout, Fact, Panel, When } from '../_kit/pieces.tsx';
import { approvalOf, powersInWords, stepWords } from '../_kit/subscription-words.ts';
import { currentWords, Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

const AUTHORS: Readonly<Record<string, string>> = toSay({
  config: 'the configuration file',
  operator: 'the command line',
});

const valuesOf = (step: SubscriptionView['history'][number]) => ({
  step: (
    <>
      <strong>{currentWords().told(stepWords(step.from, step.to))}</strong>
      {isPowerful(step) && ` (${currentWords().told(powersInWords(step))})`}
    </>
  ),
  who: <bdi>{authorOf(step.actor)}</bdi>,
  time: <When at={step.at} />,
});

function authorOf(actor: string): string {
  const authorLabel = ownValue(AUTHORS, actor);
  if (authorLabel !== undefined) return say(authorLabel);
  const [, id] = /^client (.+)$/s.exec(actor) ?? [];
  return id === undefined ? actor : say('the client {id}', { id });
}

type Requested = Pick<SubscriptionView, 'history' | 'requestedByEmail' | 'ownerEmail'>;

/**
 * Returns the actor of the last request: the address of a user, a program, the configuration file, or the command
 * line.
 */
export function requesterIn({ history, requestedByEmail, ownerEmail }: Requested): string {
  const actor = history.findLast(({ from, to }) => to === 'pending' && from !== 'pending')?.actor;
  const isPerson =
    actor === undefined || (ownValue(AUTHORS, actor) === undefined && !actor.startsWith('client '));
  const person = requestedByEmail ?? actor ?? ownerEmail;
  return isPerson && person !== null ? person : authorOf(actor ?? 'config');
}

/** The changes of a subscription’s state, newest first. */
export function History({ of }: { of: SubscriptionView }) {
  if (of.history.length === 0) return null;
  return (
    <Panel id="history" heading={say('History')}>
      <ol className="history">
        {[...of.history].reverse().map((step) => (
          <li key={`${step.at} ${step.to}`}>
            <p>
              {step.undoneAt ? (
                <Say
                  text="{step} by {who}, {time}, undone {undone}"
                  values={{ ...valuesOf(step), undone: <When at={step.undoneAt} /> }}
                />
              ) : (
                <Say text="{step} by {who}, {time}" values={valuesOf(step)} />
              )}
            </p>
            {step.reason && <blockquote>{step.reason}</blockquote>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

// Client data that users see after the approval, shown to approvers: each text in every language, and each address.

/** Fields of a client that both the client's page and a subscription contain. */
export type ShownToPeople = Pick<
  ClientValues,
  'clientId' | 'name' | 'logoUri' | 'tosUri' | 'policyUri' | 'redirectUris'
>;

/** Client data that the consent or sign-in page displays, with complete texts. Brands have a separate preview. */
export const SHOWN: {
  [Field in Exclude<keyof ShownToPeople, 'clientId'>]: {
    label: string;
    texts: (client: ShownToPeople) => DisplayText[];
  };
} = {
  name: { label: toSay('Name'), texts: ({ name }) => [name] },
  logoUri: { label: toSay('Logo'), texts: ({ logoUri }) => listAddress(logoUri) },
  tosUri: { label: toSay('Terms of service'), texts: ({ tosUri }) => listAddress(tosUri) },
  policyUri: { label: toSay('Privacy policy'), texts: ({ policyUri }) => listAddress(policyUri) },
  redirectUris: { label: toSay('Sends people to'), texts: ({ redirectUris }) => hostsOf(redirectUris) },
};

const listAddress = (address: string | null) => (address === null ? [] : [address]);

const hostsOf = (uris: readonly string[]) => [...new Set(uris.map(returnHost))];

export function ShownFacts({ of }: { of: ShownToPeople }) {
  return Object.entries(SHOWN).map(([field, { label, texts }]) => {
    const fieldTexts = texts(of);
    if (fieldTexts.length === 0) return null;
    return (
      <Fact key={field} name={say(label)}>
        {field === 'logoUri' && <Tile of="client" id={of.clientId} name={of.name} logoUri={of.logoUri} />}
        {fieldTexts.length === 1 && fieldTexts[0] !== undefined ? (
          <AllTexts of={fieldTexts[0]} />
        ) : (
          <ul>
            {fieldTexts.map((text) => (
              <li key={JSON.stringify(text)}>
                <AllTexts of={text} />
              </li>
            ))}
          </ul>
        )}
      </Fact>
    );
  });
}

/** Shows texts in full and never shortened, because the hidden part could matter for the decision. */
export function AllTexts({ of }: { of: DisplayText }) {
  const texts = textsByLanguage(of);
  const [first] = texts;
  if (texts.length === 1 && first?.tag === null) return <bdi>{lineOf(first.text)}</bdi>;
  return (
    <ul>
      {texts.map(({ tag, text }) => (
        <li key={tag}>
          <bdi lang={tag ?? undefined}>{lineOf(text)}</bdi> <span className="soft">{languageOf(tag)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Shows the text in the reader's language; its translations are collapsed below it. */
export function FoldedTexts({ of }: { of: DisplayText }) {
  const { text, lang } = currentWords().shown(of);
  const others = textsByLanguage(of).filter((entry) => entry.text !== text);
  return (
    <>
      <bdi lang={lang}>{lineOf(text)}</bdi>
      {others.length > 0 && (
        <details className="other-texts">
          <summary>
            {say('{count, plural, one {# other language} other {# other languages}}', {
              count: others.length,
            })}
          </summary>
          <AllTexts of={Object.fromEntries(others.map((entry) => [entry.tag ?? 'und', entry.text]))} />
        </details>
      )}
    </>
  );
}

const lineOf = (text: string) => readableLine(text) ?? '';

function languageOf(tag: string | null): string {
  if (tag === null) return say('default if no other language matches');
  return `${new Intl.DisplayNames([currentWords().language], { type: 'language' }).of(tag) ?? tag} (${tag})`;
}

/** Warns if the names differ between languages, because approvers must compare their meaning. */
export function OtherNames({ of }: { of: Pick<ShownToPeople, 'name'> }) {
  const names = new Set(textsByLanguage(of.name).map(({ text }) => text));
  if (names.size < 2) return null;
  return (
    <Callout tone="waiting">
      <p>
        <strong>
          {say('The application has {count, plural, one {# name} other {# names}}.', { count: names.size })}
        </strong>{' '}
        {say(
          'People see the name in their language. Read each name below, and make sure that all of them mean the same.',
        )}
      </p>
    </Callout>
  );
}

// Facts about an unregistered client: the host of its document, the requesting user, and its redirect addresses.

const AUTHENTICATION = new Map<string, string>(
  Object.entries(
    toSay({
      private_key_jwt: 'With its own key pair (private_key_jwt)',
      none: 'None: it is a public client',
    }),
  ),
);

const FIRST = toSay({
  alone: 'First request {time}',
  others: 'First request {time}, and {others, plural, one {# person} other {# people}} since then',
  many: 'First request {time}, and 999 or more people since then',
});

export function UnregisteredClientFacts({ of }: { of: SubscriptionView }) {
  const host = hostOf(of);
  const others = of.askers - 1;
  const time = <When at={of.createdAt} />;
  const method = of.clientAuthMethod ?? 'none';
  const methodLabel = AUTHENTICATION.get(method);
  const how = methodLabel === undefined ? method : say(methodLabel);
  return (
    <>
      {host !== null && (
        <Fact name={say('From')}>
          <code>{host}</code>{' '}
          <span className="soft">{say('The operator of this host defines what the application is.')}</span>
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
              text="The first person’s page shows request id {id}"
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
              text="{warning}, {time}: the name, the redirect addresses or the keys have changed. People are asked for consent again."
              values={{
                warning: <strong>{say('The client’s document has changed since the approval')}</strong>,
                time: <When at={of.clientChangedAt} />,
              }}
            />
          </p>
        </Callout>
      )}
      {returnsToLoopbackOnly(of.redirectUris) && (
        <Callout tone="waiting">
          <p>
            <strong>{say('The application returns to the person’s own machine only.')}</strong>{' '}
            {say('Any program on that machine can claim to be this application.')}
          </p>
        </Callout>
      )}
    </>
  );
}

export const hostOf = ({ clientId, clientOrigin: origin }: SubscriptionView) =>
  documentHost({ clientId, origin });
