'use client';

// The first step: the form that makes the authorize request.
import { type FormEvent, useState } from 'react';
import { useSay } from '#app/(console)/_texts/in-browser.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { type Combination, keep, type PlaygroundClient, type Scope } from './attempt.ts';
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
    const [verifier, state, nonce] = [randomText(), randomText(16), randomText(16)];
    const request = new URL(combination.authorize);
    const scopes = form.getAll('scope').map(String);
    const scope = scopes.join(' ');
    const prompt = String(form.get('prompt') ?? '');
    const bound = mustBind || form.has('bound');
    request.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      ...(scope === '' ? {} : { scope }),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(prompt === '' ? {} : { prompt }),
      ...(scopes.includes('openid') ? { nonce } : {}),
      ...(bound ? { dpop_jkt: (await browserKey()).thumbprint } : {}),
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
