'use client';

// The first step: the form that makes the authorize request.
import { type FormEvent, useState } from 'react';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { type Combination, keep, type PlaygroundClient, type Scope, stateFor } from './attempt.ts';
import { type Exchange, post } from './exchange.ts';
import { browserKey } from './key.ts';
import { challengeOf, randomText } from './pkce.ts';

const PROMPTS = [
  ['', toSay('As usual')],
  ['login', toSay('Sign in again (prompt=login)')],
  ['consent', toSay('Ask for consent again (prompt=consent)')],
  ['none', toSay('Silently: a code or an error, no page (prompt=none)')],
] as const;

export type StartProps = {
  client: PlaygroundClient;
  combinations: Combination[];
  openIdScopes: readonly Scope[];
};

export function Start({ client, combinations, openIdScopes }: StartProps) {
  const say = useSay();
  const [at, setAt] = useState(0);
  const combination = combinations[at] as Combination;
  const [fault, setFault] = useState<string | null>(null);
  const mustBind = client.bound || combination.bound;

  async function start(form: FormData) {
    const [verifier, nonce] = [randomText(), randomText(16)];
    const state = stateFor(client.clientId, randomText(16));
    const request = new URL(combination.authorize);
    const scopes = form.getAll('scope').map(String);
    const scope = scopes.join(' ');
    const prompt = String(form.get('prompt') ?? '');
    const bound = mustBind || form.has('bound');
    const key = bound ? await browserKey() : null;
    const asked = {
      response_type: 'code',
      redirect_uri: client.redirectUri,
      ...(scope === '' ? {} : { scope }),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(prompt === '' ? {} : { prompt }),
      ...(scopes.includes('openid') ? { nonce } : {}),
      ...(key ? { dpop_jkt: key.thumbprint } : {}),
    };
    const secret = String(form.get('secret') ?? '');
    const pushed = client.pushes ? await post(client, combination.par, asked, { secret, key }) : [];
    const { request_uri: name, ...refused } = pushed.at(-1)?.body ?? {};
    if (client.pushes && typeof name !== 'string')
      return setFault(say('The push was refused: {reason}', { reason: reasonOf(refused, pushed) }));
    request.search = new URLSearchParams({
      client_id: client.clientId,
      ...(typeof name === 'string' ? { request_uri: name } : asked),
    }).toString();
    const { clientId, redirectUri, confidential, basic } = client;
    keep({
      clientId,
      combination,
      redirectUri,
      confidential,
      basic,
      state,
      verifier,
      nonce,
      bound,
      request: request.href,
      pushed,
    });
    window.location.assign(request.href);
  }

  function submitted(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // some browsers keep no keys in a private window
    start(new FormData(event.currentTarget)).catch((error: Error) =>
      setFault(say('The key could not be kept in this browser: {reason}', { reason: error.message })),
    );
  }

  return (
    <form className="form" onSubmit={submitted}>
      {fault !== null && (
        <p className="alert" role="alert">
          {fault}
        </p>
      )}
      <div className="entry">
        <label htmlFor="combination">{say('API and sign-in method')}</label>
        <select id="combination" value={at} onChange={(event) => setAt(Number(event.target.value))}>
          {combinations.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {combination.scopes.length > 0 && (
        <Scopes key={combination.issuer} legend={say('Scopes')} of={combination.scopes} chosen />
      )}
      <Scopes legend={say('Who signs in (OpenID Connect)')} of={openIdScopes} />
      <fieldset className="group">
        <legend>{say('A key for the tokens (DPoP)')}</legend>
        <div className="cards">
          <label className="choice" key={String(mustBind)}>
            <input type="checkbox" name="bound" defaultChecked={mustBind} disabled={mustBind} />
            <span>
              <span className="choice-label">
                {say('Bind the tokens to a key that does not leave this browser')}
              </span>
              <span className="choice-note">
                {mustBind
                  ? say('This application gets no others for this API.')
                  : say('Every application may do so.')}
              </span>
            </span>
          </label>
        </div>
      </fieldset>
      <div className="entry">
        <label htmlFor="prompt">{say('How to ask')}</label>
        <select id="prompt" name="prompt" defaultValue="">
          {PROMPTS.map(([value, label]) => (
            <option key={value} value={value}>
              {say(label)}
            </option>
          ))}
        </select>
      </div>
      {client.pushes && <Push confidential={client.confidential} />}
      <p className="hint">
        {say('You leave this page for the sign-in page as a person would, and come back with a code.')}
      </p>
      <div className="form-actions">
        <button type="submit" className="button">
          {say('Start')}
        </button>
      </div>
    </form>
  );
}

const reasonOf = (body: Record<string, unknown>, pushed: readonly Exchange[]): string =>
  String(body['error_description'] ?? body['error'] ?? pushed.at(-1)?.received);

function Push({ confidential }: { confidential: boolean }) {
  const say = useSay();
  return (
    <div className="entry">
      <p className="hint">
        {say('This application pushes its request, so that the browser carries only a name for it.')}
      </p>
      {confidential && (
        <>
          <label htmlFor="push-secret">{say('Client secret')}</label>
          <p className="hint" id="push-secret-hint">
            {say('The push is made with it. It is kept nowhere, and asked for again with the code.')}
          </p>
          <input
            id="push-secret"
            name="secret"
            type="password"
            autoComplete="off"
            aria-describedby="push-secret-hint"
            required
          />
        </>
      )}
    </div>
  );
}

type ScopesProps = { legend: string; of: readonly Scope[]; chosen?: boolean };

function Scopes({ legend, of, chosen = false }: ScopesProps) {
  return (
    <fieldset className="group">
      <legend>{legend}</legend>
      <div className="cards">
        {of.map(({ name, description }) => (
          <label className="choice" key={name}>
            <input type="checkbox" name="scope" value={name} defaultChecked={chosen} />
            <span>
              <span className="choice-label">{description || name}</span>
              <span className="choice-note">
                <code>{name}</code>
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
