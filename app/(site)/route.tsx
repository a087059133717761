import { SitePage } from '#app/_components/frame.tsx';
import { htmlPage, type Visit } from '#app/_html/html-page.ts';

export const dynamic = 'force-dynamic';

export const GET = htmlPage(StartPage);

async function StartPage({ frameFor }: Visit) {
  return (
    <SitePage frame={frameFor({})}>
      <section className="hero">
        <div>
          <h1>One gate for many APIs</h1>
          <p className="lead">
            Gatehouse signs people in and hands out the tokens that applications need to call an API. People
            see who asks, and for what, before anything is shared.
          </p>
          <p className="hero-actions">
            <a className="button" href="/apis">
              See the APIs
            </a>
            <a className="button plain" href="/documentation">
              Read the documentation
            </a>
          </p>
        </div>
        <Gate />
      </section>
      <h2>What brings you here?</h2>
      <ul className="audiences">
        <li>
          <h3>You were asked to sign in</h3>
          <p>
            You always get here from an application, and go back to it afterwards. Your password stays here;
            the application gets a token for what you allowed.
          </p>
          <span className="links">
            <a href="/account">Your account</a>
            <a href="/logout">Sign out of this browser</a>
          </span>
        </li>
        <li>
          <h3>You build an application</h3>
          <p>
            Choose an API, copy one address, the issuer, into any OAuth 2.0 or OpenID client library, and it
            finds the rest by itself.
          </p>
          <span className="links">
            <a href="/apis">Choose an API</a>
            <a href="/developer">Register it</a>
          </span>
        </li>
        <li>
          <h3>You provide an API</h3>
          <p>
            Check access tokens with the published keys, or ask about each one. Your API chooses its scopes,
            its lifetimes and the ways to sign in.
          </p>
          <a href="/documentation/guides/protect-an-api">How an API checks tokens</a>
        </li>
        <li>
          <h3>You run this service</h3>
          <p>
            One configuration file and a PostgreSQL database. It tells whether it is alive, whether it is
            ready, and what it offers.
          </p>
          <span className="links">
            <a href="/health">Health</a>
            <a href="/ready">Readiness</a>
            <a href="/openapi.json">OpenAPI</a>
            <a href="/admin">Administration</a>
          </span>
        </li>
      </ul>
    </SitePage>
  );
}

/** Decoration: the mark's arches, one behind the other. */
function Gate() {
  return (
    <svg className="gate" viewBox="0 0 240 240" width="240" height="240" aria-hidden="true" focusable="false">
      <path className="gate-ground" d="M8 224h224" />
      <path className="gate-light" d="M96 224V132a24 24 0 0 1 48 0v92z" />
      <path d="M24 224V112a96 96 0 0 1 192 0v112" />
      <path d="M48 224V118a72 72 0 0 1 144 0v106" />
      <path d="M72 224v-99a48 48 0 0 1 96 0v99" />
      <path d="M96 224V132a24 24 0 0 1 48 0v92" />
    </svg>
  );
}
