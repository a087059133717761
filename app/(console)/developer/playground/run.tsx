'use client';

// After the sign-in page: the request, the answer and its checks, the code for tokens, and what the tokens say.
import { useState } from 'react';
import { CodeBlock } from '#app/_components/code-block.tsx';
import type { Answer, Attempt } from './attempt.ts';
import { basicOf, type Exchange, getWith, post } from './exchange.ts';
import { IdToken } from './id-token.tsx';
import { Address, Checks, Step, Token } from './raw.tsx';

type RunProps = { attempt: Attempt; answer: Answer; challenge: string; again: () => void };
type Sent = { title: string; exchange: Exchange };

export function Run({ attempt, answer, challenge, again }: RunProps) {
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
    void send('3. The code for tokens', combination.token, fields, given);
  }

  const renew = (token: string) =>
    send('Renewed', combination.token, { grant_type: 'refresh_token', refresh_token: token });

  return (
    <>
      <ol className="steps">
        <Step title="1. The request" ok>
          <p>
            A random verifier stays here, <code>{attempt.verifier}</code>; its SHA-256 goes along as the
            challenge, <code>{challenge}</code>.
          </p>
          <Address label="GET authorize" href={attempt.request} />
        </Step>
        <Came answer={answer} ok={fine} />
        {exchanges.map(({ title, exchange }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
          <Step key={at} title={title} ok={exchange.status === 200}>
            <CodeBlock label="Sent" code={exchange.sent} />
            <CodeBlock label="Received" code={exchange.received} />
          </Step>
        ))}
        {fine && exchanges.length === 0 && <Redeem confidential={confidential} redeem={redeem} />}
        {access !== null && (
          <Step title="The access token" ok>
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
            Renew
          </button>
        )}
        {access !== null && idToken !== null && (
          <button
            type="button"
            className="button plain"
            onClick={async () => add('Who it is', await getWith(access, combination.userinfo))}
          >
            Ask userinfo
          </button>
        )}
        {access !== null && (
          <button
            type="button"
            className="button plain"
            onClick={() => send('Revoked', combination.revoke, { token: refresh ?? access })}
          >
            Revoke
          </button>
        )}
        <button type="button" className="button plain" onClick={again}>
          Start over
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
  return (
    <Step title="2. The answer" ok={ok}>
      {answer.error ? (
        <p>
          <code>{answer.error}</code>: {answer.description ?? 'no more is said.'}
        </p>
      ) : (
        <p>
          A code came, <code>{answer.code}</code>. It lives 60 seconds and works once, with the verifier.
        </p>
      )}
      <Checks of={answer.checks} />
    </Step>
  );
}

function Redeem({ confidential, redeem }: { confidential: boolean; redeem: (secret: string) => void }) {
  return (
    <Step title="3. The code for tokens">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          redeem(String(new FormData(event.currentTarget).get('secret') ?? ''));
        }}
      >
        {confidential && (
          <div className="entry">
            <label htmlFor="secret">Client secret</label>
            <p className="hint" id="secret-hint">
              It stays on this page: it is sent to the token address and kept nowhere.
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
            Exchange the code
          </button>
        </div>
      </form>
    </Step>
  );
}
