'use client';

// The first step: the form that makes the authorize request.
import { type FormEvent, useState } from 'react';
import { type Combination, keep, type PlaygroundClient } from './attempt.ts';
import { challengeOf, randomText } from './pkce.ts';

const PROMPTS = [
  ['', 'As usual'],
  ['login', 'Sign in anew (prompt=login)'],
  ['consent', 'Ask for consent anew (prompt=consent)'],
  ['none', 'Silently: a code or an error, no page (prompt=none)'],
] as const;

export function Start({ client, combinations }: { client: PlaygroundClient; combinations: Combination[] }) {
  const [at, setAt] = useState(0);
  const combination = combinations[at] as Combination;

  async function start(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [verifier, state] = [randomText(), randomText(16)];
    const request = new URL(combination.authorize);
    const scope = form.getAll('scope').join(' ');
    const prompt = String(form.get('prompt') ?? '');
    request.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      ...(scope === '' ? {} : { scope }),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
      ...(prompt === '' ? {} : { prompt }),
    }).toString();
    const { clientId, redirectUri, confidential } = client;
    keep({ clientId, combination, redirectUri, confidential, state, verifier, request: request.href });
    window.location.assign(request.href);
  }

  return (
    <form className="form" onSubmit={start}>
      <div className="entry">
        <label htmlFor="combination">API and sign-in method</label>
        <select id="combination" value={at} onChange={(event) => setAt(Number(event.target.value))}>
          {combinations.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {combination.scopes.length > 0 && (
        <fieldset className="group">
          <legend>Scopes</legend>
          <div className="cards" key={combination.issuer}>
            {combination.scopes.map(({ name, description }) => (
              <label className="choice" key={name}>
                <input type="checkbox" name="scope" value={name} defaultChecked />
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
      )}
      <div className="entry">
        <label htmlFor="prompt">How to ask</label>
        <select id="prompt" name="prompt" defaultValue="">
          {PROMPTS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <p className="hint">
        You leave this page for the sign-in page as a person would, and come back with a code.
      </p>
      <div className="form-actions">
        <button type="submit" className="button">
          Start
        </button>
      </div>
    </form>
  );
}
