'use client';

// After the sign-in page: the request, the answer and its checks, the code for tokens, and what the tokens say.
import { useState } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import { Say, useSay } from '#app/(console)/_texts/in-browser.tsx';
import type { Answer, Attempt } from './attempt.ts';
import { basicOf, type Exchange, getWith, post } from './exchange.ts';
import { IdToken } from './id-token.tsx';
import { Address, Checks, Step, Token } from './raw.tsx';

type RunProps = { attempt: Attempt; answer: Answer; challenge: string; again: () => void };
type Sent = { title: string; exchange: Exchange };

export function Run({ attempt, answer, challenge, again }: RunProps) {
  const say = useSay();
  const [exchanges, setExchanges] = useState<Sent[]>([]);
  const [secret, setSecret] = useState('');
  const { combination, clientId, confidential, basic } = attempt;
  const fine = answer.code !== null && answer.checks.every(({ ok }) => ok);
  const access = lastOf(exchanges, 'access_token');
  const refresh = lastOf(exchanges, 'refresh_token');
  const idToken = lastOf(exchanges, 'id_token');

  async function send(title: string, address: string, fields: Record<string, string>, given = secret) {
    if (basic) return add(title, await post(address, fields, basicOf(clientId, given)));
    const auth = { client_id: clientId, ...(confidential ? { client_secret: given } : {}) };
    add(title, await post(address, { ...fields, ...auth }));
  }

  function add(title: string, exchange: Exchange) {
    setExchanges((all) => [...all, { title, exchange }]);
  }

  function redeem(given: string) {
    setSecret(given);
    const fields = {
      grant_type: 'authorization_code',
      code: answer.code ?? '',
      redirect_uri: attempt.redirectUri,
      code_verifier: attempt.verifier,
    };
    void send(say('3. The code for tokens'), combination.token, fields, given);
  }

  const renew = (token: string) =>
    send(say('Renewed'), combination.token, { grant_type: 'refresh_token', refresh_token: token });

  return (
    <>
      <ol className="steps">
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
          <Address label="GET authorize" href={attempt.request} />
        </Step>
        <Came answer={answer} ok={fine} />
        {exchanges.map(({ title, exchange }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
          <Step key={at} title={title} ok={exchange.status === 200}>
            <CodeBlock label={say('Sent')} code={exchange.sent} />
            <CodeBlock
              label={say('Received')}
              code={
                exchange.status === null
                  ? say('No answer: {reason}', { reason: exchange.received })
                  : exchange.received
              }
            />
          </Step>
        ))}
        {fine && exchanges.length === 0 && <Redeem confidential={confidential} redeem={redeem} />}
        {access !== null && (
          <Step title={say('The access token')} ok>
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
            onClick={async () => add(say('Who it is'), await getWith(access, combination.userinfo))}
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
