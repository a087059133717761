import { type HostedFrame, HostedPage } from '#app/_components/frame.tsx';
import { BoundTo, Host, Pair, Scopes, SignedInAs, Unusable } from '#app/_components/hosted-parts.tsx';
import { ApiAddresses, Name, Sentence } from '#app/_components/pieces.tsx';
import { Alert } from '#app/_components/sign-in-parts.tsx';
import { htmlPage } from '#app/_html/html-page.ts';
import { type DeviceView, viewDevice } from '#lib/oauth/pages/device.ts';

export const dynamic = 'force-dynamic';

const ACTION = '/device/submit';

export const GET = htmlPage(
  async ({ query, cookie, ip, frameFor }) => {
    const view = await viewDevice({
      interaction: query('interaction'),
      code: query('user_code'),
      alert: query('alert'),
      wait: query('wait'),
      done: query('done'),
      cookie,
      ip,
    });
    return <DevicePage view={view} frame={frameFor({ title: 'device.heading', view })} />;
  },
  { personal: true },
);

type Props<View> = { view: View; frame: HostedFrame };
type Kind<Name extends DeviceView['kind']> = Extract<DeviceView, { kind: Name }>;

function DevicePage({ view, frame }: Props<DeviceView>) {
  const { told } = frame.words;
  switch (view.kind) {
    case 'unusable':
      return <Unusable {...view} frame={frame} />;
    case 'ended':
      return (
        <HostedPage frame={frame}>
          <h1>{told(view.heading)}</h1>
          <p className="lead">{told(view.message)}</p>
        </HostedPage>
      );
    case 'code':
      return <CodePage view={view} frame={frame} />;
    default:
      return <DecisionPage view={view} frame={frame} />;
  }
}

/**
 * Page for the user code. If a link contained the code, users compare it with their device before they continue (RFC
 * 8628 §3.3.1).
 */
function CodePage({ view: { code, fromLink, alert }, frame }: Props<Kind<'code'>>) {
  const { t, sentence } = frame.words;
  const faulty = alert === null ? {} : { 'aria-invalid': true, 'aria-describedby': 'alert' };
  return (
    <HostedPage frame={frame}>
      <h1>{t('device.heading')}</h1>
      <p className="lead">{t('device.lead')}</p>
      <Alert message={alert && sentence(alert)} />
      {fromLink && (
        <p className="notice" role="note">
          {t('device.compare')}
        </p>
      )}
      <form method="post" action={ACTION} className="stack">
        <label className="field">
          <span>{t('frame.code')}</span>
          <input
            name="user_code"
            dir="ltr"
            type="text"
            autoComplete="off"
            autoCapitalize="characters"
            autoCorrect="off"
            spellCheck={false}
            defaultValue={code}
            maxLength={40}
            // biome-ignore lint/a11y/noAutofocus: typing in this field is the purpose of the page, and the title names what is asked
            autoFocus
            required
            {...faulty}
          />
        </label>
        <button type="submit" className="button">
          {t('frame.continue')}
        </button>
      </form>
    </HostedPage>
  );
}

function DecisionPage({ view, frame }: Props<Kind<'ready'>>) {
  const { words } = frame;
  const { t, sentence } = words;
  const { client, knownBy, api, scopes, person, from, at, sameNetwork, alert, interaction, antiForgery } =
    view;
  const bindings = { interaction, antiForgery };
  return (
    <HostedPage frame={frame}>
      <Pair client={client} api={api} />
      <h1>
        <Sentence parts={words.parts('device.asks', { client: <Name words={words}>{client.name}</Name> })} />
      </h1>
      <p className="lead">
        <Sentence parts={words.parts('device.may', { api: <Name words={words}>{api.name}</Name> })} />
      </p>
      <p className="note">
        <Name words={words}>{client.name}</Name> (<Host>{knownBy}</Host>)
      </p>
      <Alert message={alert && sentence(alert)} />
      <SignedInAs label={person.label} submitTo={ACTION} bindings={bindings} words={words} />
      <Scopes scopes={scopes} words={words} />
      <p>
        {from === null ? (
          t('device.unknown_place')
        ) : (
          <Sentence parts={words.parts('device.from', { from: <Host>{from}</Host> })} />
        )}{' '}
        <Sentence parts={words.parts('device.from_at', { time: <bdi>{at}</bdi> })} />
        {sameNetwork === true && ` ${t('device.same_network')}`}
      </p>
      {sameNetwork === false && (
        <p className="alert" role="note">
          {t('device.other_network')}
        </p>
      )}
      <p className="notice" role="note">
        {t('device.sent')}
      </p>
      <form method="post" action={ACTION} className="decision">
        <BoundTo {...bindings} />
        <button type="submit" name="decision" value="deny" className="button">
          {t('consent.deny')}
        </button>
        <button type="submit" name="decision" value="allow" className="button plain">
          {t('consent.allow')}
        </button>
      </form>
      <ApiAddresses api={client} words={words} />
      <ApiAddresses api={api} words={words} />
    </HostedPage>
  );
}
