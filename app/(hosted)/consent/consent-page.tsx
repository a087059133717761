import { type HostedFrame, HostedPage } from '#app/_components/frame.tsx';
import { BoundTo, Host, Pair, Scopes, SignedInAs, Unusable } from '#app/_components/hosted-parts.tsx';
import { ApiAddresses, Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert } from '#app/_components/sign-in-parts.tsx';
import type { ConsentView } from '#lib/oauth/pages/consent.ts';

/** Consent page: the facts that the user needs to decide, and the form. */
export function ConsentPage({
  view,
  frame,
  submitTo = '/consent/submit',
}: {
  view: ConsentView;
  frame: HostedFrame;
  /** the address that the form posts to; missing in a preview */
  submitTo?: string;
}) {
  const { words } = frame;
  const { t, sentence } = words;
  if (view.kind === 'unusable') return <Unusable {...view} frame={frame} />;

  const { client, api, scopes, person, returnTo, onlyHere, alert } = view;
  const bindings = { interaction: view.interaction, antiForgery: view.antiForgery };
  const names = {
    client: <Name words={words}>{client.name}</Name>,
    api: <Name words={words}>{api.name}</Name>,
  };
  return (
    <HostedPage frame={frame}>
      <Pair client={client} api={api} />
      <h1>
        <Sentence parts={words.parts('consent.heading', names)} />
      </h1>
      <p className="lead">{t('consent.lead')}</p>
      {client.host !== null && (
        <p className="note">
          <Sentence parts={words.parts('consent.unregistered', { host: <Host>{client.host}</Host> })} />
        </p>
      )}
      {onlyHere && (
        <p className="notice" role="note">
          <Sentence parts={words.parts('consent.only_here', { client: names.client })} />
        </p>
      )}
      <Alert message={alert && sentence(alert)} />
      <SignedInAs label={person.label} submitTo={submitTo} bindings={bindings} words={words} />
      <Scopes scopes={scopes} words={words} />
      <form method="post" action={submitTo} className="decision">
        <BoundTo {...bindings} />
        <button type="submit" name="decision" value="deny" className="button plain">
          {t('consent.deny')}
        </button>
        <button type="submit" name="decision" value="allow" className="button">
          {t('consent.allow')}
        </button>
      </form>
      <p className="note">
        <Sentence parts={words.parts('consent.returns_to', { host: <Host>{returnTo}</Host> })} />
      </p>
      <ApiAddresses api={client} words={words} />
      <ApiAddresses api={api} words={words} />
    </HostedPage>
  );
}
