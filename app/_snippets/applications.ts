// Code for applications that people use: in a browser, on a phone, and in JavaScript on a server.
import {
  type Facts,
  js,
  keyLine,
  oauthAuthentication,
  oauthKeyLines,
  openidAddress,
  openidAddressProof,
  openidArguments,
  openidCall,
  openidKeyLines,
  openidProof,
  quoted,
  type Snippet,
  signInScope,
} from './parts.ts';

const userInfo = ({ bound, claimsInIdToken }: Facts) => {
  if (bound) return '\n  dpop: { bind_authorization_code: true, store: new IndexedDbDPoPStore() },';
  return claimsInIdToken ? '' : '\n  loadUserInfo: true, // name and address';
};

/** Without a registered address people stay at Gatehouse after they sign out. */
const signedOut = ({ signedOutUri }: Facts) =>
  signedOutUri === null
    ? '\n  // post_logout_redirect_uri: register an address after sign-out, and name it here'
    : `\n  post_logout_redirect_uri: ${js(signedOutUri)},`;

/** The part that is the same in every framework. */
const managerOf = (facts: Facts) => `const manager = new UserManager({
  authority: ${js(facts.issuer)},
  client_id: ${js(facts.clientId)},
  redirect_uri: ${js(facts.redirectUri)},
  scope: ${js(signInScope(facts))},${userInfo(facts)}${signedOut(facts)}
});

/** Who is signed in; on the redirect address, who has just come back. */
async function currentUser(): Promise<User | null> {
  if (!new URL(location.href).searchParams.has('state')) return manager.getUser();
  const user = await manager.signinCallback();
  history.replaceState(null, '', location.pathname);
  return user ?? null;
}

${callOf(facts)}
`;

/** What the page shows: the answer, or why there is none. */
const callOf = ({ bound, apiUrl, redirectUri }: Facts) => {
  const proof = bound ? "\n    const dpop = (await manager.dpopProof(url, user, 'GET')) ?? '';" : '';
  const headers = bound
    ? '{ authorization: `DPoP ${user.access_token}`, dpop }'
    : '{ authorization: `Bearer ${user.access_token}` }';
  return `// The API must allow the origin of this page (CORS): Access-Control-Allow-Origin: ${originOf(redirectUri)}
// and Access-Control-Allow-Headers: authorization${bound ? ', dpop' : ''}
async function callApi(user: User): Promise<string> {
  const url = ${js(apiUrl)};
  try {${proof}
    const response = await fetch(url, { headers: ${headers} });
    return \`\${response.status} \${await response.text()}\`;
  } catch (error) {
    return \`No answer, or the API does not allow this origin (CORS): \${error}\`;
  }
}`;
};

const originOf = (redirectUri: string) => URL.parse(redirectUri)?.origin ?? 'YOUR_ORIGIN';

/** Vite serves on 5173: the redirect address names the port. */
const served = ({ redirectUri }: Facts) => {
  const { protocol = '', port = '' } = URL.parse(redirectUri) ?? {};
  return protocol === 'http:' && port !== '' && port !== '5173' ? ` and npm run dev -- --port ${port}` : '';
};

const imported = ({ bound }: Facts) =>
  `import { ${bound ? 'IndexedDbDPoPStore, ' : ''}type User, UserManager } from 'oidc-client-ts';`;
/** The library asks userinfo with a bearer token only; the name of a bound client is in the ID token or nowhere. */
const greeted = ({ bound, claimsInIdToken }: Facts) => (bound && !claimsInIdToken ? 'sub' : 'name');

export function react(facts: Facts): Snippet {
  const code = `// src/App.tsx of Vite: npm install oidc-client-ts${served(facts)}
${imported(facts)}
import { useEffect, useState } from 'react';

${managerOf(facts)}
// once: an answer can be read only once, and StrictMode runs effects twice
let found: Promise<User | null> | undefined;

export default function App() {
  const [user, setUser] = useState<User | null>(null);
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    found ??= currentUser();
    found.then(setUser, (error) => setAnswer(String(error)));
  }, []);
  return (
    <>
      {!user && <button onClick={() => manager.signinRedirect()}>Sign in</button>}
      {user && (
        <>
          <p>Hello {user.profile.${greeted(facts)}}</p>
          <button onClick={() => callApi(user).then(setAnswer)}>Call the API</button>
          <button onClick={() => manager.signoutRedirect()}>Sign out</button>
        </>
      )}
      <pre role="status">{answer}</pre>
    </>
  );
}
`;
  return { label: 'React, oidc-client-ts 3', framework: 'React', code, ...(facts.bound && { unrun: true }) };
}

export function vue(facts: Facts): Snippet {
  const code = `<script setup lang="ts">
// src/App.vue of Vite: npm install oidc-client-ts${served(facts)}
${imported(facts)}
import { onMounted, ref, shallowRef } from 'vue';

${managerOf(facts)}
const user = shallowRef<User | null>(null);
const answer = ref('');
onMounted(async () => {
  user.value = await currentUser().catch((error) => {
    answer.value = String(error);
    return null;
  });
});
async function call(person: User) {
  answer.value = await callApi(person);
}
</script>

<template>
  <button v-if="!user" @click="manager.signinRedirect()">Sign in</button>
  <template v-else>
    <p>Hello {{ user.profile.${greeted(facts)} }}</p>
    <button @click="call(user)">Call the API</button>
    <button @click="manager.signoutRedirect()">Sign out</button>
  </template>
  <pre role="status">{{ answer }}</pre>
</template>
`;
  return { label: 'Vue, oidc-client-ts 3', framework: 'Vue', code, unrun: true };
}

export function angular(facts: Facts): Snippet {
  const code = `// npm install oidc-client-ts
import { Component, signal } from '@angular/core';
${imported(facts)}

${managerOf(facts)}
@Component({
  selector: 'app-root',
  template: \`
    @if (user(); as person) {
      <p>Hello {{ person.profile.${greeted(facts)} }}</p>
      <button (click)="call(person)">Call the API</button>
      <button (click)="signOut()">Sign out</button>
    } @else {
      <button (click)="signIn()">Sign in</button>
    }
    <pre role="status">{{ answer() }}</pre>
  \`,
})
export class App {
  readonly user = signal<User | null>(null);
  readonly signIn = () => manager.signinRedirect();
  readonly signOut = () => manager.signoutRedirect();
  readonly answer = signal('');
  readonly call = async (user: User) => this.answer.set(await callApi(user));

  constructor() {
    currentUser().then(
      (user) => this.user.set(user),
      (error) => this.answer.set(String(error)),
    );
  }
}
`;
  return { label: 'Angular, oidc-client-ts 3', framework: 'Angular', code, unrun: true };
}

const insecure = ({ issuer }: Facts) => issuer.startsWith('http:');
const scopeLine = ({ scope }: Facts) => (scope ? `\n  scope: ${js(scope)},` : '');

/** Both arguments, since options follow. */
function argumentsOf(facts: Facts): string {
  const given = openidArguments(facts, '\n  ');
  return given.includes(',') ? given : `${given},\n  undefined`;
}

export function openidClient(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri } = facts;
  const more = insecure(facts) ? '\n    execute: [client.allowInsecureRequests], // for localhost only' : '';
  const code = `import * as client from 'openid-client';
${keyLine(facts)}
const config = await client.discovery(
  new URL(${js(issuer)}),
  ${js(clientId)},
  ${argumentsOf(facts)},
  {
    algorithm: 'oauth2',${more}
  },
);
${openidKeyLines(facts)}
// 1. Send the person away; keep verifier and state in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = ${openidAddress(facts)}(config, {
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}${openidAddressProof(facts)});

// 2. They come back to your redirect address: currentUrl. State and iss are checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
}${openidProof(facts, ', undefined')});

// 3. Call the API.
await ${openidCall(facts)};

// 4. Later: renew, and keep the new refresh token.
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token${openidProof(facts, ', undefined')});
`;
  return { label: 'JavaScript, openid-client 6', framework: 'JavaScript', code };
}

export function oauth4webapi(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, confidential, refreshes } = facts;
  const discovery = insecure(facts)
    ? "{ algorithm: 'oauth2', [oauth.allowInsecureRequests]: true /* for localhost only */ }"
    : "{ algorithm: 'oauth2' }";
  const renew = refreshes
    ? `
// 4. Later: renew, and keep the new refresh token.
const renewed = await ${sent(facts, 'oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token', 'RefreshToken')};
`
    : `
// 4. Later: renew without a refresh token, in a hidden iframe, with prompt=none and a fresh verifier.
`;
  const code = `import * as oauth from 'oauth4webapi';
${keyLine(facts)}
const issuer = new URL(${js(issuer)});
const as = await oauth
  .discoveryRequest(issuer, ${discovery})
  .then((response) => oauth.processDiscoveryResponse(issuer, response));
const client = { client_id: ${js(clientId)} };
const auth = ${oauthAuthentication(facts)};
${oauthKeyLines(facts)}
// 1. Send the person away; keep verifier and state (${confidential ? 'in their session' : 'sessionStorage in a browser'}).
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const parameters = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});
${addressLines(facts)}
// 2. They come back to your redirect address: currentUrl.
const params = oauth.validateAuthResponse(as, client, currentUrl, state);
const tokens = await ${sent(facts, `oauth.authorizationCodeGrantRequest(as, client, auth, params, ${js(redirectUri)}, verifier`, 'AuthorizationCode')};

// 3. Call the API.
await ${oauthCall(facts)};
${renew}`;
  return { label: 'JavaScript, oauth4webapi 3', framework: 'JavaScript', code };
}

/** The last argument of a request. */
function optionsOf(facts: Facts): string {
  const options = [
    ...(facts.bound ? ['DPoP'] : []),
    ...(insecure(facts) ? ['[oauth.allowInsecureRequests]: true'] : []),
  ];
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`;
}

/** A request, `call` but for its last argument, and its answer. */
function sent(
  facts: Facts,
  call: string,
  kind: 'RefreshToken' | 'AuthorizationCode' | 'PushedAuthorization',
) {
  const all = `${call}${optionsOf(facts)})
  .then((response) => oauth.process${kind}Response(as, client, response))`;
  return facts.bound ? `twice(() => ${all})` : all;
}

const addressLines = (facts: Facts): string =>
  facts.pushes
    ? `const { request_uri } = await ${sent(facts, 'oauth.pushedAuthorizationRequest(as, client, auth, parameters', 'PushedAuthorization')};
const address = new URL(as.authorization_endpoint);
address.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
`
    : `const address = new URL(as.authorization_endpoint);
address.search = parameters.toString();
`;

const oauthCall = (facts: Facts): string =>
  facts.bound
    ? `twice(() => oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(
  ${js(facts.apiUrl)},
), undefined, undefined${optionsOf(facts)}))`
    : `fetch(${js(facts.apiUrl)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})`;

// Applications on a phone, on AppAuth, which opens the browser of the system.

const listOf = (facts: Facts, quote: (one: string) => string) =>
  signInScope(facts).split(' ').map(quote).join(', ');
/** Kotlin reads a $ in a text as the beginning of a name. */
const kt = (value: string) => quoted(value).replaceAll('$', '\\$');
/** Swift reads `\\(` as the beginning of a value, and JSON writes none. */
const swiftText = quoted;

export function swift(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, apiUrl } = facts;
  const code = `// Swift package: https://github.com/openid/AppAuth-iOS
import AppAuth
import UIKit

final class SignIn {
    private var flow: OIDExternalUserAgentSession?
    private var state: OIDAuthState?

    func begin(from viewController: UIViewController) {
        let issuer = URL(string: ${swiftText(issuer)})!
        OIDAuthorizationService.discoverConfiguration(forIssuer: issuer) { configuration, _ in
            guard let configuration else { return }
            let request = OIDAuthorizationRequest(
                configuration: configuration,
                clientId: ${swiftText(clientId)},
                scopes: [${listOf(facts, swiftText)}],
                redirectURL: URL(string: ${swiftText(redirectUri)})!,
                responseType: OIDResponseTypeCode,
                additionalParameters: nil
            )
            self.flow = OIDAuthState.authState(byPresenting: request, presenting: viewController) { state, _ in
                self.state = state // keep it in the keychain
                self.callApi()
            }
        }
    }

    func callApi() {
        // renews the token where it has expired
        state?.performAction { token, _, _ in
            guard let token else { return }
            var request = URLRequest(url: URL(string: ${swiftText(apiUrl)})!)
            request.setValue("Bearer \\(token)", forHTTPHeaderField: "Authorization")
            URLSession.shared.dataTask(with: request).resume()
        }
    }
}
`;
  return { label: 'Swift, AppAuth', framework: 'Swift', code, unrun: true };
}

export function kotlin(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri } = facts;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(redirectUri)?.[1] ?? 'com.example.app';
  const code = `// build.gradle.kts: implementation("net.openid:appauth:0.11.1"),
// and manifestPlaceholders["appAuthRedirectScheme"] = ${kt(scheme)}
import android.app.Activity
import android.content.Intent
import android.net.Uri
import net.openid.appauth.*

class SignIn(private val activity: Activity) {
    private val service = AuthorizationService(activity)
    private lateinit var state: AuthState // keep it encrypted: state.jsonSerializeString()

    fun begin(code: Int) {
        AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${kt(issuer)})) { configuration, _ ->
            val found = configuration ?: return@fetchFromIssuer
            val request = AuthorizationRequest.Builder(
                found,
                ${kt(clientId)},
                ResponseTypeValues.CODE,
                Uri.parse(${kt(redirectUri)}),
            ).setScopes(${listOf(facts, kt)}).build()
            activity.startActivityForResult(service.getAuthorizationRequestIntent(request), code)
        }
    }

    /** In onActivityResult. */
    fun end(data: Intent, callApi: (token: String) -> Unit) {
        val response = AuthorizationResponse.fromIntent(data)
        state = AuthState(response, AuthorizationException.fromIntent(data))
        val request = response?.createTokenExchangeRequest() ?: return
        service.performTokenRequest(request) { tokens, error ->
            state.update(tokens, error)
            // renews the token where it has expired
            state.performActionWithFreshTokens(service) { token, _, _ -> token?.let(callApi) }
        }
    }
}
`;
  return { label: 'Kotlin, AppAuth', framework: 'Kotlin', code, unrun: true };
}
