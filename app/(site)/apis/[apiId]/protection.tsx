import { ProtectionCode } from '#app/_components/protection-code.tsx';
import type { PublishedApi } from '#lib/oauth/endpoints/published.ts';

/** How the API checks the tokens that it gets: for the API's operators. */
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
