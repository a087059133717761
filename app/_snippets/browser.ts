// Single-page applications by framework, on oidc-client-ts: it renews silently by itself, in a hidden iframe.
import type { Facts, Snippet } from './facts.ts';
import { signInScope } from './openid.ts';
import { js } from './quote.ts';

/** The part that is the same in every framework. */
const managerOf = (facts: Facts) => `const manager = new UserManager({
  authority: ${js(facts.issuer)},
  client_id: ${js(facts.clientId)},
  redirect_uri: ${js(facts.redirectUri)},
  scope: ${js(signInScope(facts))},
  ${facts.bound ? 'dpop: { bind_authorization_code: true, store: new IndexedDbDPoPStore() },' : 'loadUserInfo: true, // name and address'}
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

const callOf = ({ bound, apiUrl }: Facts) =>
  bound
    ? `async function callApi(user: User) {
  const url = ${js(apiUrl)};
  const dpop = (await manager.dpopProof(url, user, 'GET')) ?? '';
  return fetch(url, { headers: { authorization: \`DPoP \${user.access_token}\`, dpop } });
}`
    : `const callApi = (user: User) =>
  fetch(${js(apiUrl)}, { headers: { authorization: \`Bearer \${user.access_token}\` } });`;

const imported = ({ bound }: Facts) =>
  `import { ${bound ? 'IndexedDbDPoPStore, ' : ''}type User, UserManager } from 'oidc-client-ts';`;
/** The name comes from userinfo, which the library asks with a bearer token only. */
const greeted = ({ bound }: Facts) => (bound ? 'sub' : 'name');

export function react(facts: Facts): Snippet {
  const code = `// npm install oidc-client-ts
${imported(facts)}
import { useEffect, useState } from 'react';

${managerOf(facts)}
// once: an answer can be read only once, and StrictMode runs effects twice
let found: Promise<User | null> | undefined;

export function App() {
  const [user, setUser] = useState<User | null>(null);
  useEffect(() => {
    found ??= currentUser();
    void found.then(setUser);
  }, []);
  if (!user) return <button onClick={() => manager.signinRedirect()}>Sign in</button>;
  return (
    <>
      <p>Hello {user.profile.${greeted(facts)}}</p>
      <button onClick={() => callApi(user)}>Call the API</button>
      <button onClick={() => manager.signoutRedirect()}>Sign out</button>
    </>
  );
}
`;
  return { label: 'React, oidc-client-ts 3', framework: 'React', code, unrun: true };
}

export function vue(facts: Facts): Snippet {
  const code = `<script setup lang="ts">
// npm install oidc-client-ts
${imported(facts)}
import { onMounted, shallowRef } from 'vue';

${managerOf(facts)}
const user = shallowRef<User | null>(null);
onMounted(async () => {
  user.value = await currentUser();
});
</script>

<template>
  <button v-if="!user" @click="manager.signinRedirect()">Sign in</button>
  <template v-else>
    <p>Hello {{ user.profile.${greeted(facts)} }}</p>
    <button @click="callApi(user)">Call the API</button>
    <button @click="manager.signoutRedirect()">Sign out</button>
  </template>
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
  \`,
})
export class App {
  readonly user = signal<User | null>(null);
  readonly signIn = () => manager.signinRedirect();
  readonly signOut = () => manager.signoutRedirect();
  readonly call = (user: User) => callApi(user);

  constructor() {
    void currentUser().then((user) => this.user.set(user));
  }
}
`;
  return { label: 'Angular, oidc-client-ts 3', framework: 'Angular', code, unrun: true };
}
