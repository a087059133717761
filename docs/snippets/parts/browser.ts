const manager = new UserManager({
  authority: {{issuer}},
  client_id: {{clientId}},
  redirect_uri: {{redirectUri}},
  scope: {{signInScope}},
{{#bound}}
  dpop: { bind_authorization_code: true, store: new IndexedDbDPoPStore() },
{{/bound}}
{{^bound}}
{{^claimsInIdToken}}
  loadUserInfo: true, // name and address
{{/claimsInIdToken}}
{{/bound}}
{{^signedOutUri}}
  // post_logout_redirect_uri: register an address after sign-out, and name it here
{{/signedOutUri}}
{{#signedOutUri}}
  post_logout_redirect_uri: {{signedOutUri}},
{{/signedOutUri}}
});

/** The signed-in user. At the redirect address: completes the sign-in first. */
async function currentUser(): Promise<User | null> {
  if (!new URL(location.href).searchParams.has('state')) return manager.getUser();
  const user = await manager.signinCallback();
  history.replaceState(null, '', location.pathname);
  return user ?? null;
}

// The API must allow the origin of this page (CORS): Access-Control-Allow-Origin: {{origin:plain}}
// and Access-Control-Allow-Headers: authorization{{#bound}}, dpop{{/bound}}
async function callApi(user: User): Promise<string> {
  const url = {{apiUrl}};
  try {
{{#bound}}
    const dpop = (await manager.dpopProof(url, user, 'GET')) ?? '';
{{/bound}}
    const response = await fetch(url, { headers: { authorization: {{#bound}}`DPoP ${user.access_token}`, dpop{{/bound}}{{^bound}}`Bearer ${user.access_token}`{{/bound}} } });
    return `${response.status} ${await response.text()}`;
  } catch (error) {
    return `No answer, or the API does not allow this origin (CORS): ${error}`;
  }
}
