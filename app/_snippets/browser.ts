// Single-page applications by framework, on oidc-client-ts: it renews silently by itself, in a hidden iframe.
import type { Facts, Snippet } from './facts.ts';
import { signInScope } from './openid.ts';
import { js } from './quote.ts';

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
