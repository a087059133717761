// Parts of an API's page: its rules, its protected resource metadata, and code that verifies its tokens.
import { CodeBlock } from '#app/_components/copy.tsx';
import { CopyField, inWords } from '#app/_components/pieces.tsx';
import { ProtectionCode } from '#app/_components/protection-code.tsx';
import type { PublishedApi } from '#lib/oauth/metadata.ts';

/** Rules and requirements of an API. */
export function Rules({ api }: { api: PublishedApi }) {
  return (
    <>
      <section aria-labelledby="scopes">
        <h2 id="scopes">Scopes</h2>
        {api.scopes.length === 0 ? (
          <p>This API has none: a token is good for all of it.</p>
        ) : (
          <dl className="rows">
            {api.scopes.map((scope) => (
              <div key={scope.name}>
                <dt>
                  <code>{scope.name}</code>
                </dt>
                <dd>{scope.description}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      <section aria-labelledby="rules">
        <h2 id="rules">Tokens and rules</h2>
        <dl className="rows">
          <div>
            <dt>API address</dt>
            <dd>
              <CopyField label="API address" value={api.url} />
              <span className="soft">The audience of its access tokens.</span>
            </dd>
          </div>
          <div>
            <dt>Access token</dt>
            <dd>
              {api.accessTokenFormat === 'jwt'
                ? `A JWT (RFC 9068), signed with ${api.signingAlg}.`
                : 'Opaque: only introspection tells what it means.'}{' '}
              Good for <Lifetime seconds={api.accessTokenTtlSeconds} />.
            </dd>
          </div>
          <div>
            <dt>Refresh token</dt>
            <dd>
              Replaced at each use; ends after <Lifetime seconds={api.refreshTokenTtlSeconds} /> unused. After{' '}
              <Lifetime seconds={api.refreshFamilyTtlSeconds} /> in all the person signs in again.
            </dd>
          </div>
          <div>
            <dt>
              <code>redirect_uri</code>
            </dt>
            <dd>
              {api.requireRedirectUri
                ? 'Mandatory at the authorize address.'
                : 'May be left out at the authorize address by a client that registered only one.'}
            </dd>
          </div>
          <div>
            <dt>
              <code>scope</code>
            </dt>
            <dd>
              {api.requireScope
                ? 'Mandatory at the authorize address.'
                : 'May be left out at the authorize address; that asks for all of them.'}
            </dd>
          </div>
          {api.profile === 'oauth-2.1' && (
            <div>
              <dt>OAuth 2.1</dt>
              <dd>
                Every authorize request has a <code>code_challenge</code>, and there is no password grant.
              </dd>
            </div>
          )}
          {api.profile === 'fapi-2.0' && (
            <div>
              <dt>FAPI 2.0</dt>
              <dd>
                Clients run on a server and authenticate by <code>private_key_jwt</code>, push each request
                first, and get access tokens that are bound to a key (DPoP).
              </dd>
            </div>
          )}
          {api.pairwiseSubjects && (
            <div>
              <dt>
                <code>sub</code>
              </dt>
              <dd>Pairwise: each client knows people by identifiers that only its own sector is told.</dd>
            </div>
          )}
          <div>
            <dt>Subscription</dt>
            <dd>
              {api.requireApproval
                ? 'Waits for approval.'
                : 'Approved at once; a trusted one waits for approval.'}
            </dd>
          </div>
        </dl>
      </section>
    </>
  );
}

function Lifetime({ seconds }: { seconds: number }) {
  const words = inWords(seconds);
  const exact = `${seconds} second${seconds === 1 ? '' : 's'}`;
  return words === exact ? words : `${words} (${exact})`;
}

/**
 * Explains to the API's operators how a client that knows only the address of the API finds its issuers (RFC 9728).
 */
export function ResourceMetadata({ api }: { api: PublishedApi }) {
  const { here, there } = api.resourceMetadata;
  return (
    <section aria-labelledby="resource-metadata">
      <h2 id="resource-metadata">For clients that only know the API’s address (MCP)</h2>
      <p>
        MCP clients discover the authorization server from the API. This metadata document (RFC 9728) is made
        from the settings here:
      </p>
      <CopyField label="metadata document of the API" value={here} />
      {here !== there && (
        <>
          <p>
            Serve a copy of it, or a proxy to it, at <code>{there}</code>; or let the API’s own 401 name it:
          </p>
          <CodeBlock
            label="The 401 of the API"
            code={`WWW-Authenticate: Bearer resource_metadata="${here}"`}
          />
        </>
      )}
    </section>
  );
}

/** Verification of tokens, for operators of the API. */
export function Protection({ api }: { api: PublishedApi }) {
  return (
    <section aria-labelledby="protect">
      <h2 id="protect">Check the tokens in the API</h2>
      <p>
        The package is told one address and finds the issuers, the keys and the rest there.{' '}
        <a href="/documentation/guides/protect-an-api">How an API checks its tokens</a> has the other
        frameworks, Java, .NET and gateways.
      </p>
      <ProtectionCode api={api} />
    </section>
  );
}
