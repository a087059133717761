'use client';

// After the sign-in page: the request, the answer and its checks, the code for tokens, and what the tokens say.
import { useState } from 'react';
import { Say, useSay } from '#app/(console)/_texts/in-browser.tsx';
import type { Answer, Attempt } from './attempt.ts';
import { type Exchange, getWith, post } from './exchange.ts';
import { BoundTo, Exchanged, type Sent } from './exchanged.tsx';
import { IdToken } from './id-token.tsx';
import type { BrowserKey } from './key.ts';
import { Address, Checks, Step, Token } from './raw.tsx';

type RunProps = {
  attempt: Attempt;
  answer: Answer;
  challenge: string;
  /** null: the tokens are bound to none */
  browserKey: BrowserKey | null;
  again: () => void;
};

export function Run({ attempt, answer, challenge, browserKey: key, again }: RunProps) {
  const say = useSay();
  const [exchanges, setExchanges] = useState<Sent[]>([]);
  const [secret, setSecret] = useState('');
  const { combination, confidential } = attempt;
  const fine = answer.code !== null && answer.checks.every(({ ok }) => ok);
  const access = lastOf(exchanges, 'access_token');
  const refresh = lastOf(exchanges, 'refresh_token');
  const idToken = lastOf(exchanges, 'id_token');

  async function send(title: string, address: string, fields: Record<string, string>, how: How = {}) {
    const { given = secret, key: proves = null } = how;
    add(title, await post(attempt, address, fields, { secret: given, key: proves }));
  }

  const withNonce = say('The same, with the nonce that the service asked for');
  const titled = (title: string, [first, repeated]: readonly Exchange[]): Sent[] => [
    ...(first ? [{ title, exchange: first }] : []),
    ...(repeated ? [{ title: withNonce, exchange: repeated }] : []),
  ];
  const add = (title: string, sent: readonly Exchange[]) =>
    setExchanges((all) => [...all, ...titled(title, sent)]);

  function redeem(given: string) {
    setSecret(given);
    const fields = {
      grant_type: 'authorization_code',
      code: answer.code ?? '',
      redirect_uri: attempt.redirectUri,
      code_verifier: attempt.verifier,
    };
    void send(say('3. The code for tokens'), combination.token, fields, { given, key });
  }

  const renew = (token: string) =>
    send(say('Renewed'), combination.token, { grant_type: 'refresh_token', refresh_token: token }, { key });

  return (
    <>
      <ol className="steps">
        <Exchanged of={titled(say('The request is pushed first (PAR)'), attempt.pushed)} />
        <Step title={say('1. The request')} ok>
          <p>
            <Say
              text="A random verifier stays here, {verifier}; its SHA-256 goes along as the challenge, {challenge}."
              values={{
                verifier: <code>{attempt.verifier}</code>,
                challenge: <code>{challenge}</code>,
              }}
            />
          </p>
          {key && (
            <p>
              <Say
                text="A key was made in this browser, and no script can read its private half. The request names it by its thumbprint, {thumbprint}: the code is good with that key only."
                values={{ thumbprint: <code>{key.thumbprint}</code> }}
              />
            </p>
          )}
          <Address label="GET authorize" href={attempt.request} />
        </Step>
        <Came answer={answer} ok={fine} />
        <Exchanged of={exchanges} />
        {fine && exchanges.length === 0 && <Redeem confidential={confidential} redeem={redeem} />}
        {access !== null && (
          <Step title={say('The access token')} ok>
            <BoundTo browserKey={key} token={access} />
            <Token token={access} />
          </Step>
        )}
        {access !== null && idToken !== null && (
          <IdToken key={idToken} attempt={attempt} idToken={idToken} accessToken={access} />
        )}
      </ol>
      <div className="form-actions">
        {refresh !== null && (
          <button type="button" className="button plain" onClick={() => renew(refresh)}>
            {say('Renew')}
          </button>
        )}
        {access !== null && idToken !== null && (
          <button
            type="button"
            className="button plain"
            onClick={async () => add(say('Who it is'), await getWith(access, combination.userinfo, key))}
          >
            {say('Ask userinfo')}
          </button>
        )}
        {access !== null && (
          <button
            type="button"
            className="button plain"
            onClick={() => send(say('Revoked'), combination.revoke, { token: refresh ?? access })}
          >
            {say('Revoke')}
          </button>
        )}
        <button type="button" className="button plain" onClick={again}>
          {say('Start over')}
        </button>
      </div>
    </>
  );
}

type How = { given?: string; key?: BrowserKey | null };

function lastOf(exchanges: Sent[], name: string): string | null {
  const found = exchanges.findLast(({ exchange }) => exchange.body[name] !== undefined);
  return found ? String(found.exchange.body[name]) : null;
}

function Came({ answer, ok }: { answer: Answer; ok: boolean }) {
  const say = useSay();
  return (
    <Step title={say('2. The answer')} ok={ok}>
      {answer.error ? (
        <p>
          <code>{answer.error}</code>: {answer.description ?? say('no more is said.')}
        </p>
      ) : (
        <p>
          <Say
            text="A code came, {code}. It lives 60 seconds and works once, with the verifier."
            values={{ code: <code>{answer.code}</code> }}
          />
        </p>
      )}
      <Checks of={answer.checks} />
    </Step>
  );
}

function Redeem({ confidential, redeem }: { confidential: boolean; redeem: (secret: string) => void }) {
  const say = useSay();
  return (
    <Step title={say('3. The code for tokens')}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          redeem(String(new FormData(event.currentTarget).get('secret') ?? ''));
        }}
      >
        {confidential && (
          <div className="entry">
            <label htmlFor="secret">{say('Client secret')}</label>
            <p className="hint" id="secret-hint">
              {say('It stays on this page: it is sent to the token address and kept nowhere.')}
            </p>
            <input
              id="secret"
              name="secret"
              type="password"
              autoComplete="off"
              aria-describedby="secret-hint"
              required
            />
          </div>
        )}
        <div className="form-actions">
          <button type="submit" className="button">
            {say('Exchange the code')}
          </button>
        </div>
      </form>
    </Step>
  );
}
