'use client';

// The code grant with PKCE, step by step in this browser: the request, the response with its checks, the exchange of
// the code, and the content of the tokens.
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { CodeBlock } from '#app/_components/copy.tsx';
import { useCopyWords } from '#app/(console)/_kit/form.tsx';
import { Say, useHasScript, useSay } from '#app/(console)/_texts/in-browser.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import {
  type Answer,
  type Attempt,
  type BrowserKey,
  browserKey,
  type Check,
  type Combination,
  challengeOf,
  checkIdToken,
  claimsOf,
  decodeJwt,
  type Exchange,
  forget,
  getWith,
  keep,
  type PlaygroundClient,
  post,
  randomText,
  readAnswer,
  readAttempt,
  type Scope,
  stateFor,
} from './attempt.ts';

// First step: the form that creates the authorization request.

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

function Start({ client, combinations, openIdScopes }: StartProps) {
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
    const parameters = {
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
    const pushed = client.pushes ? await post(client, combination.par, parameters, { secret, key }) : [];
    const { request_uri: name, ...refused } = pushed.at(-1)?.body ?? {};
    if (client.pushes && typeof name !== 'string')
      return setFault(say('The push was rejected: {reason}', { reason: reasonOf(refused, pushed) }));
    request.search = new URLSearchParams({
      client_id: client.clientId,
      ...(typeof name === 'string' ? { request_uri: name } : parameters),
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

  // without React, the browser would submit the form without the selected application, so the form waits for the
  // script
  const hasScript = useHasScript();

  function submitForm(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // start fails if the browser stores no keys, as some browsers do in private windows
    start(new FormData(event.currentTarget)).catch((error: Error) =>
      setFault(say('The key could not be stored in this browser: {reason}', { reason: error.message })),
    );
  }

  return (
    <form className="form" onSubmit={submitForm}>
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
      <Scopes legend={say('The person who signs in (OpenID Connect)')} of={openIdScopes} />
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
                  ? say('This application gets only bound tokens for this API.')
                  : say('Every application can use this.')}
              </span>
            </span>
          </label>
        </div>
      </fieldset>
      <div className="entry">
        <label htmlFor="prompt">{say('Prompt mode')}</label>
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
        {say('You leave this page for the sign-in page, like any user, and return with a code.')}
      </p>
      <div className="form-actions">
        <button type="submit" className="button" disabled={!hasScript}>
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
        {say('This application pushes its request, so that the browser carries only a reference to it.')}
      </p>
      {confidential && (
        <>
          <label htmlFor="push-secret">{say('Client secret')}</label>
          <p className="hint" id="push-secret-hint">
            {say('Used to push the request. The secret is not stored, and is required again with the code.')}
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

function Step({ title, ok, children }: { title: string; ok?: boolean | undefined; children: ReactNode }) {
  return (
    <li className={ok === undefined ? 'step' : ok ? 'step good' : 'step bad'}>
      <h2>{title}</h2>
      {children}
    </li>
  );
}

function Checks({ of }: { of: readonly Check[] }) {
  const say = useSay();
  return (
    <ul className="checks">
      {of.map((check) => (
        <li key={check.name} className={check.ok ? 'good' : 'bad'}>
          <code>{check.name}</code> {say(check.words, check.values)}
        </li>
      ))}
    </ul>
  );
}

/** An address, displayed with one parameter per line. */
function Address({ label, href }: { label: string; href: string }) {
  const url = new URL(href);
  const lines = [...url.searchParams].map(([name, value], at) => `${at === 0 ? '?' : '&'}${name}=${value}`);
  const copyWords = useCopyWords();
  return (
    <CodeBlock
      label={label}
      code={[`${url.origin}${url.pathname}`, ...lines].join('\n')}
      said={copyWords(label)}
    />
  );
}

function Token({ token }: { token: string }) {
  const say = useSay();
  const copyWords = useCopyWords();
  const decoded = decodeJwt(token);
  if (!decoded) {
    return (
      <p>
        {say(
          'This access token is opaque and cannot be decoded. The API sends it to the introspection address.',
        )}
      </p>
    );
  }
  return (
    <>
      <CodeBlock
        label={say('Header')}
        code={JSON.stringify(decoded.header, null, 2)}
        said={copyWords(say('Header'))}
      />
      <dl className="rows claims">
        {claimsOf(decoded.payload).map(({ name, value, meaning }) => (
          <div key={name}>
            <dt>
              {name} {meaning && <span>{say(meaning)}</span>}
            </dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

// The requests with their proofs and responses, and the key that the token is bound to.

type Sent = { title: string; exchange: Exchange };

function Exchanged({ of }: { of: readonly Sent[] }) {
  const say = useSay();
  const copyWords = useCopyWords();
  return of.map(({ title, exchange: { sent, proof, status, received, asksForNonce } }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added
    <Step key={at} title={title} ok={asksForNonce ? undefined : status === 200 || status === 201}>
      <CodeBlock label={say('Sent')} code={sent} said={copyWords(say('Sent'))} />
      {proof !== null && (
        <CodeBlock
          label={say('Proof of the key, decoded')}
          code={JSON.stringify(decodeJwt(proof), null, 2)}
          said={copyWords(say('Proof of the key, decoded'))}
        />
      )}
      <CodeBlock
        label={say('Received')}
        code={status === null ? say('No response: {reason}', { reason: received }) : received}
        said={copyWords(say('Received'))}
      />
    </Step>
  ));
}

type BoundToProps = { token: string; browserKey: BrowserKey | null };

/** Shows nothing if there is no key, or if the token is opaque. */
function BoundTo({ token, browserKey }: BoundToProps) {
  const payload = decodeJwt(token)?.payload;
  if (!browserKey || !payload) return null;
  const { jkt } = (payload['cnf'] ?? {}) as { jkt?: string };
  const ok = jkt === browserKey.thumbprint;
  const words = ok
    ? toSay('is the key of this browser: the token does not work without it')
    : toSay('is not the key of this browser: do not continue');
  return <Checks of={[{ name: 'cnf.jkt', ok, words }]} />;
}

type IdTokenProps = { attempt: Attempt; idToken: string; accessToken: string };

function IdToken({ attempt, idToken, accessToken }: IdTokenProps) {
  const say = useSay();
  const [checks, setChecks] = useState<Check[]>([]);
  useEffect(() => {
    void checkIdToken({ idToken, accessToken, attempt }).then(setChecks, (error: Error) =>
      setChecks([
        {
          name: 'keys',
          ok: false,
          words: toSay('could not be read: {reason}'),
          values: { reason: error.message },
        },
      ]),
    );
  }, [idToken, accessToken, attempt]);
  const ok = checks.length === 0 ? undefined : checks.every((check) => check.ok);
  return (
    <Step title={say('The ID token')} ok={ok}>
      <Checks of={checks} />
      <Token token={idToken} />
    </Step>
  );
}

// The steps after sign-in: the request, the response with its checks, the exchange of the code, and the content of
// the tokens.

type RunProps = {
  attempt: Attempt;
  answer: Answer;
  challenge: string;
  /** null: tokens are not bound to a key */
  browserKey: BrowserKey | null;
  again: () => void;
};

function Run({ attempt, answer, challenge, browserKey: key, again }: RunProps) {
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

  const withNonce = say('The same request, with the nonce that the service required');
  const titleExchanges = (title: string, [first, repeated]: readonly Exchange[]): Sent[] => [
    ...(first ? [{ title, exchange: first }] : []),
    ...(repeated ? [{ title: withNonce, exchange: repeated }] : []),
  ];
  const add = (title: string, sent: readonly Exchange[]) =>
    setExchanges((all) => [...all, ...titleExchanges(title, sent)]);

  function redeem(clientSecret: string) {
    setSecret(clientSecret);
    const fields = {
      grant_type: 'authorization_code',
      code: answer.code ?? '',
      redirect_uri: attempt.redirectUri,
      code_verifier: attempt.verifier,
    };
    void send(say('3. The code exchange'), combination.token, fields, { given: clientSecret, key });
  }

  const renew = (token: string) =>
    send(say('Renewed'), combination.token, { grant_type: 'refresh_token', refresh_token: token }, { key });

  return (
    <>
      <ol className="steps">
        <Exchanged of={titleExchanges(say('The request is pushed first (PAR)'), attempt.pushed)} />
        <Step title={say('1. The request')} ok>
          <p>
            <Say
              text="The random verifier ({verifier}) stays in this browser. Its SHA-256 is sent as the challenge {challenge}."
              values={{
                verifier: <code>{attempt.verifier}</code>,
                challenge: <code>{challenge}</code>,
              }}
            />
          </p>
          {key && (
            <p>
              <Say
                text="A key was created in this browser, and scripts cannot read its private half. The request contains its thumbprint, {thumbprint}: the code works only with that key."
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
            onClick={async () => add(say('User identity'), await getWith(access, combination.userinfo, key))}
          >
            {say('Call userinfo')}
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
  const entry = exchanges.findLast(({ exchange }) => exchange.body[name] !== undefined);
  return entry ? String(entry.exchange.body[name]) : null;
}

function Came({ answer, ok }: { answer: Answer; ok: boolean }) {
  const say = useSay();
  return (
    <Step title={say('2. The response')} ok={ok}>
      {answer.error ? (
        <p>
          <code>{answer.error}</code>: {answer.description ?? say('no further details.')}
        </p>
      ) : (
        <p>
          <Say
            text="The code {code} was returned. It is valid for 60 seconds and works once, with the verifier."
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
    <Step title={say('3. The code exchange')}>
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
              {say('The secret stays on this page: it is sent to the token address and not stored.')}
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

type Back = { attempt: Attempt; answer: Answer; challenge: string; browserKey: BrowserKey | null };

export function Playground(props: StartProps) {
  const say = useSay();
  const [back, setBack] = useState<Back | null>(null);
  const [canHash, setCanHash] = useState(true);

  useEffect(() => {
    // Web Crypto is available only on https pages and on localhost
    if (!window.isSecureContext) return setCanHash(false);
    const attempt = readAttempt();
    const answer = attempt && readAnswer(window.location.search, attempt);
    if (!attempt || !answer) return;
    // removes the code from the browser's history
    const query = new URLSearchParams({ client: attempt.clientId });
    window.history.replaceState(null, '', `${window.location.pathname}?${query}`);
    const promises = [challengeOf(attempt.verifier), attempt.bound ? browserKey() : null] as const;
    void Promise.all(promises).then(([challenge, key]) =>
      setBack({ attempt, answer, challenge, browserKey: key }),
    );
  }, []);

  if (!canHash)
    return (
      <p className="notice">
        {say(
          'The playground needs https or localhost: over plain http this browser cannot make a PKCE challenge.',
        )}
      </p>
    );
  if (!back) return <Start {...props} />;
  const again = () => {
    forget();
    setBack(null);
  };
  return <Run {...back} again={again} />;
}
